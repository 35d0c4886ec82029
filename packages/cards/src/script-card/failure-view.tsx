import type { ReactElement } from 'react';
import type { MessageKey } from '../messages/messages.ts';
import { useLanguage } from '../messages/provider.tsx';
import { Code } from '../parts/code.tsx';
import { Printed } from '../parts/printed.tsx';
import { oneLine } from '../text/printable.ts';
import { isWholeScript, statusOf, type ErrorRecord } from '../run/run.ts';
import { Retry } from './retry.tsx';
import type { ScriptCardActions } from './actions.ts';
import { Spent } from './spent.tsx';

const linesAround = 2;
const maxLinesShown = 12;

const crashReasons: Record<string, MessageKey> = {
  out_of_memory: 'crashOutOfMemory',
  stack_overflow: 'crashStackOverflow',
  abort: 'crashAbort',
  killed: 'crashKilled',
};

/** Why there is no output: what happened, where, and what the person can do now. */
export function FailureView({ record, ...actions }: { record: ErrorRecord } & ScriptCardActions): ReactElement {
  const { t } = useLanguage();
  const { error } = record;
  return (
    <div className="ms-failure">
      <Reason record={record} />
      {error.location !== undefined && !isWholeScript(record) && (
        <FailedLines script={record.script} location={error.location} />
      )}
      <Retry {...actions} />
      {error.text !== '' && (
        <details className="ms-disclosure">
          <summary>{t('whatModelGot')}</summary>
          <pre className="ms-pre" dir="ltr" tabIndex={0} role="group" aria-label={t('whatModelGot')}>
            <Printed text={error.text} />
          </pre>
        </details>
      )}
    </div>
  );
}

function Reason({ record }: { record: ErrorRecord }): ReactElement {
  const { t, format } = useLanguage();
  const { error } = record;
  const status = statusOf(record);
  if (status === 'timeout') {
    const time = format.duration(error.limit?.value ?? record.stats.durationMs);
    return (
      <div className="ms-message">
        <p className="ms-message-title">{t('timeoutHeading', { time })}</p>
        <p>{t(error.spent === undefined ? 'timeoutWhyUnknown' : 'timeoutWhy')}</p>
        {error.spent !== undefined && <Spent spent={error.spent} />}
      </div>
    );
  }
  if (status === 'stopped') {
    return (
      <div className="ms-message">
        <p className="ms-message-title">{t('stoppedHeading')}</p>
        <p>{t('stoppedWhy')}</p>
      </div>
    );
  }
  if (status === 'crashed') {
    const reason = crashReasons[error.reason ?? ''];
    return (
      <div className="ms-message">
        <p className="ms-message-title">{t('crashHeading')}</p>
        <p>
          {reason === undefined ? <Printed text={error.message} /> : t(reason)} {t('crashSafe')}
        </p>
      </div>
    );
  }
  return (
    <div className="ms-message">
      <p className="ms-message-title ms-wrap">
        <Printed text={error.message} />
      </p>
    </div>
  );
}

function FailedLines({
  script,
  location: { line, endLine, precision, functionName },
}: {
  script: string;
  location: NonNullable<ErrorRecord['error']['location']>;
}): ReactElement {
  const { t } = useLanguage();
  const where =
    precision === 'statement' || line === endLine
      ? t('errorAt', { line })
      : functionName === undefined
        ? t('errorBetween', { from: line, to: endLine })
        : t('errorInFunction', { name: oneLine(functionName), from: line, to: endLine });
  const last = Math.min(endLine + linesAround, line + maxLinesShown);
  return (
    <div className="ms-failed-lines">
      <p className="ms-note">{where}</p>
      <Code script={script} label={where} marked={[line, endLine]} lines={[line - linesAround, last]} />
    </div>
  );
}
