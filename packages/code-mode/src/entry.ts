import type { CallContext, Tool } from '@mustard-sandbox/runs';

/** A tool in code mode, whatever its source. */
export interface Entry {
  /** The name in scripts: `github.search_issues`. */
  name: string;
  description: string;
  /** JSON Schemas; `undefined` when nothing is known. */
  input: unknown;
  output: unknown;
  /** Whether a person is asked when no rule decides. */
  asks: (input: unknown, run: string) => boolean | Promise<boolean>;
  /** What its MCP server says about that, whether or not it is believed. */
  isReadOnly?: boolean;
  tool: Pick<Tool, 'inputSchema' | 'idempotent' | 'timeoutMs' | 'version' | 'cost' | 'standIn'>;
  /** Absent for a tool that is answered from outside. */
  execute: ((input: unknown, context: CallContext) => unknown) | undefined;
}
