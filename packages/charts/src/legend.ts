import type { Chart } from '@mustard-sandbox/protocol/chart';
import { boundsOf } from './facts.ts';
import { namesOf, shownName } from './names.ts';

/** What the colours of a chart stand for: names, or amounts from the first to the last colour of a ramp. */
export type Legend = { label: string; names: string[] } | { label: string; min: number; max: number };

/** `undefined` where all is of one colour. */
export function legendOf({ color }: Chart): Legend | undefined {
  if (color === undefined) return undefined;
  const label = shownName(color.label);
  if (color.scale === 'category') return { label, names: namesOf(color) };
  const [min, max] = boundsOf(color.values) ?? [0, 0];
  return { label, min, max };
}
