import type { ChartScale } from '@mustard-sandbox/protocol/chart';
import { boundsOf } from '../facts.ts';
import { namesOf } from '../names.ts';
import { timeText } from '../times.ts';
import { Canvas } from './canvas.ts';
import { numberText, type Part } from './part.ts';

/** Maps a value to its place on an axis. */
type Place = (value: string | number | null | undefined) => number | undefined;

interface Axis {
  /** The place on the axis, from 0 to 1. */
  place: Place;
  from: string;
  to: string;
}

/** Lines, areas and points in dots, with the bounds of both axes beside them. */
export function plot(part: Part): string[] {
  const { chart, columns, rows, points, paint } = part;
  const ys = chart.type === 'area' ? stacked(part) : (points.columns.y ?? []);
  const x = axisOf(chart.x?.scale, points.columns.x ?? [], namesOf(chart.x));
  const y = axisOf(chart.y?.scale, chart.type === 'area' ? [0, ...ys] : ys, namesOf(chart.y));
  const room = Math.max(y.from.length, y.to.length);
  const canvas = new Canvas(Math.max(10, columns - room - 2), rows);
  const last = new Map<number, [number, number]>();
  for (let row = 0; row < points.length; row++) {
    const series = part.seriesAt(row);
    const [across, up] = [x.place(points.columns.x?.[row]), y.place(ys[row])];
    if (across === undefined || up === undefined) {
      last.delete(series);
      continue;
    }
    const at: [number, number] = [Math.round(across * (canvas.width - 1)), Math.round((1 - up) * (canvas.height - 1))];
    const before = chart.type === 'scatter' ? undefined : last.get(series);
    canvas.line(before ?? at, at, series);
    last.set(series, at);
  }
  const labels = [y.to, ...Array.from({ length: rows - 2 }, () => ''), y.from];
  const drawn = canvas.rows(paint).map((text, row) => `${(labels[row] ?? '').padStart(room)} │${text}`);
  const space = Math.max(1, canvas.width / 2 - x.from.length - x.to.length);
  return [
    ...drawn,
    `${' '.repeat(room)} └${'─'.repeat(canvas.width / 2)}`,
    `${' '.repeat(room + 2)}${x.from}${' '.repeat(space)}${x.to}`,
  ];
}

function axisOf(scale: ChartScale = 'linear', values: readonly (string | number | null)[], names: string[]): Axis {
  if (scale === 'category') {
    const places = new Map(names.map((name, index) => [name, names.length < 2 ? 0.5 : index / (names.length - 1)]));
    return { place: (value) => places.get(String(value)), from: cut(names[0]), to: cut(names.at(-1)) };
  }
  const along = scale === 'log' ? Math.log10 : (value: number) => value;
  const [min, max] = boundsOf(values as (number | null)[]) ?? [0, 1];
  const [low, high] = [along(min), along(max)];
  const shown = scale === 'time' ? timeText : numberText;
  return {
    place: (value) =>
      typeof value !== 'number' ? undefined : high === low ? 0.5 : (along(value) - low) / (high - low),
    from: shown(min),
    to: shown(max),
  };
}

/** The values of stacked areas: each one plus those of the series before it at the same place. */
function stacked({ points }: Part): (number | null)[] {
  const sums = new Map<string | number | null, number>();
  return Array.from(points.columns.y ?? [], (value, row) => {
    if (typeof value !== 'number') return null;
    const x = points.columns.x?.[row] ?? null;
    const sum = (sums.get(x) ?? 0) + value;
    sums.set(x, sum);
    return sum;
  });
}

function cut(name = ''): string {
  return name.slice(0, 20);
}
