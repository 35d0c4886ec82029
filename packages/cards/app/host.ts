import type { ScriptRecord } from '@mustard-sandbox/agent-tool';

/** The tool whose calls are shown. */
export const toolName = 'execute_sandbox_script';

const recordKey = 'mustard-sandbox/record';

/** As a host passes it on. */
export interface ToolResult {
  _meta?: Record<string, unknown>;
  content?: { type: string; text?: string }[];
  isError?: boolean;
}

/** The record of a call; one of the text alone where a host passes no more of a result on. */
export function readRecord(
  { _meta, content = [], isError = false }: ToolResult,
  args: { script: string; description?: string },
): ScriptRecord {
  const record = _meta?.[recordKey] as ScriptRecord | undefined;
  if (record?.version === 1) return record;
  const text = content.map((part) => part.text ?? '').join('\n');
  const common = { version: 1, ...args, stats: { durationMs: 0 }, at: new Date().toISOString() } as const;
  if (isError) return { ...common, error: { code: 'script_error', message: text.split('\n', 1)[0] as string, text } };
  return { ...common, result: { text, truncated: false } };
}

/** `attachments:NAME` as the server calls it among its resources. */
export function resourceUri(name: string): string {
  return `attachments:///${encodeURIComponent(name.replace(/^attachments:/, ''))}`;
}
