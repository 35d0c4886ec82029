import { factsOf, legendOf, parseChart, tableOf, type Chart } from '@mustard-sandbox/charts';
import { useId, useMemo, useState, type ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { Choice } from '../parts/choice.tsx';
import { Printed } from '../parts/printed.tsx';
import { outputLine } from '../text/printable.ts';
import { ChartDrawing } from './chart-drawing.tsx';
import { ChartLegend } from './chart-legend.tsx';
import { summaryOf } from './chart-summary.ts';
import { TableView } from './table-view.tsx';
import { TextView } from './text-view.tsx';

/** What a file says is a chart, or why it is none. */
export default function ChartFigure({ source, isPlain }: { source: string | Chart; isPlain: boolean }): ReactElement {
  const { t } = useLanguage();
  const read = useMemo(() => readChart(source), [source]);
  if ('chart' in read) return <Figure chart={read.chart} isPlain={isPlain} />;
  return (
    <>
      <p className="ms-problem" role="alert">
        {t('chartFailed')} {outputLine(read.problem)}
      </p>
      <TextView text={read.text} label={t('outputOf')} />
    </>
  );
}

function readChart(source: string | Chart): { chart: Chart } | { problem: string; text: string } {
  if (typeof source !== 'string') return { chart: source };
  try {
    return { chart: parseChart(source) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error), text: source };
  }
}

function Figure({ chart, isPlain }: { chart: Chart; isPlain: boolean }): ReactElement {
  const { t, format } = useLanguage();
  const [view, setView] = useState<'chart' | 'table'>('chart');
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const legend = useMemo(() => legendOf(chart), [chart]);
  const facts = useMemo(() => factsOf(chart), [chart]);
  const summary = summaryOf(facts, t, format);
  const titleId = useId();
  const { title } = facts;
  return (
    <figure className="ms-chart" {...(title !== undefined && { 'aria-labelledby': titleId })}>
      {(title !== undefined || !isPlain) && (
        <div className="ms-chart-head">
          {title !== undefined && (
            <p id={titleId} className="ms-chart-title">
              <Printed text={title} isOutput />
            </p>
          )}
          {!isPlain && (
            <Choice
              label={t('viewAs')}
              options={[
                { value: 'chart', label: t('viewChart') },
                { value: 'table', label: t('viewTable') },
              ]}
              value={view}
              onChange={setView}
            />
          )}
        </div>
      )}
      {view === 'chart' ? (
        <>
          {legend !== undefined && <ChartLegend legend={legend} hidden={hidden} onChange={setHidden} />}
          <ChartDrawing chart={chart} hidden={hidden} label={title === undefined ? summary : `${title}. ${summary}`} />
          <figcaption className="ms-note">{summary}</figcaption>
        </>
      ) : (
        <ChartTable chart={chart} label={title ?? t('viewTable')} />
      )}
    </figure>
  );
}

function ChartTable({ chart, label }: { chart: Chart; label: string }): ReactElement {
  const data = useMemo(() => ({ kind: 'table' as const, ...tableOf(chart) }), [chart]);
  return <TableView data={data} label={label} />;
}
