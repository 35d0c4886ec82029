import { QuestionDialog } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import { texts } from '../words/texts.ts';
import { Button } from './controls.tsx';

/** A question with several answers. The safe one has the focus, and Escape gives it. */
export function Confirm({
  title,
  body,
  safe = texts.cancel,
  answers,
  onSafe,
}: {
  title: string;
  body: string;
  safe?: string;
  answers: readonly { label: string; kind?: 'primary' | 'danger'; run: () => void }[];
  onSafe: () => void;
}): ReactElement {
  const buttons = (
    <div className="ms-dialog-actions">
      <Button data-safe onClick={onSafe}>
        {safe}
      </Button>
      <span className="ms-spacer" />
      {answers.map(({ label, kind, run }) => (
        <Button key={label} {...(kind && { kind })} onClick={run}>
          {label}
        </Button>
      ))}
    </div>
  );
  return <QuestionDialog title={title} description={body} onEscape={onSafe} actions={buttons} />;
}
