import { useEffect, useRef, useState, useSyncExternalStore, type ReactElement } from 'react';
import type { ConsentAnswer, ConsentRequest } from '@mustard-sandbox/agent-tool';
import { useLanguage } from '../messages/provider.tsx';
import { Code } from '../parts/code.tsx';
import { QuestionDialog } from '../parts/dialog.tsx';
import { Printed } from '../parts/printed.tsx';
import { findHidden, oneLine } from '../text/printable.ts';
import type { ConsentQueue } from './consent-queue.ts';

/** Properties of `ConsentDialog`. */
export interface ConsentDialogProps {
  queue: ConsentQueue;
}

/** A double click on one question must not answer the next one, which nobody has read. In ms. */
const readingTime = 500;

/** Asks a person about the oldest question of the queue; nothing where there is none. Escape denies. */
export function ConsentDialog({ queue }: ConsentDialogProps): ReactElement | null {
  const pending = useSyncExternalStore(queue.subscribe, queue.getSnapshot, queue.getSnapshot);
  const opener = useRef<Element | null>(null);
  const [first] = pending;
  if (first === undefined) {
    opener.current = null;
    return null;
  }
  // From before the first question, however many follow it.
  opener.current ??= document.activeElement;
  const { id, request, place } = first;
  return (
    <Question
      key={id}
      request={request}
      place={place}
      count={pending.length}
      returnTo={opener.current}
      onAnswer={(answer) => queue.answer(id, answer)}
    />
  );
}

function Question({
  request,
  place,
  count,
  returnTo,
  onAnswer,
}: {
  request: ConsentRequest;
  place: string | undefined;
  count: number;
  returnTo: Element | null;
  onAnswer: (answer: ConsentAnswer) => void;
}): ReactElement {
  const { t } = useLanguage();
  const { hostFunction, description } = request;
  const title =
    hostFunction === undefined ? t('consentTitle') : t('consentHostFunctionTitle', { name: oneLine(hostFunction) });
  return (
    <QuestionDialog
      title={title}
      place={place}
      description={description === undefined ? undefined : oneLine(description)}
      badge={count > 1 ? t('consentQueue', { index: 1, count }) : undefined}
      onEscape={() => onAnswer('deny')}
      returnTo={returnTo}
    >
      {hostFunction === undefined ? <Reach request={request} /> : <Arguments args={request.args ?? []} />}
      <WholeScript script={request.script} />
      <p className="ms-note">
        {hostFunction === undefined
          ? t('allowAlwaysNote')
          : t('allowAlwaysFunctionNote', { name: oneLine(hostFunction) })}
      </p>
      <Answers onAnswer={onAnswer} />
    </QuestionDialog>
  );
}

function Reach({ request: { files, root } }: { request: ConsentRequest }): ReactElement {
  const { t, format } = useLanguage();
  if (files.length === 0 && root === undefined) return <p>{t('consentNoFiles')}</p>;
  return (
    <div className="ms-dialog-section">
      <p>{t('consentReads')}</p>
      <ul className="ms-file-list" tabIndex={0} aria-label={t('consentReads')}>
        {root !== undefined && <li className="ms-wrap">{t('consentFolder', { folder: oneLine(root) })}</li>}
        {files.map(({ name, size }) => (
          <li key={name}>
            <span className="ms-wrap">{t('consentAttachment', { name: oneLine(name) })}</span>
            <span className="ms-note">{format.bytes(size)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Arguments({ args }: { args: readonly unknown[] }): ReactElement {
  const { t } = useLanguage();
  const text = args.map((arg) => JSON.stringify(arg, undefined, 2) ?? 'undefined').join(',\n');
  return (
    <div className="ms-dialog-section">
      <p>{t('consentHostFunctionNote')}</p>
      <p>{t('consentArguments')}</p>
      <pre className="ms-pre" dir="ltr" tabIndex={0} role="group" aria-label={t('consentArguments')}>
        <Printed text={text} />
      </pre>
    </div>
  );
}

function WholeScript({ script }: { script: string }): ReactElement {
  const { t } = useLanguage();
  const label = t('consentWholeScript', { count: script.split('\n').length });
  const hidden = findHidden(script.replaceAll('\r\n', '\n'));
  return (
    <div className="ms-dialog-section">
      <p>{label}</p>
      {/* Wrapped: what stands past the edge would be run and not be seen. */}
      <Code script={script} label={label} wrap />
      {hidden !== undefined && <p className="ms-problem">{t('consentHidden', hidden)}</p>}
    </div>
  );
}

function Answers({ onAnswer }: { onAnswer: (answer: ConsentAnswer) => void }): ReactElement {
  const { t } = useLanguage();
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), readingTime);
    return () => clearTimeout(timer);
  }, []);
  // Not `disabled`, which could not be focused meanwhile.
  const answering = (answer: ConsentAnswer): object => ({
    type: 'button',
    'aria-disabled': !isReady,
    onClick: () => isReady && onAnswer(answer),
  });
  return (
    <div className="ms-dialog-actions">
      <button className="ms-button" data-safe {...answering('deny')}>
        {t('deny')}
      </button>
      <span className="ms-spacer" />
      <button className="ms-button" {...answering('allow-always')}>
        {t('allowAlways')}
      </button>
      <button className="ms-button ms-primary" {...answering('allow-once')}>
        {t('allowOnce')}
      </button>
    </div>
  );
}
