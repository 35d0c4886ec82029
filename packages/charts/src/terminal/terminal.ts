import type { ChannelName, Chart, ChartType } from '@mustard-sandbox/protocol/chart';
import { pointsOf, type Points } from '../draw/points.ts';
import { legendOf } from '../legend.ts';
import { namesOf, shortName, shownName } from '../names.ts';
import { bars, boxes, heatmap, histogram } from './bars.ts';
import type { Part } from './part.ts';
import { plot } from './plot.ts';

/** How to draw a chart in characters. */
export interface TerminalOptions {
  /** The width of the terminal, in characters. A drawing has between 40 and 120. */
  columns: number;
  /** Whether each series has a colour of the terminal. */
  hasColors?: boolean;
}

const mostFacets = 6;
/** Yellow, blue, green, red, magenta and cyan, which are the hues of drawings in a page, in the same order. */
const codes = [33, 34, 32, 31, 35, 36];

const drawers: Record<ChartType, (part: Part) => string[]> = {
  line: plot,
  area: plot,
  scatter: plot,
  bar: bars,
  histogram,
  heatmap,
  box: boxes,
};

/** A chart in Braille dots and blocks. No character of the data acts on the terminal. */
export function drawInTerminal(chart: Chart, { columns, hasColors = false }: TerminalOptions): string {
  const width = Math.min(120, Math.max(40, columns));
  const series = chart.color?.scale === 'category' ? namesOf(chart.color) : [];
  const numbers = new Map(series.map((name, index) => [name, index]));
  const paint = (text: string, index: number): string =>
    hasColors && text !== '' && series.length > 0 ? `\u001b[${codes[index % codes.length]}m${text}\u001b[39m` : text;
  const lines = chart.title === undefined ? [] : [shortName(chart.title, width)];
  const legend = legendOf(chart);
  if (legend !== undefined && 'names' in legend) {
    lines.push(series.map((name, index) => paint(`● ${shortName(name, 30)}`, index)).join('  '));
  }
  const facets = chart.facet === undefined ? [undefined] : namesOf(chart.facet).slice(0, mostFacets);
  for (const facet of facets) {
    const points = inFacet(pointsOf(chart, width), facet);
    const seriesAt = (row: number): number => numbers.get(String(points.columns.color?.[row])) ?? 0;
    if (facet !== undefined) lines.push('', shortName(facet, width));
    lines.push(
      ...drawers[chart.type]({ chart, points, columns: width, rows: facet === undefined ? 12 : 6, seriesAt, paint }),
    );
  }
  const left = namesOf(chart.facet).length - mostFacets;
  if (left > 0) lines.push('', `and ${left} more of ${shownName(chart.facet?.label ?? '')}`);
  return lines.join('\n');
}

function inFacet({ columns }: Points, facet: string | undefined): Points {
  const all = columns.x ?? columns.y ?? [];
  const rows = Array.from(all.keys()).filter((row) => facet === undefined || columns.facet?.[row] === facet);
  const picked: Points['columns'] = {};
  for (const [name, values] of Object.entries(columns) as [ChannelName, typeof all][]) {
    picked[name] = rows.map((row) => values[row] ?? null);
  }
  return { length: rows.length, columns: picked };
}
