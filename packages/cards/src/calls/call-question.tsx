import { useRef, useState, type KeyboardEvent, type ReactElement } from 'react';
import type { Translate } from '../messages/translate.ts';
import { useLanguage } from '../messages/provider.tsx';
import { ReadyProvider, useAnswering, useReadingTime } from '../parts/use-attention.ts';
import { oneLine, printable } from '../text/printable.ts';
import type { CallActions, CallDecision, CallRule, ScriptCall } from './call.ts';
import { CallContent } from './call-details.tsx';

/** What a run waits for: a person's yes or no to one call, or the outcome of one call. */
export function CallQuestion({
  call,
  script,
  before,
  more,
  onDecide,
}: {
  call: ScriptCall;
  script: string | undefined;
  /** How many calls the script has made before. */
  before: number;
  /** How many other calls wait. */
  more: number;
} & CallActions): ReactElement {
  const { t } = useLanguage();
  const question = useRef<HTMLDivElement>(null);
  const isRead = useReadingTime(question, call.id);
  const [sent, setSent] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const { id, tool, state, rule } = call;
  const name = oneLine(tool);
  const decide = async (decision: CallDecision): Promise<void> => {
    setSent(id);
    setProblem(undefined);
    try {
      await onDecide?.(id, decision);
    } catch (error) {
      setSent(undefined);
      setProblem(oneLine(error instanceof Error ? error.message : String(error)));
    }
  };
  return (
    <div
      ref={question}
      role="group"
      className="ms-call-question"
      aria-label={t('callQuestion', { name })}
      onKeyDownCapture={refuseHeld}
    >
      <div className="ms-call-ask">
        <p className="ms-message-title">{t(state === 'unknown' ? 'callUnknownQuestion' : 'callQuestion', { name })}</p>
        {more > 0 && <span className="ms-note">{t('consentQueue', { count: more })}</span>}
      </div>
      <p className="ms-note">{before === 0 ? t('callsBeforeNone') : t('callsBefore', { count: before })}</p>
      <CallContent call={call} script={script} />
      {rule !== undefined && <p className="ms-note">{coverageOf(rule, t)}</p>}
      {problem !== undefined && <p className="ms-problem">{problem}</p>}
      {onDecide !== undefined && (
        <ReadyProvider value={isRead && sent !== id}>
          {state === 'unknown' ? (
            <Outcomes onAnswer={decide} />
          ) : (
            <Answers remembers={rule !== undefined} onAnswer={decide} />
          )}
        </ReadyProvider>
      )}
    </div>
  );
}

interface AnswersProps {
  onAnswer: (decision: CallDecision) => Promise<void>;
}

function Answers({ remembers, onAnswer }: AnswersProps & { remembers: boolean }): ReactElement {
  const { t } = useLanguage();
  const answering = useAnswering();
  const say = (decision: CallDecision): object => answering(() => void onAnswer(decision));
  return (
    <div className="ms-dialog-actions">
      <button className="ms-button" data-safe {...say('deny')}>
        {t('deny')}
      </button>
      <span className="ms-spacer" />
      {remembers && (
        <>
          <button className="ms-button" {...say('allow-always')}>
            {t('callAllowAlways')}
          </button>
          <button className="ms-button" {...say('allow-run')}>
            {t('callAllowRun')}
          </button>
        </>
      )}
      <button className="ms-button ms-primary" {...say('allow')}>
        {t('callAllow')}
      </button>
    </div>
  );
}

function Outcomes({ onAnswer }: AnswersProps): ReactElement {
  const { t } = useLanguage();
  const answering = useAnswering();
  return (
    <div className="ms-dialog-actions">
      <button className="ms-button" data-safe {...answering(() => void onAnswer('not-done'))}>
        {t('callNotDone')}
      </button>
      <span className="ms-spacer" />
      <button className="ms-button" {...answering(() => void onAnswer('try-again'))}>
        {t('callTryAgain')}
      </button>
    </div>
  );
}

/** A key that is held down must not answer the next question as well. */
function refuseHeld(event: KeyboardEvent): void {
  const isAnswer = (event.key === 'Enter' || event.key === ' ') && event.target instanceof HTMLButtonElement;
  if (isAnswer && event.repeat) event.preventDefault();
}

function coverageOf({ where }: CallRule, t: Translate): string {
  if (where === undefined) return t('callCoversSame');
  const fields = Object.entries(where).map(
    ([path, value]) => `${oneLine(path)} = ${printable(JSON.stringify(value) ?? '')}`,
  );
  return fields.length === 0 ? t('callCoversAny') : t('callCoversFields', { fields: fields.join(', ') });
}
