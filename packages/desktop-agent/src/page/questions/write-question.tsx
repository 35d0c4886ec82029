import { oneLine, QuestionAnswers, QuestionDialog } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { Answer, FileDiff } from '../../shared/contract/index.ts';
import { DiffView } from '../diff/diff-view.tsx';
import { texts } from '../words/texts.ts';

/** What a write tool of the model would change, as a diff. */
export function WriteQuestion({
  title,
  files,
  into,
  asker,
  onAnswer,
}: {
  title: string;
  files: readonly FileDiff[];
  into: 'workspace' | undefined;
  asker: string | undefined;
  onAnswer: (answer: Answer) => void;
}): ReactElement {
  // There, only files that run by themselves are asked about, and each time.
  const answers =
    into === undefined
      ? { deny: texts.writeDeny, always: texts.writeAlways, once: texts.writeOnce }
      : { deny: texts.writeIntoDeny, once: texts.writeIntoOnce };
  return (
    <QuestionDialog
      title={into === undefined ? texts.writeTitle : texts.writeIntoTitle}
      asker={asker}
      description={oneLine(title)}
      interrupts
      onEscape={() => onAnswer('deny')}
      actions={<QuestionAnswers {...answers} onAnswer={onAnswer} />}
    >
      <div className="ma-question-diff">
        <DiffView files={files} />
      </div>
    </QuestionDialog>
  );
}
