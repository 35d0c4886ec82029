import { Icon, oneLine } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { FileDiff } from '../../contract/index.ts';
import { texts } from '../words/texts.ts';

/** The path of a file, and where it was when it is renamed. */
export function nameOf({ path, from }: FileDiff): string {
  return oneLine(from === undefined ? path : texts.renamedFrom(from, path));
}

/** A letter, as git has it, with the word for who does not see it. */
export function Change({ change }: { change: FileDiff['change'] }): ReactElement {
  const word = texts.changes[change];
  return (
    <span className="ma-change" data-change={change} role="img" aria-label={word} title={word}>
      {change === 'renamed' ? <Icon name="file" /> : word[0]?.toUpperCase()}
    </span>
  );
}
