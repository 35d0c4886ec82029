import type { Palette } from '@mustard-sandbox/charts';

/** Of `tokens.css`: a drawing follows the theme without being made anew. */
const token = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `var(--_${name}-${index + 1})`);

export const seriesColors = token('series', 20);
export const rampColors = token('ramp', 7);
export const palette: Palette = { series: seriesColors, ramp: rampColors };
