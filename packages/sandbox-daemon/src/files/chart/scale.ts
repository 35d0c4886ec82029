import { millisecondsOf, type ChannelName, type ChartScale, type ChartType } from '@mustard-sandbox/protocol/chart';
import type { Column } from './column.ts';

/** More different whole numbers than this are amounts and not names. */
const mostNumberedNames = 10;

type Columns = Partial<Record<ChannelName, Column>>;

/** How each column runs: as the script says, or else as its values suggest and the type of chart takes. */
export function scalesFor(
  taken: Partial<Record<ChannelName, readonly ChartScale[]>>,
  type: ChartType,
  columns: Columns,
): Partial<Record<ChannelName, ChartScale>> {
  const scales: Partial<Record<ChannelName, ChartScale>> = {};
  for (const column of Object.values(columns)) {
    const natural = column.scale ?? naturalScale(column.values);
    const possible = taken[column.name] ?? [];
    const isMeant = column.scale !== undefined || possible.includes(natural);
    // Where it takes numbers alone, the first value that is none will be named.
    const other = possible.includes('category') ? 'category' : possible[0];
    scales[column.name] = isMeant || other === undefined ? natural : other;
  }
  // Of two columns of numbers the bars are y, and x is their names.
  if (type === 'bar' && scales.y === 'linear' && columns.x?.scale === undefined) scales.x = 'category';
  const isFewNumbers = scales.color === 'linear' && columns.color !== undefined && areNames(columns.color.values);
  if (type === 'scatter' && isFewNumbers && columns.color?.scale === undefined) scales.color = 'category';
  return scales;
}

function naturalScale(values: readonly unknown[]): ChartScale {
  const there = values.filter((value) => value !== null && value !== undefined);
  if (there.every((value) => typeof value === 'number')) return 'linear';
  const isTime = (value: unknown): boolean => typeof value === 'string' && millisecondsOf(value) !== undefined;
  return there.every(isTime) ? 'time' : 'category';
}

function areNames(values: readonly unknown[]): boolean {
  const different = new Set(values);
  return (
    different.size <= mostNumberedNames && [...different].every((value) => value === null || Number.isInteger(value))
  );
}
