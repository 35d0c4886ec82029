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

/**
 * The record of a call; one of the text alone where a host passes no more of a result on, or what is none. A host may also
 * have cut a record: what every card needs is filled in.
 */
export function readRecord(
  { _meta, content = [], isError = false }: ToolResult,
  args: { script: string; description?: string },
): ScriptRecord {
  const common = { version: 1, ...args, stats: { durationMs: 0 }, at: new Date().toISOString() } as const;
  const record = _meta?.[recordKey];
  if (hasEnding(record)) {
    const { outputs, ...rest } = record;
    return { ...rest, ...filledIn(record, common), ...(areOutputs(outputs) && { outputs }) };
  }
  const text = content.map((part) => part.text ?? '').join('\n');
  if (isError) return { ...common, error: { code: 'script_error', message: text.split('\n', 1)[0] as string, text } };
  return { ...common, result: { text, truncated: false } };
}

/** Whether it says how the call ended, as a card shows it. */
function hasEnding(record: unknown): record is ScriptRecord {
  if (!isObject(record) || record['version'] !== 1) return false;
  const { result, error, denied } = record;
  const ending = result ?? error ?? denied;
  if (!isObject(ending) || typeof ending['text'] !== 'string') return false;
  return ending !== error || (typeof ending['code'] === 'string' && typeof ending['message'] === 'string');
}

type Common = Pick<ScriptRecord, 'script' | 'stats' | 'at'>;

function filledIn({ script, stats, at }: Record<keyof Common, unknown>, common: Common): Common {
  const durationMs = isObject(stats) ? stats['durationMs'] : undefined;
  return {
    script: typeof script === 'string' ? script : common.script,
    stats: typeof durationMs === 'number' ? (stats as Common['stats']) : { ...(stats as object), ...common.stats },
    at: typeof at === 'string' && !Number.isNaN(Date.parse(at)) ? at : common.at,
  };
}

function areOutputs(value: unknown): value is NonNullable<ScriptRecord['outputs']> {
  const isOutput = (each: unknown): boolean =>
    isObject(each) && typeof each['name'] === 'string' && typeof each['size'] === 'number';
  return Array.isArray(value) && value.every(isOutput);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `attachments:NAME` as the server calls it among its resources. */
export function resourceUri(name: string): string {
  return `attachments:///${encodeURIComponent(name.replace(/^attachments:/, ''))}`;
}
