import { oneLine, Printed, QuestionAnswers, QuestionDialog } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { Answer } from '../../shared/contract/index.ts';
import { texts } from '../words/texts.ts';

/** The whole command by which the preview starts an app, and the folder in which it runs. */
export function DevScriptQuestion({
  command,
  folder,
  asker,
  onAnswer,
}: {
  command: string;
  folder: string;
  asker: string | undefined;
  onAnswer: (answer: Answer) => void;
}): ReactElement {
  return (
    <QuestionDialog
      title={texts.devScriptTitle}
      asker={asker}
      description={texts.devScriptBody(oneLine(folder))}
      interrupts
      onEscape={() => onAnswer('deny')}
      actions={
        <QuestionAnswers
          deny={texts.deny}
          always={texts.devScriptAlways}
          once={texts.devScriptOnce}
          onAnswer={onAnswer}
        />
      }
    >
      <pre className="ma-pre ma-question-text" dir="ltr" tabIndex={0} role="group" aria-label={texts.devScriptTitle}>
        <Printed text={command} />
      </pre>
    </QuestionDialog>
  );
}
