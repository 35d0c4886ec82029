import { useEffect, useState, type ReactElement } from 'react';
import type { Answer } from '../../contract/index.ts';
import { Button } from '../parts/controls.tsx';

/** A double click on one question must not answer the next one, which nobody has read. In ms. */
const readingTime = 500;

/** Deny, always and once, as in the dialog of scripts: the safe one has the focus. */
export function Answers({
  deny,
  always,
  once,
  onAnswer,
}: {
  deny: string;
  /** Absent where the answer holds once only. */
  always?: string;
  once: string;
  onAnswer: (answer: Answer) => void;
}): ReactElement {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), readingTime);
    return () => clearTimeout(timer);
  }, []);
  const answering = (answer: Answer): object => ({
    'aria-disabled': !isReady,
    onClick: () => isReady && onAnswer(answer),
  });
  return (
    <div className="ms-dialog-actions">
      <Button data-safe {...answering('deny')}>
        {deny}
      </Button>
      <span className="ms-spacer" />
      {always !== undefined && <Button {...answering('allow-always')}>{always}</Button>}
      <Button kind="primary" {...answering('allow-once')}>
        {once}
      </Button>
    </div>
  );
}
