import type { ReactElement } from 'react';
import type { FileDiff } from '../../contract/index.ts';
import { texts } from '../words/texts.ts';

/** `+12 −3`, in words for a screen reader. */
export function Counts({ files }: { files: readonly Pick<FileDiff, 'added' | 'removed'>[] }): ReactElement {
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return (
    <span className="ma-counts" dir="ltr" role="img" aria-label={texts.diffCounts(added, removed)}>
      <span className="ma-added">+{added}</span> <span className="ma-removed">−{removed}</span>
    </span>
  );
}
