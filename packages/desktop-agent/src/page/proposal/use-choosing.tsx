import type { Message, Proposal } from '../../shared/contract/index.ts';
import type { Choosing } from '../diff/choosing.ts';
import { chosenOf, leftOf, toggleFile, toggleHunk, useChosen } from './chosen.ts';
import { ProposedEditor } from './proposed-editor.tsx';

/** What a person may do with the diff of a proposal; `undefined` once it is decided about. */
export function useChoosing(message: Message, proposal: Proposal): Choosing | undefined {
  const chosen = useChosen(message.id);
  const store = chosenOf(message.id);
  if (proposal.files.length === 0 || (proposal.state !== 'pending' && proposal.state !== 'failed')) return undefined;
  return {
    stateOf: (file) => {
      const of = leftOf(file, chosen);
      return of === 'all' ? 'none' : of.length > 0 ? 'some' : 'all';
    },
    hasHunk: (file, index) => {
      const of = leftOf(file, chosen);
      return of !== 'all' && !of.includes(index);
    },
    toggleFile: (file) => toggleFile(store, file),
    toggleHunk: (file, index) => toggleHunk(store, file, index),
    edit: chosen.editing === undefined ? ({ path }) => store.set({ editing: path }) : undefined,
    editor: ({ path }) =>
      path === chosen.editing ? (
        <ProposedEditor message={message} path={path} onClose={() => store.set({ editing: undefined })} />
      ) : undefined,
  };
}
