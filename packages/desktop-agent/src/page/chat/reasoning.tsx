import { Icon, Printed } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import { focusableWhenLong } from '../parts/long-text.tsx';
import { texts } from '../words/texts.ts';

/** What the model thought, folded. As text: what looks like a tag or markdown in it means nothing. */
export function Reasoning({ text, isStreaming }: { text: string; isStreaming: boolean }): ReactElement | null {
  if (text.trim() === '' && !isStreaming) return null;
  return (
    <details className="ma-reasoning">
      <summary>
        {isStreaming ? <span className="ma-pulse" /> : <Icon name="chevron" />}
        {isStreaming ? texts.reasoningNow : texts.reasoning}
      </summary>
      <p className="ma-reasoning-text" dir="auto" {...focusableWhenLong(text)}>
        <Printed text={text.trim()} />
      </p>
    </details>
  );
}
