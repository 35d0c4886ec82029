import { Icon } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { Part } from '../../shared/contract/index.ts';
import { texts } from '../words/texts.ts';
import { Markdown } from './markdown.tsx';

/** The folded summary that the model gets in place of the messages before. */
export function Summary({
  part: { text, messages, before, after },
  isStreaming,
}: {
  part: Extract<Part, { type: 'summary' }>;
  isStreaming: boolean;
}): ReactElement | null {
  if (text === '') {
    return !isStreaming ? null : (
      <p className="ma-quiet ma-with-icon">
        <span className="ma-pulse" />
        {texts.summaryNow(messages)}
      </p>
    );
  }
  return (
    <details className="ma-reasoning ma-summary">
      <summary>
        <Icon name="chevron" />
        {texts.summary(messages, before, after)}
      </summary>
      <p className="ma-quiet">{texts.summaryHint}</p>
      <Markdown text={text} isStreaming={false} />
    </details>
  );
}
