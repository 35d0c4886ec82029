import { channelNames, lengthOf, type ChannelName, type Chart } from '@mustard-sandbox/protocol/chart';
import { namesOf, shownName } from '../names.ts';

type Values = readonly (string | number | null)[];

/** The points that are drawn, in columns, with their places in the grid of facets. */
export interface Points {
  length: number;
  columns: Partial<Record<ChannelName, Values>>;
  grid?: Grid;
}

/** The facets in rows and columns, with as many columns as the chart has room for. */
interface Grid {
  names: string[];
  columns: number;
  rows: number;
  /** For each point, the column of its facet. */
  fx: number[];
  fy: number[];
}

const facetWidth = 220;

/** @param hidden names of the legend whose points are left out */
export function pointsOf(chart: Chart, width: number, hidden: ReadonlySet<string> = new Set()): Points {
  const shown: Partial<Record<ChannelName, Values>> = {};
  for (const name of channelNames) {
    const channel = chart[name];
    if (channel === undefined) continue;
    const isNames = channel.scale === 'category';
    shown[name] = isNames ? (channel.values as string[]).map((value) => shownName(value ?? '')) : channel.values;
  }
  const order = orderOf(chart, shown, hidden);
  const columns: Points['columns'] = {};
  for (const [name, values] of Object.entries(shown) as [ChannelName, Values][]) {
    columns[name] = order.map((row) => values[row] ?? null);
  }
  const grid = gridOf(chart, columns.facet, width);
  return { length: order.length, columns, ...(grid !== undefined && { grid }) };
}

/** The order of points. A line runs along its axis, whatever order its points have in the data. */
function orderOf(chart: Chart, { x = [], color }: Points['columns'], hidden: ReadonlySet<string>): number[] {
  const rows: number[] = [];
  for (let row = 0; row < lengthOf(chart); row++) if (!hidden.has(String(color?.[row]))) rows.push(row);
  const isAlong = (chart.type === 'line' || chart.type === 'area') && chart.x?.scale !== 'category';
  return isAlong ? rows.toSorted((one, other) => Number(x[one]) - Number(x[other])) : rows;
}

function gridOf(chart: Chart, facets: Values | undefined, width: number): Grid | undefined {
  if (facets === undefined) return undefined;
  const names = namesOf(chart.facet);
  const columns = Math.max(1, Math.min(names.length, Math.floor(width / facetWidth)));
  const places = new Map(names.map((name, index) => [name, index]));
  const at = facets.map((name) => places.get(String(name)) ?? 0);
  return {
    names,
    columns,
    rows: Math.ceil(names.length / columns),
    fx: at.map((index) => index % columns),
    fy: at.map((index) => Math.floor(index / columns)),
  };
}
