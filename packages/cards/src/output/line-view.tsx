import type { Chart } from '@mustard-sandbox/charts';
import { useMemo, type ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { ChartView } from './chart-view.tsx';
import type { LineData } from './data.ts';

/** Numbers over time as a line. */
export function LineView({ data, name }: { data: LineData; name: string }): ReactElement {
  const { t } = useLanguage();
  const time = t('chartTime');
  const chart = useMemo(() => chartOf(data, { name, time }), [data, name, time]);
  return <ChartView source={chart} isPlain />;
}

/** @param words what numbers and times are called that have no name */
function chartOf({ label, times, series }: LineData, words: { name: string; time: string }): Chart {
  const only = series.length === 1 ? series[0] : undefined;
  const repeated = series.flatMap(() => times.map((seconds) => seconds * 1000));
  return {
    version: 1,
    type: 'line',
    x: { label: label || words.time, scale: 'time', values: repeated },
    y: { label: only?.name || words.name, scale: 'linear', values: series.flatMap(({ values }) => values) },
    ...(only === undefined && {
      color: { label: words.name, scale: 'category', values: series.flatMap((one) => times.map(() => one.name)) },
    }),
  };
}
