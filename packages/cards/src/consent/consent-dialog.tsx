import { useSyncExternalStore, type ReactElement } from 'react';
import type { ConsentAnswer, ConsentRequest } from '@mustard-sandbox/agent-tool';
import { useLanguage } from '../messages/provider.tsx';
import { QuestionAnswers } from '../parts/answers.tsx';
import { Code } from '../parts/code.tsx';
import { QuestionDialog } from '../parts/dialog.tsx';
import { Printed } from '../parts/printed.tsx';
import { findHidden, oneLine } from '../text/printable.ts';
import type { ConsentQueue } from './consent-queue.ts';

/** Properties of `ConsentDialog`. */
export interface ConsentDialogProps {
  queue: ConsentQueue;
}

/** Asks a person about the oldest question of the queue; nothing where there is none. Escape denies. */
export function ConsentDialog({ queue }: ConsentDialogProps): ReactElement | null {
  const pending = useSyncExternalStore(queue.subscribe, queue.getSnapshot, queue.getSnapshot);
  const [first] = pending;
  if (first === undefined) return null;
  const { id, request, place } = first;
  return (
    <Question
      key={id}
      request={request}
      place={place}
      count={pending.length}
      onAnswer={(answer) => queue.answer(id, answer)}
    />
  );
}

function Question({
  request,
  place,
  count,
  onAnswer,
}: {
  request: ConsentRequest;
  place: string | undefined;
  count: number;
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
      badge={count > 1 ? t('consentQueue', { count: count - 1 }) : undefined}
      interrupts
      onEscape={() => onAnswer('deny')}
      actions={<QuestionAnswers deny={t('deny')} always={t('allowAlways')} once={t('allowOnce')} onAnswer={onAnswer} />}
    >
      {hostFunction === undefined ? <Reach request={request} /> : <Arguments args={request.args ?? []} />}
      <WholeScript script={request.script} />
      <p className="ms-note">
        {hostFunction === undefined
          ? t('allowAlwaysNote')
          : t('allowAlwaysFunctionNote', { name: oneLine(hostFunction) })}
      </p>
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
