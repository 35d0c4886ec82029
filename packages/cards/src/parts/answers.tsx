import type { ConsentAnswer } from '@mustard-sandbox/agent-tool';
import type { ReactElement } from 'react';
import { useAnswering } from './use-attention.ts';

/** Properties of `QuestionAnswers`: the words on each button. */
export interface QuestionAnswersProps {
  deny: string;
  /** Absent when the answer can only hold once. */
  always?: string;
  once: string;
  onAnswer: (answer: ConsentAnswer) => void;
}

/**
 * The `actions` of a question for permission. The safe answer has the focus. No answer is taken before a person can
 * have read the question.
 */
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
