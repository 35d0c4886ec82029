import type { ScriptRecord } from '@mustard-sandbox/agent-tool';
import { isChartName } from '@mustard-sandbox/protocol/builtins';
import { useEffect, useState, type ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { ChartView } from '../output/chart-view.tsx';
import { oneLine } from '../text/printable.ts';
import type { ScriptCardActions } from './actions.ts';

/** More than this in one card would bury its output; the others are among the files. */
const mostShown = 12;

/** The charts that a script has kept, where the host can read them. */
export function SavedCharts({
  record: { outputs = [] },
  loadOutput,
}: { record: ScriptRecord } & Pick<ScriptCardActions, 'loadOutput'>): ReactElement | null {
  const charts = outputs.filter(({ name }) => isChartName(name)).slice(0, mostShown);
  if (loadOutput === undefined || charts.length === 0) return null;
  return (
    <div className="ms-charts">
      {charts.map(({ name }) => (
        <SavedChart key={name} name={name} loadOutput={loadOutput} />
      ))}
    </div>
  );
}

type Loaded = { state: 'loading' | 'failed' } | { state: 'shown'; text: string };

function SavedChart({
  name,
  loadOutput,
}: {
  name: string;
  loadOutput: NonNullable<ScriptCardActions['loadOutput']>;
}): ReactElement {
  const { t } = useLanguage();
  const [loaded, setLoaded] = useState<Loaded>({ state: 'loading' });
  const [attempt, setAttempt] = useState(1);
  useEffect(() => {
    let isGone = false;
    const settle = (next: Loaded): void => void (isGone || setLoaded(next));
    loadOutput(name).then(
      (text) => settle({ state: 'shown', text }),
      () => settle({ state: 'failed' }),
    );
    return () => void (isGone = true);
    // The host may give another function with each rendering: what counts is the name.
  }, [name, attempt]);
  const retry = (): void => {
    setLoaded({ state: 'loading' });
    setAttempt(attempt + 1);
  };
  if (loaded.state === 'shown') return <ChartView source={loaded.text} />;
  if (loaded.state === 'loading') return <div className="ms-chart-space" aria-busy="true" />;
  return (
    <div className="ms-message" role="alert">
      <p className="ms-message-title">{t('chartGone', { name: oneLine(name) })}</p>
      <p>{t('chartGoneWhy')}</p>
      <button type="button" className="ms-button" onClick={retry}>
        {t('tryAgain')}
      </button>
    </div>
  );
}
