import type { ConsentAnswer } from '@mustard-sandbox/agent-tool';
import type { ReactElement } from 'react';
import { useAnswering } from './use-attention.ts';

/** Properties of `QuestionAnswers`: the words on each button. */
export interface QuestionAnswersProps {
  deny: string;
  /** Absent where the answer holds once only. */
  always?: string;
  once: string;
  onAnswer: (answer: ConsentAnswer) => void;
}

/** The `actions` of a question for permission: the safe answer has the focus. None is taken before it can have been read. */
export function QuestionAnswers({ deny, always, once, onAnswer }: QuestionAnswersProps): ReactElement {
  const answering = useAnswering();
  return (
    <div className="ms-dialog-actions">
      <button className="ms-button" data-safe {...answering(() => onAnswer('deny'))}>
        {deny}
      </button>
      <span className="ms-spacer" />
      {always !== undefined && (
        <button className="ms-button" {...answering(() => onAnswer('allow-always'))}>
          {always}
        </button>
      )}
      <button className="ms-button ms-primary" {...answering(() => onAnswer('allow-once'))}>
        {once}
      </button>
    </div>
  );
}
