import { formatBytes } from '@mustard-sandbox/agent-tool';
import type { RunProfile } from '@mustard-sandbox/client';
import { printable } from '@mustard-sandbox/protocol/text';
import { formatCount, formatMs } from '../../statistics.ts';
import { alignColumns } from '../../table.ts';

const shownCalls = 5;

/** A profile as a table, with a row for each function of the host, and for the script before each call. */
export function describeProfile(profile: RunProfile): string {
  const parts = [table(profile)];
  const slowest = slowestCalls(profile);
  if (slowest.length > 0) parts.push(`slowest calls\n${alignColumns(slowest)}`);
  return parts.join('\n');
}

function table({ capabilities, rest }: RunProfile): string {
  const sum = (key: 'calls' | 'ms' | 'bytes' | 'scriptMs' | 'instructions'): number =>
    capabilities.reduce((total, row) => total + row[key], 0);
  const head = ['', 'calls', 'total', 'mean', 'max', 'bytes', 'script before', 'instructions'];
  const rows = capabilities.map(({ name, calls, ms, maxMs, bytes, scriptMs, instructions }) => [
    printable(name),
    formatCount(calls),
    formatMs(ms),
    formatMs(ms / calls),
    formatMs(maxMs),
    formatBytes(bytes),
    formatMs(scriptMs),
    formatCount(instructions),
  ]);
  const end = ['the end', '', '', '', '', '', formatMs(rest.scriptMs), formatCount(rest.instructions)];
  const total = [
    'in all',
    formatCount(sum('calls')),
    formatMs(sum('ms')),
    '',
    '',
    formatBytes(sum('bytes')),
    formatMs(sum('scriptMs') + rest.scriptMs),
    formatCount(sum('instructions') + rest.instructions),
  ];
  return alignColumns([head, ...rows, end, total]);
}

/** The slowest calls. A single call is in the table already. */
function slowestCalls({ calls }: RunProfile): string[][] {
  if (calls.length < 2) return [];
  return calls
    .map((call, index) => ({ ...call, number: index + 1 }))
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, shownCalls)
    .map(({ name, path, ms, bytes, number }) => [
      `  ${printable(name)}(${path === undefined ? '' : printable(JSON.stringify(path))})`,
      `call ${number}`,
      formatMs(ms),
      formatBytes(bytes),
    ]);
}
