import { oneLine, QuestionAnswers, QuestionDialog } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { Answer, FileDiff } from '../../contract/index.ts';
import { DiffView } from '../diff/diff-view.tsx';
import { texts } from '../words/texts.ts';

/** What a write tool of the model would change, as a diff. */
export function WriteQuestion({
  title,
  files,
  place,
  onAnswer,
}: {
  title: string;
  files: readonly FileDiff[];
  place: string | undefined;
  onAnswer: (answer: Answer) => void;
}): ReactElement {
  return (
    <QuestionDialog
      title={texts.writeTitle}
      place={place}
      description={oneLine(title)}
      interrupts
      onEscape={() => onAnswer('deny')}
      actions={
        <QuestionAnswers deny={texts.writeDeny} always={texts.writeAlways} once={texts.writeOnce} onAnswer={onAnswer} />
      }
    >
      <div className="ma-question-diff">
        <DiffView files={files} />
      </div>
    </QuestionDialog>
  );
}
