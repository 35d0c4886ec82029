import type { ReactElement } from 'react';
import type { FileDiff } from '../../shared/contract/index.ts';

/** What a person may do with a diff that is not applied yet. */
export interface Choosing {
  stateOf(file: FileDiff): 'all' | 'some' | 'none';
  hasHunk(file: FileDiff, index: number): boolean;
  toggleFile(file: FileDiff): void;
  toggleHunk(file: FileDiff, index: number): void;
  /** Opens an editor in place of the lines; `undefined` when the file cannot be edited. */
  edit: ((file: FileDiff) => void) | undefined;
  /** The editor of a file, while it is open. */
  editor(file: FileDiff): ReactElement | undefined;
}

/** Whether the hunks of a file can be chosen one by one. They cannot if the file is deleted or not shown as a whole. */
export function hasParts({ hunks, hidden, change }: FileDiff): boolean {
  if (hidden !== undefined || change === 'deleted') return false;
  return hunks.length > 1 || (change === 'renamed' && hunks.length > 0);
}

/** Whether the file will have lines that can be edited. */
export function isEditable({ change, hidden }: FileDiff): boolean {
  return change !== 'deleted' && hidden !== 'binary';
}
