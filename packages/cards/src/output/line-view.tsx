import { Component, lazy, Suspense, type ReactElement, type ReactNode } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import type { LineData } from './data.ts';

// The library for plots is loaded with the first line that is shown.
const LinePlot = lazy(() => import('./line-plot.tsx'));

/** Numbers over time as a line. Its figures are also there as text, for people who cannot see it. */
export function LineView({ data, label }: { data: LineData; label: string }): ReactElement {
  const { t } = useLanguage();
  return (
    <figure className="ms-line">
      <PlotBoundary fallback={<p className="ms-note">{t('plotFailed')}</p>}>
        <Suspense fallback={<div className="ms-line-plot" aria-busy="true" />}>
          <LinePlot data={data} />
        </Suspense>
      </PlotBoundary>
      <figcaption className="ms-note">
        {data.series.map((one) => (
          <LineSummary key={one.name} name={one.name || label} values={one.values} times={data.times} />
        ))}
      </figcaption>
    </figure>
  );
}

function LineSummary({
  name,
  values,
  times,
}: {
  name: string;
  values: readonly (number | null)[];
  times: readonly number[];
}): ReactElement {
  const { t, format } = useLanguage();
  const numbers = values.filter((value) => value !== null);
  const bound = (pick: (a: number, b: number) => number): string =>
    numbers.length === 0 ? '–' : format.number(numbers.reduce((a, b) => pick(a, b)));
  const day = (seconds: number | undefined): string => new Date((seconds ?? 0) * 1000).toISOString().slice(0, 16);
  return (
    <span>
      {t('lineSummary', {
        name,
        points: t('points', { count: times.length }),
        from: day(times[0]).replace('T', ' '),
        to: day(times.at(-1)).replace('T', ' '),
        min: bound(Math.min),
        max: bound(Math.max),
      })}
    </span>
  );
}

/** Loading may fail: the page may have no network, or be older than the file that it asks for. */
class PlotBoundary extends Component<{ fallback: ReactNode; children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };
  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }
  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
