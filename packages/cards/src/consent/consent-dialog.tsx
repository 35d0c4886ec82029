import { useSyncExternalStore, type ReactElement, type ReactNode } from 'react';
import type { ConsentAnswer, ConsentRequest } from '@mustard-sandbox/agent-tool';
import { useLanguage } from '../messages/provider.tsx';
import { QuestionAnswers } from '../parts/answers.tsx';
import { QuestionDialog } from '../parts/dialog.tsx';
import { oneLine } from '../text/printable.ts';
import { alwaysNoteOf, Asked, isAboutScript, titleOf } from './asked.tsx';
import type { ConsentQueue } from './consent-queue.ts';

/** Properties of `ConsentDialog`. */
export interface ConsentDialogProps {
  queue: ConsentQueue;
  /** Shown above the question about a script, such as `FirstRunStrip`. In the page it would be behind the dialog. */
  notice?: ReactNode;
}

/** Asks a person the oldest question of the queue. It renders nothing when there is none. Escape denies. */
export function ConsentDialog({ queue, notice }: ConsentDialogProps): ReactElement | null {
  const pending = useSyncExternalStore(queue.subscribe, queue.getSnapshot, queue.getSnapshot);
  const [first] = pending;
  if (first === undefined) return null;
  const { id, request, asker } = first;
  return (
    <Question
      key={id}
      request={request}
      asker={asker}
      count={pending.length}
      notice={notice}
      onAnswer={(answer) => queue.answer(id, answer)}
    />
  );
}

function Question({
  request,
  asker,
  count,
  notice,
  onAnswer,
}: {
  request: ConsentRequest;
  asker: string | undefined;
  count: number;
  notice: ReactNode;
  onAnswer: (answer: ConsentAnswer) => void;
}): ReactElement {
  const { t } = useLanguage();
  const { description } = request;
  return (
    <QuestionDialog
      title={titleOf(request, t)}
      asker={asker}
      description={description === undefined ? undefined : oneLine(description)}
      badge={count > 1 ? t('consentQueue', { count: count - 1 }) : undefined}
      interrupts
      onEscape={() => onAnswer('deny')}
      actions={<QuestionAnswers deny={t('deny')} always={t('allowAlways')} once={t('allowOnce')} onAnswer={onAnswer} />}
    >
      {isAboutScript(request) && notice}
      <Asked request={request} />
      <p className="ms-note">{alwaysNoteOf(request, t)}</p>
    </QuestionDialog>
  );
}
