import type { ScriptRecord } from '@mustard-sandbox/agent-tool';
import type { ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { OutputView } from '../output/output-view.tsx';
import { hasError, hasResult, isLive, outputOf, type DeniedRecord, type ResultRecord, type Run } from '../run/run.ts';
import { isUnderWay } from '../run/states.ts';
import { FailureView } from './failure-view.tsx';
import type { ScriptCardActions } from './actions.ts';
import { SavedCharts } from './saved-charts.tsx';
import { SavedFiles } from './saved-files.tsx';
import { TruncatedOutput } from './truncated-output.tsx';

/** The output, or why there is none. */
export function OutputTab({ run, ...actions }: { run: Run } & ScriptCardActions): ReactElement {
  const { t } = useLanguage();
  if (isLive(run)) {
    const isAsked = run.status === 'waiting' && run.begun !== true;
    const key = isAsked ? 'waitingBody' : isUnderWay(run.status) ? 'outputSoFar' : 'noRecord';
    return <p className="ms-note">{t(key)}</p>;
  }
  return (
    <>
      <SavedCharts record={run} {...actions} />
      <SavedFiles record={run} {...actions} />
      <Ended run={run} {...actions} />
    </>
  );
}

function Ended({ run, ...actions }: { run: ScriptRecord } & ScriptCardActions): ReactElement | null {
  if (hasError(run)) return <FailureView record={run} {...actions} />;
  if (hasResult(run)) return <Result record={run} {...actions} />;
  return <Denied record={run} {...actions} />;
}

function Result({ record, loadFullOutput }: { record: ResultRecord } & ScriptCardActions): ReactElement | null {
  const { t } = useLanguage();
  const output = outputOf(record);
  if (record.result.truncated) return <TruncatedOutput record={record} loadFullOutput={loadFullOutput} />;
  if (isKeptFile(record, output)) return null;
  if (output !== '') return <OutputView text={output} />;
  return (
    <div className="ms-message">
      <p className="ms-message-title">{t('noOutput')}</p>
      <p>{t('noOutputWhy')}</p>
    </div>
  );
}

/** What `save` and `chart` answer is what stands above it already. */
function isKeptFile({ outputs = [] }: ResultRecord, output: string): boolean {
  return outputs.some(({ name, size }) => output === JSON.stringify({ name, size }));
}

function Denied({
  record: { denied },
  onManageScripts,
}: { record: DeniedRecord } & Pick<ScriptCardActions, 'onManageScripts'>): ReactElement {
  const { t } = useLanguage();
  const title = { user: 'deniedByUser', settings: 'deniedBySettings', error: 'deniedByError' } as const;
  return (
    <div className="ms-message">
      <p className="ms-message-title">{t(title[denied.by])}</p>
      <p>
        {t('deniedWhy')} {denied.by === 'settings' && t('allowInSettings')}
      </p>
      {denied.by !== 'user' && onManageScripts !== undefined && (
        <button type="button" className="ms-button" onClick={onManageScripts}>
          {t('manageScripts')}
        </button>
      )}
    </div>
  );
}
