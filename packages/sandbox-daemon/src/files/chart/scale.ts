import { millisecondsOf, type ChannelName, type ChartScale, type ChartType } from '@mustard-sandbox/protocol/chart';
import type { Column } from './column.ts';

/** If there are more different whole numbers than this, they are amounts and not names. */
const mostNumberedNames = 10;

type Columns = Partial<Record<ChannelName, Column>>;

/** The scale of each column: the script's, or else one that fits its values and the type of chart. */
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
    // If the chart takes only numbers, a later error names the first value that is not a number.
    const other = possible.includes('category') ? 'category' : possible[0];
    scales[column.name] = isMeant || other === undefined ? natural : other;
  }
  // If both columns are numbers, bars show y, and x has their names.
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
