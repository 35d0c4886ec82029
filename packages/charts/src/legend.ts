import type { Chart } from '@mustard-sandbox/protocol/chart';
import { boundsOf } from './facts.ts';
import { namesOf, shownName } from './names.ts';

/** The meaning of the colours of a chart: names, or amounts from the first to the last colour of a ramp. */
export type Legend = { label: string; names: string[] } | { label: string; min: number; max: number };

/** The legend of a chart; `undefined` when it has only one colour. */
export function legendOf({ color }: Chart): Legend | undefined {
  if (color === undefined) return undefined;
  const label = shownName(color.label);
  if (color.scale === 'category') return { label, names: namesOf(color) };
  const [min, max] = boundsOf(color.values) ?? [0, 0];
  return { label, min, max };
}
