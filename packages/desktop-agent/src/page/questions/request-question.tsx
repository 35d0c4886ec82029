import { oneLine, QuestionAnswers, QuestionDialog } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { Answer, Question } from '../../shared/contract/index.ts';
import { texts } from '../words/texts.ts';

/** A request with many tokens, and what it would cost. */
export function RequestQuestion({
  question: { model, tokens, contextWindow, cost },
  asker,
  onAnswer,
}: {
  question: Extract<Question, { kind: 'request' }>;
  asker: string | undefined;
  onAnswer: (answer: Answer) => void;
}): ReactElement {
  const isTooLarge = contextWindow !== null && tokens > contextWindow;
  return (
    <QuestionDialog
      title={texts.requestTitle}
      asker={asker}
      description={texts.requestBody(oneLine(model))}
      interrupts
      onEscape={() => onAnswer('deny')}
      actions={
        <QuestionAnswers
          deny={texts.requestDeny}
          // The person is asked each time about a request that does not fit.
          {...(!isTooLarge && { always: texts.allowAlways })}
          once={texts.requestOnce}
          onAnswer={onAnswer}
        />
      }
    >
      <p className="ma-strong">{texts.requestTokens(tokens)}</p>
      {cost !== null && <p>{texts.requestCost(cost)}</p>}
      {isTooLarge && <p>{texts.requestWindow(contextWindow)}</p>}
      <p className="ms-note">{texts.requestAdvice}</p>
    </QuestionDialog>
  );
}
