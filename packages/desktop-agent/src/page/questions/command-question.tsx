import { Printed, QuestionAnswers, QuestionDialog } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { Answer } from '../../shared/contract/index.ts';
import { texts } from '../words/texts.ts';

/** A whole shell command, with invisible characters shown. */
export function CommandQuestion({
  command,
  domains,
  asker,
  onAnswer,
}: {
  command: string;
  /** What it would reach by the network. */
  domains: readonly string[];
  asker: string | undefined;
  onAnswer: (answer: Answer) => void;
}): ReactElement {
  return (
    <QuestionDialog
      title={texts.commandTitle}
      asker={asker}
      description={texts.commandBody}
      interrupts
      onEscape={() => onAnswer('deny')}
      actions={
        <QuestionAnswers deny={texts.deny} always={texts.allowAlways} once={texts.allowOnce} onAnswer={onAnswer} />
      }
    >
      <pre className="ma-pre ma-question-text" dir="ltr" tabIndex={0} role="group" aria-label={texts.commandTitle}>
        <Printed text={command} />
      </pre>
      <p className="ms-note ma-question-network">{texts.commandNetwork(domains)}</p>
    </QuestionDialog>
  );
}
