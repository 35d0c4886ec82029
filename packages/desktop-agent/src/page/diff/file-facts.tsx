import { Icon, oneLine } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { FileDiff } from '../../shared/contract/index.ts';
import { texts } from '../words/texts.ts';

/** The path of a file, and the old path of a renamed file. */
export function nameOf({ path, from }: FileDiff): string {
  return oneLine(from === undefined ? path : texts.renamedFrom(from, path));
}

/** The letter for a change that git uses, with a word for a screen reader. */
export function Change({ change }: { change: FileDiff['change'] }): ReactElement {
  const word = texts.changes[change];
  return (
    <span className="ma-change" data-change={change} role="img" aria-label={word} title={word}>
      {change === 'renamed' ? <Icon name="file" /> : word[0]?.toUpperCase()}
    </span>
  );
}

/** The numbers of lines, such as `+12 −3`, in words for a screen reader. */
export function Counts({ files }: { files: readonly Pick<FileDiff, 'added' | 'removed'>[] }): ReactElement {
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return (
    <span className="ma-counts" dir="ltr" role="img" aria-label={texts.diffCounts(added, removed)}>
      <span className="ma-added">+{added}</span> <span className="ma-removed">−{removed}</span>
    </span>
  );
}
