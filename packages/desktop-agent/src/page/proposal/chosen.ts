// The parts of a proposal that the person leaves out. They are shared, so that the chat and the panel show the same.
import type { Choice, FileDiff, Proposal } from '../../shared/contract/index.ts';
import { hasParts } from '../diff/choosing.ts';
import { createStore, useStore, type Store } from '../state/store.ts';

interface Left {
  hunks: readonly number[] | 'all';
  /** The shape of all hunks. When the file is edited, the numbers mean other hunks. */
  shape: string;
}

export interface Chosen {
  /** What is left out, for each file that is not chosen as a whole. */
  left: Readonly<Record<string, Left>>;
  /** Whether packages are left out. */
  isWithoutPackages: boolean;
  /** The file with an open editor, whose text is not saved yet. */
  editing: string | undefined;
}

const stores = new Map<string, Store<Chosen>>();

export function chosenOf(messageId: string): Store<Chosen> {
  const store =
    stores.get(messageId) ?? createStore<Chosen>({ left: {}, isWithoutPackages: false, editing: undefined });
  stores.set(messageId, store);
  return store;
}

export function useChosen(messageId: string): Chosen {
  return useStore(chosenOf(messageId), (chosen) => chosen);
}

/** The hunks of a file that are left out. */
export function leftOf(file: FileDiff, { left }: Chosen): readonly number[] | 'all' {
  const of = left[file.path];
  if (of === undefined) return [];
  if (of.hunks === 'all') return 'all';
  if (of.shape !== shapeOf(file)) return [];
  const isAll = of.hunks.length > 0 && of.hunks.length === file.hunks.length && file.change !== 'renamed';
  return isAll ? 'all' : of.hunks;
}

export function toggleFile(store: Store<Chosen>, file: FileDiff): void {
  leave(store, file, leftOf(file, store.get()).length === 0 ? 'all' : []);
}

export function toggleHunk(store: Store<Chosen>, file: FileDiff, index: number): void {
  const of = leftOf(file, store.get());
  const before: readonly number[] = of === 'all' ? [...file.hunks.keys()] : of;
  leave(store, file, before.includes(index) ? before.filter((one) => one !== index) : [...before, index]);
}

function leave(store: Store<Chosen>, file: FileDiff, hunks: Left['hunks']): void {
  store.set({ left: { ...store.get().left, [file.path]: { hunks, shape: shapeOf(file) } } });
}

function shapeOf({ hunks }: FileDiff): string {
  return hunks.map(({ oldStart, newStart, lines }) => `${oldStart} ${newStart} ${lines.length}`).join(',');
}

/** The approved part for the server; `undefined` for all of it. */
export function choiceOf({ files, dependencies }: Proposal, chosen: Chosen): Choice | undefined {
  const lefts = files.map((file) => leftOf(file, chosen));
  const isWithoutPackages = chosen.isWithoutPackages && dependencies.length > 0;
  if (!isWithoutPackages && lefts.every((of) => of.length === 0)) return undefined;
  return {
    files: files.flatMap((file, at) => {
      const of = lefts[at] ?? [];
      if (of === 'all') return [];
      const kept = [...file.hunks.keys()].filter((index) => !of.includes(index));
      return [{ path: file.path, ...(of.length > 0 && hasParts(file) && { hunks: kept }) }];
    }),
    dependencies: !isWithoutPackages,
  };
}
