import type { ReactElement } from 'react';
import type { Usage } from '../../shared/contract/index.ts';
import { texts } from '../words/texts.ts';

/** What an answer took, in a few words; the whole of it for a pointer and a screen reader. */
export function UsageNote({ usage }: { usage: Usage }): ReactElement | null {
  // Of a server that says nothing there is nothing to say.
  if (usage.untold === usage.requests) return null;
  return (
    <span className="ma-quiet ma-usage" title={texts.usageWords(usage)}>
      <span aria-hidden>{texts.usage(usage)}</span>
      <span className="ms-visually-hidden">{texts.usageWords(usage)}</span>
    </span>
  );
}
