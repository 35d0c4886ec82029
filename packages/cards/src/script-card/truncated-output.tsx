import { useState, type ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { OutputView } from '../output/output-view.tsx';
import type { ResultRecord } from '../run/run.ts';
import type { ScriptCardActions } from './actions.ts';

/** How much of a result is kept, in bytes. */
const keptBytes = 1024 * 1024;

type Full = { state: 'no' | 'loading' | 'failed' } | { state: 'shown'; text: string };

/** A result that was cut for the model, with a way to the whole text. */
export function TruncatedOutput({
  record: { result },
  loadFullOutput,
}: {
  record: ResultRecord;
  loadFullOutput: ScriptCardActions['loadFullOutput'] | undefined;
}): ReactElement {
  const { t, format } = useLanguage();
  const [full, setFull] = useState<Full>({ state: 'no' });
  const { text, fullOutput, totalBytes = 0, shownBytes = 0 } = result;
  const isCut = totalBytes > keptBytes;
  const [size, total] = format.bytesApart(Math.min(totalBytes, keptBytes), totalBytes);
  const [shown, all] = format.bytesApart(shownBytes, totalBytes);
  const load = (): void => {
    if (fullOutput === undefined || loadFullOutput === undefined) return;
    setFull({ state: 'loading' });
    loadFullOutput(fullOutput).then(
      (text) => setFull({ state: 'shown', text }),
      () => setFull({ state: 'failed' }),
    );
  };
  const isFull = full.state === 'shown';
  return (
    <div className="ms-truncated">
      <div className="ms-strip">
        <span>
          {isFull
            ? t(isCut ? 'showingFirst' : 'showingAll', { size, total })
            : totalBytes > 0 && t('llmSaw', { shown, total: all })}
        </span>
        {fullOutput !== undefined && loadFullOutput !== undefined && (
          <button
            type="button"
            className="ms-button"
            disabled={full.state === 'loading'}
            onClick={isFull ? () => setFull({ state: 'no' }) : load}
          >
            {isFull
              ? t('showSeen')
              : full.state === 'loading'
                ? t('loading')
                : t(isCut ? 'showFirst' : 'showAll', { size })}
          </button>
        )}
      </div>
      {full.state === 'failed' && (
        <p className="ms-problem" role="alert">
          {t('loadFailed')}. {t('fullGone')}
        </p>
      )}
      <OutputView key={full.state === 'shown' ? 'full' : 'seen'} text={isFull ? full.text : text} />
    </div>
  );
}
