import { formatBytes } from '@mustard-sandbox/agent-tool';
import { limitTable, withTimeout, type LimitOptions } from '@mustard-sandbox/client';
import { UsageError } from '../../failure.ts';
import { limitNames as names, parseLimit, shortName } from '../../limits.ts';
import { formatCount, formatMs } from '../../statistics.ts';
import { alignColumns } from '../../table.ts';

/** Each limit with its present value, its default and its maximum. */
export function describeLimits(limits: LimitOptions): string {
  const rows = names.map((name) => {
    const { default: usual, ceiling, unit } = limitTable[name];
    const format = unit === 'bytes' ? formatBytes : unit === 'ms' ? formatMs : formatCount;
    return [shortName(name), format(limits[name] ?? usual), format(usual), format(ceiling)];
  });
  return alignColumns([['limit', 'now', 'default', 'at most'], ...rows]);
}

/** All limits, including those that have their default. */
export function effectiveLimits(limits: LimitOptions): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, limits[name] ?? limitTable[name].default]));
}

/**
 * `limits` with the one that is called `text` set: `timeout 10s`, `heap 128mb`, `instructions 500M`.
 *
 * @throws {UsageError}
 */
export function setLimit(limits: LimitOptions, text: string, value: string): LimitOptions {
  const name = names.find((name) => text === name || text === shortName(name));
  if (name === undefined) {
    throw new UsageError(`.limits: there is no limit '${text}'. There are ${names.map(shortName).join(', ')}.`);
  }
  const number = parseLimit(name, `.limits ${text}`, value);
  return { ...limits, ...(name === 'timeoutMs' ? withTimeout(number) : { [name]: number }) };
}
