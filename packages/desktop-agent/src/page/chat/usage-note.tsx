import type { ReactElement } from 'react';
import type { Usage } from '../../shared/contract/index.ts';
import { texts } from '../words/texts.ts';

/** The usage of an answer in a few words. A pointer and a screen reader get the details. */
export function UsageNote({ usage }: { usage: Usage }): ReactElement | null {
  // If the server gave no numbers, there is nothing to show.
  if (usage.untold === usage.requests) return null;
  return (
    <span className="ma-quiet ma-usage" title={texts.usageWords(usage)}>
      <span aria-hidden>{texts.usage(usage)}</span>
      <span className="ms-visually-hidden">{texts.usageWords(usage)}</span>
    </span>
  );
}
