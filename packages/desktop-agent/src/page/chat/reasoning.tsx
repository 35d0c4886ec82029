import { Icon, Printed } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import { focusableWhenLong } from '../parts/long-text.tsx';
import { texts } from '../words/texts.ts';

/** The folded reasoning of the model. It is shown as plain text, so tags and markdown in it have no meaning. */
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
