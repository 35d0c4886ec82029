import { channelNames, lengthOf, type Chart } from '@mustard-sandbox/protocol/chart';
import { timeText } from './times.ts';

/** The data of a chart as rows, with a column for each of its channels. */
export interface ChartTable {
  columns: string[];
  rows: Record<string, string | number | null>[];
}

/** All points of a chart, a row each. Times are written out, in UTC. */
export function tableOf(chart: Chart): ChartTable {
  const columns = new Map<string, (row: number) => string | number | null>();
  for (const name of channelNames) {
    const channel = chart[name];
    if (channel === undefined) continue;
    const { values, scale, label } = channel;
    const valueAt = (row: number): string | number | null => {
      const value = values[row] ?? null;
      return scale === 'time' && typeof value === 'number' ? timeText(value) : value;
    };
    // The same column may be both x and colour.
    if (!columns.has(label)) columns.set(label, valueAt);
    else if (chart[name] !== undefined && !isSame(chart, label, values)) columns.set(`${label} (${name})`, valueAt);
  }
  const entries = [...columns];
  const rows = Array.from({ length: lengthOf(chart) }, (_, row) =>
    // Assigning would fail for a column that is called __proto__.
    Object.fromEntries(entries.map(([label, valueAt]) => [label, valueAt(row)])),
  );
  return { columns: [...columns.keys()], rows };
}

function isSame(chart: Chart, label: string, values: readonly unknown[]): boolean {
  const first = channelNames.map((name) => chart[name]).find((channel) => channel?.label === label);
  return first?.values === values || (first?.values.every((value, row) => value === values[row]) ?? false);
}
