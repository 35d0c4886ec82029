import { boxesOf } from '../draw/boxes.ts';
import { boundsOf } from '../facts.ts';
import { namesOf, shortName } from '../names.ts';
import { timeText } from '../times.ts';
import { numberText, type Part } from './part.ts';

/** The most lines. More would push earlier output off the screen. */
const mostLines = 30;
const nameCharacters = 24;
const shades = ' ░▒▓█';

/** A line for each name, with the bars of its colours one after the other, and their sum. */
export function bars(part: Part): string[] {
  const { points, chart } = part;
  const isUpright = chart.x?.scale === 'category';
  const [names, values] = isUpright ? [points.columns.x, points.columns.y] : [points.columns.y, points.columns.x];
  const sums = new Map<string, Map<number, number>>();
  for (let row = 0; row < points.length; row++) {
    const name = String(names?.[row]);
    const of = sums.get(name) ?? new Map<number, number>();
    sums.set(name, of);
    const series = part.seriesAt(row);
    of.set(series, (of.get(series) ?? 0) + Number(values?.[row] ?? 0));
  }
  return barLines(part, [...sums]);
}

/** The values of a histogram, in ten to twenty steps of the same width. */
export function histogram(part: Part): string[] {
  const values = (part.points.columns.x ?? []).filter((value) => typeof value === 'number');
  const [min, max] = boundsOf(values) ?? [0, 1];
  const count = Math.min(20, part.chart.bins ?? 15);
  const width = (max - min) / count || 1;
  const bins = Array.from({ length: count }, () => 0);
  for (const value of values) {
    const bin = Math.min(count - 1, Math.floor((value - min) / width));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  const shown = part.chart.x?.scale === 'time' ? timeText : numberText;
  return barLines(
    part,
    bins.map((amount, index) => [shown(min + index * width), new Map([[0, amount]])]),
  );
}

function barLines({ columns, paint }: Part, sums: (readonly [string, Map<number, number>])[]): string[] {
  const totals = sums.map(([, of]) => [...of.values()].reduce((sum, value) => sum + value, 0));
  const most = Math.max(...totals.map(Math.abs), Number.MIN_VALUE);
  const shown = sums.slice(0, mostLines);
  const labels = shown.map(([name]) => shortName(name, nameCharacters));
  const room = Math.max(...labels.map((label) => label.length));
  const width = Math.max(8, columns - room - 14);
  const lines = shown.map(([, of], index) => {
    const segments = [...of].map(([series, value]) =>
      paint('█'.repeat(Math.round((Math.abs(value) / most) * width)), series),
    );
    return `${(labels[index] as string).padStart(room)} │${segments.join('')} ${numberText(totals[index] ?? 0)}`;
  });
  return [...lines, ...more(sums.length)];
}

/** A heatmap with a shade for each cell. */
export function heatmap({ chart, points, columns }: Part): string[] {
  const [min, max] = boundsOf((points.columns.color ?? []) as (number | null)[]) ?? [0, 1];
  const names = namesOf(chart.y);
  const across = namesOf(chart.x);
  const room = Math.max(...names.map((name) => shortName(name, nameCharacters).length));
  const width = Math.min(across.length, Math.max(4, Math.floor((columns - room - 2) / 2)));
  const cells = new Map(
    Array.from({ length: points.length }, (_, row) => [
      JSON.stringify([points.columns.x?.[row], points.columns.y?.[row]]),
      points.columns.color?.[row],
    ]),
  );
  const shadeOf = (value: unknown): string => {
    if (typeof value !== 'number') return '  ';
    return (shades[Math.ceil(((value - min) / (max - min || 1)) * (shades.length - 1))] ?? ' ').repeat(2);
  };
  const lines = names.slice(0, mostLines).map((name) => {
    const row = across.slice(0, width).map((column) => shadeOf(cells.get(JSON.stringify([column, name]))));
    return `${shortName(name, nameCharacters).padStart(room)} │${row.join('')}`;
  });
  const left = width < across.length ? [`and ${across.length - width} more columns`] : [];
  return [...lines, `from ${numberText(min)} to ${numberText(max)}`, ...more(names.length), ...left];
}

/** A line for each box, from the least to the greatest value, with the middle half and the median. */
export function boxes({ chart, points, columns }: Part): string[] {
  const all = boxesOf(points);
  const [min, max] = boundsOf(all.flatMap(({ figures }) => figures)) ?? [0, 1];
  const along = chart.y?.scale === 'log' ? Math.log10 : (value: number) => value;
  const labels = all.map(({ x }) => shortName(String(x ?? ''), nameCharacters));
  const room = Math.max(...labels.map((label) => label.length));
  const width = Math.max(10, columns - room - 4);
  const lines = all.slice(0, mostLines).map(({ figures }, index) => {
    const span = along(max) - along(min) || 1;
    const [least, low, median, high, most] = figures.map((value) =>
      Math.round(((along(value) - along(min)) / span) * (width - 1)),
    ) as [number, number, number, number, number];
    const at = (column: number): string => {
      if (column === median) return '█';
      if (column >= low && column <= high) return '▒';
      return column >= least && column <= most ? '─' : ' ';
    };
    return `${(labels[index] as string).padStart(room)} │${Array.from({ length: width }, (_, column) => at(column)).join('')}`.trimEnd();
  });
  return [...lines, `from ${numberText(min)} to ${numberText(max)}; █ median, ▒ middle half`, ...more(all.length)];
}

function more(count: number): string[] {
  return count > mostLines ? [`and ${count - mostLines} more`] : [];
}
