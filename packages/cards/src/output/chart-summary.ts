import type { AxisFacts, ChartFacts } from '@mustard-sandbox/charts';
import type { Format } from '../messages/format.ts';
import type { MessageKey } from '../messages/messages.ts';
import type { Translate } from '../messages/translate.ts';

const types: Record<ChartFacts['type'], MessageKey> = {
  line: 'chartLine',
  area: 'chartArea',
  bar: 'chartBar',
  scatter: 'chartScatter',
  histogram: 'chartHistogram',
  heatmap: 'chartHeatmap',
  box: 'chartBox',
};

/** What a chart shows, in words: its type, how many points it has, and what each of its columns ranges over. */
export function summaryOf({ type, points, axes }: ChartFacts, t: Translate, format: Format): string {
  const rangeOf = ({ label, bounds, names }: AxisFacts): string => {
    if (names !== undefined) return t('chartNames', { name: label, count: names.length });
    if (bounds === undefined) return label;
    const [from, to] = 'from' in bounds ? [bounds.from, bounds.to] : [bounds.min, bounds.max].map(format.number);
    return t('chartRange', { name: label, from: from as string, to: to as string });
  };
  return [t(types[type]), t('points', { count: points }), ...axes.map(rangeOf)].join(' · ');
}
