import { AgentError, type Joined } from '../../../shared/contract/index.ts';
import { withApp, type WriteOptions } from '../../changes/writing.ts';
import { inWorker } from '../../worker/index.ts';
import { writingMs } from '../commit.ts';
import type { OwnChanges } from '../commit-files.ts';
import { moveTo, untouched } from '../move.ts';
import { forget, headOf, openRepository, type Head, type Repository } from '../repository.ts';
import { mergeCommits, type Merge } from './merge-trees.ts';
import { takeObjects } from './objects.ts';
import { Scratch, type ScratchOptions } from './scratch.ts';

export interface JoinWish {
  /** HEAD, as the person has seen it. `null`: whatever it is. */
  ours: string | null;
  theirs: string;
  message: string;
  /** Says why the other side is not any more what was shown. Called as the writer. */
  check: (repository: Repository) => Promise<void>;
}

/**
 * Joins a commit that is there with the current branch: it goes on to that commit, or to a merge of both. All or nothing.
 * What the person has changed in the same files is committed first. Of a package the whole repository is joined.
 *
 * @throws {AgentError} `changed` when HEAD is not what was shown, or files would be lost; `busy` without a branch; `denied`,
 *   `not_found`, `limit_exceeded`
 */
export async function join(appPath: string, wish: JoinWish, options: ScratchOptions & WriteOptions): Promise<Joined> {
  const { root } = await openRepository(appPath);
  const { joined } = await withApp(root, options, async ({ repository }) => {
    const head = await headOf(repository);
    if (head.ref === null || head.commit === null) {
      throw new AgentError(
        'busy',
        'HEAD is on no branch with a commit, so there is nothing to join with. Switch to one first.',
      );
    }
    if (wish.ours !== null && wish.ours !== head.commit) {
      throw new AgentError('changed', 'This branch has other commits than those that were shown. Look again.');
    }
    await wish.check(repository);
    await using scratch = await Scratch.make(repository, options);
    return await joinHere(repository, scratch, { ...head, commit: head.commit }, wish);
  });
  return joined;
}

type Made = { joined: Joined; personCommit: string | null; notes: string[] };

async function joinHere(
  repository: Repository,
  scratch: Scratch,
  head: Head & { commit: string },
  { theirs, message }: JoinWish,
): Promise<Made> {
  const { root } = repository;
  const nothing = (joined: Joined): Made => ({ joined, personCommit: null, notes: [] });
  const first = await mergeCommits(scratch, head.commit, theirs);
  if (first.kind === 'up-to-date') return nothing({ outcome: 'up-to-date' });
  if (first.kind === 'conflicts') return nothing({ outcome: 'conflicts', files: first.files });
  const tree = await treeFor(repository, scratch, first, theirs);
  const own = await inWorker('ownChangesTowards', [root, head, tree], { timeoutMs: writingMs });
  // What the person has changed is a side of its own.
  const before: OwnChanges = own.commit === null ? untouched(head) : own;
  const tip = before.tip.commit ?? head.commit;
  const merge = own.commit === null ? first : await mergeCommits(scratch, tip, theirs);
  if (merge.kind === 'conflicts') return nothing({ outcome: 'conflicts', files: merge.files });
  const merged = merge.kind === 'merged' ? await treeFor(repository, scratch, merge, theirs) : tree;
  const commit =
    merge.kind === 'merged' && merged !== null
      ? await inWorker('writeMerge', [root, { tree: merged, parents: [tip, theirs], message }])
      : theirs;
  const files = await moveTo(repository, { before, commit, tree: merged, message });
  const joined: Joined = { outcome: 'joined', commit, before: tip, merged: merge.kind === 'merged', files };
  return { joined, personCommit: before.commit, notes: before.notes };
}

/** @returns the tree of both, whose objects are in the repository */
async function treeFor(repository: Repository, scratch: Scratch, merge: Merge, theirs: string): Promise<string | null> {
  if (merge.kind !== 'merged') return await inWorker('treeOfCommit', [repository.root, theirs]);
  await takeObjects(repository, scratch);
  forget(repository);
  return merge.tree;
}
