import type { CallContext, Tool } from '@mustard-sandbox/runs';

/** A tool as code mode knows it, wherever it comes from. */
export interface Entry {
  /** As scripts call it: `github.search_issues`. */
  name: string;
  description: string;
  /** JSON Schemas; `undefined` where nothing is known. */
  input: unknown;
  output: unknown;
  /** Whether a person is asked where no rule says so. */
  asks: (input: unknown, run: string) => boolean | Promise<boolean>;
  /** What its MCP server says, whether that is believed or not. */
  isReadOnly?: boolean;
  tool: Pick<Tool, 'inputSchema' | 'idempotent' | 'timeoutMs' | 'version' | 'cost' | 'standIn'>;
  /** Absent for a tool that is answered from outside. */
  execute: ((input: unknown, context: CallContext) => unknown) | undefined;
}
