import { AgentError } from '../../shared/contract/index.ts';
import { transact, type Step } from '../changes/transaction.ts';
import { inWorker } from '../worker/index.ts';
import { writingMs } from './commit.ts';
import type { OwnChanges } from './commit-files.ts';
import type { MovePlan } from './move-plan.ts';
import type { Head, Repository } from './repository.ts';

export interface Move {
  /** What the person has changed in the same files, which is committed first. */
  before: OwnChanges;
  commit: string;
  /** Whose files come. */
  tree: string | null;
  /** The branch that HEAD names then; the current one may go back by this, too. Default: the current one, which goes on. */
  ref?: string;
  message: string;
}

/**
 * Gives the app the files of another commit, and makes it what HEAD names: all of it or nothing. The caller is the writer of
 * the whole repository.
 *
 * @returns how many files changed
 * @throws {AgentError} `changed` with the names of files that would be lost; `denied`, `limit_exceeded`, and as `transact`
 */
export async function moveTo(repository: Repository, { before, commit, tree, ref, message }: Move): Promise<number> {
  const steps = await refuseLosses(repository, before.tip.commit, tree);
  await transact(repository, {
    steps: steps.map(withBuffer),
    message,
    own: true,
    before,
    commit,
    ...(ref !== undefined && { to: ref }),
  });
  return steps.length;
}

/**
 * What goes from the files of a commit to a tree, for whoever wants to know before they do anything else.
 *
 * @throws {AgentError} as `moveTo`
 */
export async function refuseLosses(
  { root }: Repository,
  from: string | null,
  tree: string | null,
): Promise<MovePlan['steps']> {
  const { steps, inTheWay } = await inWorker('planMove', [root, from, tree], { timeoutMs: writingMs });
  if (inTheWay.length > 0) throw wouldBeLost(inTheWay);
  return steps;
}

/** Nothing of the person's is committed before. */
export function untouched(head: Head): OwnChanges {
  return { head, tip: head, commit: null, files: new Map(), notes: [] };
}

function wouldBeLost(paths: readonly string[]): AgentError {
  const named = paths.slice(0, 5).join(', ') + (paths.length > 5 ? ` and ${paths.length - 5} more` : '');
  const what = `${named} would be overwritten, and git does not know ${paths.length === 1 ? 'it' : 'them'}.`;
  return new AgentError(
    'changed',
    `${what} Nothing was changed: move ${paths.length === 1 ? 'it' : 'them'} away first.`,
  );
}

/** From a worker thread a buffer comes as plain bytes. */
function withBuffer({ put, ...step }: MovePlan['steps'][number]): Step {
  if (put === null) return { ...step, put };
  const { buffer, byteOffset, byteLength } = put.bytes;
  return { ...step, put: { ...put, bytes: Buffer.from(buffer, byteOffset, byteLength) } };
}
