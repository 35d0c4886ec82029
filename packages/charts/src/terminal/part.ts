import type { Chart } from '@mustard-sandbox/protocol/chart';
import type { Points } from '../draw/points.ts';

/** One facet of a chart, or the whole chart if it has none, to be drawn in characters. */
export interface Part {
  chart: Chart;
  points: Points;
  /** How many characters a line may have, and how many rows of dots there are. */
  columns: number;
  rows: number;
  seriesAt: (row: number) => number;
  /** Colours a text for a series, if there are colours. */
  paint: (text: string, series: number) => string;
}

export function numberText(value: number): string {
  const notation = Math.abs(value) >= 1e6 ? 'compact' : 'standard';
  return new Intl.NumberFormat('en', { notation, maximumSignificantDigits: 6 }).format(value);
}
