import type { Chart } from '@mustard-sandbox/charts';
import { lazy, Suspense, type ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { LoadBoundary } from '../parts/load-boundary.tsx';

// The library that draws is loaded with the first chart that is shown.
const ChartFigure = lazy(() => import('./chart-figure.tsx'));

/**
 * A chart with its legend and, behind it, its data as a table.
 *
 * @param source the text of a chart that was kept, which is checked, or a chart
 * @param isPlain what is around it shows the data as a table
 */
export function ChartView({ source, isPlain = false }: { source: string | Chart; isPlain?: boolean }): ReactElement {
  const { t } = useLanguage();
  return (
    <LoadBoundary fallback={<p className="ms-note">{t('plotFailed')}</p>}>
      <Suspense fallback={<div className="ms-chart-space" aria-busy="true" />}>
        <ChartFigure source={source} isPlain={isPlain} />
      </Suspense>
    </LoadBoundary>
  );
}
