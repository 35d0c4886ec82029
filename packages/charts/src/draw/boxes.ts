import type { Points } from './points.ts';

/** The figures of one box, and its tooltip. */
export interface Box {
  x: string | number | null;
  fx: number;
  fy: number;
  /** Least value, quartiles, greatest value. */
  figures: [number, number, number, number, number];
  text: string;
}

/** A box for each name of each facet. */
export function boxesOf({ length, columns: { x, y = [] }, grid }: Points): Box[] {
  const groups = new Map<string, { row: number; values: number[] }>();
  for (let row = 0; row < length; row++) {
    const value = y[row];
    if (typeof value !== 'number') continue;
    const key = JSON.stringify([x?.[row], grid?.fx[row], grid?.fy[row]]);
    const group = groups.get(key) ?? { row, values: [] };
    groups.set(key, group);
    group.values.push(value);
  }
  return [...groups.values()].map(({ row, values }) => {
    const sorted = values.toSorted((one, other) => one - other);
    const at = (part: number): number => quantile(sorted, part);
    const figures: Box['figures'] = [at(0), at(0.25), at(0.5), at(0.75), at(1)];
    const [least, low, median, high, most] = figures.map(shown);
    const lines = [
      `median ${median}`,
      `quartiles ${low} to ${high}`,
      `from ${least} to ${most}`,
      `${values.length} values`,
    ];
    const name = x === undefined ? [] : [String(x[row])];
    const place = { fx: grid?.fx[row] ?? 0, fy: grid?.fy[row] ?? 0 };
    return { x: x?.[row] ?? null, ...place, figures, text: [...name, ...lines].join('\n') };
  });
}

/** A quantile, which is interpolated between two values, as d3 and R do by default. */
function quantile(sorted: readonly number[], part: number): number {
  const place = (sorted.length - 1) * part;
  const [low, high] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return low + (high - low) * (place - Math.floor(place));
}

function shown(value: number): string {
  return new Intl.NumberFormat('en', { maximumSignificantDigits: 5 }).format(value);
}
