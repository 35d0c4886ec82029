import { defaultMaxTimeoutMs, limitTable, withTimeout, type LimitOptions } from '@mustard-sandbox/client';
import { parseCount, parseDuration, parseSize } from './arguments.ts';

export type LimitName = keyof LimitOptions;
export const limitNames = Object.keys(limitTable) as LimitName[];

/** The name of a limit as users write it: `timeout`, `heap`. The value has the unit. */
export function shortName(name: LimitName): string {
  return name.replace(/(?:Ms|Bytes)$/, '');
}

/**
 * Parses a limit such as `10s`, `128mb` or `500M`.
 *
 * @param what the start of the error's message
 * @throws {UsageError | SandboxError}
 */
export function parseLimit(name: LimitName, what: string, text: string): number {
  const { ceiling: max, unit } = limitTable[name];
  const parse = unit === 'bytes' ? parseSize : unit === 'ms' ? parseDuration : parseCount;
  return parse(what, text, { min: 1, max });
}

/**
 * The limits that the flags set, and then those of the configuration. A longer timeout raises the limit of instructions
 * with it, unless the configuration sets that limit.
 *
 * @throws {UsageError}
 */
export function limitsOfFlags(
  { timeout, heap }: { timeout?: string; heap?: string },
  configured: LimitOptions,
): LimitOptions {
  const timeoutMs = timeout === undefined ? configured.timeoutMs : parseLimit('timeoutMs', '--timeout', timeout);
  return {
    ...(timeoutMs !== undefined && withTimeout(timeoutMs)),
    ...configured,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(heap !== undefined && { heapBytes: parseLimit('heapBytes', '--heap', heap) }),
  };
}

/** The limits of the MCP server. Only its flag gives scripts more than 10 s: a configuration is for `run` as well. */
export function limitsOfServer({ timeout }: { timeout?: string }, configured: LimitOptions): LimitOptions {
  if (timeout !== undefined) return limitsOfFlags({ timeout }, configured);
  const { timeoutMs } = configured;
  return limitsOfFlags(
    {},
    timeoutMs === undefined ? configured : { ...configured, timeoutMs: Math.min(timeoutMs, defaultMaxTimeoutMs) },
  );
}
