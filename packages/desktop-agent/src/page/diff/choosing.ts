import type { ReactElement } from 'react';
import type { FileDiff } from '../../shared/contract/index.ts';

/** What a person may do with a diff that is not applied yet. */
export interface Choosing {
  stateOf(file: FileDiff): 'all' | 'some' | 'none';
  hasHunk(file: FileDiff, index: number): boolean;
  toggleFile(file: FileDiff): void;
  toggleHunk(file: FileDiff, index: number): void;
  /** Opens an editor in the place of the lines; `undefined`: this file has none. */
  edit: ((file: FileDiff) => void) | undefined;
  /** The editor of a file, while it is open. */
  editor(file: FileDiff): ReactElement | undefined;
}

/** Whether its hunks can be chosen one by one. Of a file that is not shown whole, or goes, there are no parts. */
export function hasParts({ hunks, hidden, change }: FileDiff): boolean {
  if (hidden !== undefined || change === 'deleted') return false;
  return hunks.length > 1 || (change === 'renamed' && hunks.length > 0);
}

/** Whether there will be lines to edit. */
export function isEditable({ change, hidden }: FileDiff): boolean {
  return change !== 'deleted' && hidden !== 'binary';
}
