import { AgentError, type Version } from '../../shared/contract/index.ts';
import { transact, type Step } from '../changes/transaction.ts';
import { withApp, type WriteOptions } from '../changes/writing.ts';
import { inWorker } from '../worker/index.ts';
import { writingMs } from './commit.ts';
import type { Reversal, ReversalKind } from './reversal.ts';
import { readVersionCommit, versionOf } from './versions.ts';

/**
 * Makes a new commit with the files of an old one. What the person had changed is committed before, and nothing is lost:
 * all commits stay.
 *
 * @throws {AgentError} `not_found`, and as `applyPlan`
 */
export async function revertToVersion(appPath: string, commit: string, options: WriteOptions = {}): Promise<Version> {
  return reverse(appPath, commit, 'revert', options);
}

/**
 * Takes back what one commit changed, by a new commit.
 *
 * @throws {AgentError} `not_found`, `changed` when a file is not any more what the commit made of it, and as `applyPlan`
 */
export async function undoCommit(appPath: string, commit: string, options: WriteOptions = {}): Promise<Version> {
  return reverse(appPath, commit, 'undo', options);
}

/**
 * Does again what was taken back, by a new commit. @param commit the one that `undoCommit` made
 *
 * @throws {AgentError} as `undoCommit`
 */
export async function redoCommit(appPath: string, commit: string, options: WriteOptions = {}): Promise<Version> {
  return reverse(appPath, commit, 'redo', options);
}

async function reverse(appPath: string, commit: string, kind: ReversalKind, options: WriteOptions): Promise<Version> {
  const { version } = await withApp(appPath, options, async ({ repository }) => {
    const { before, steps, message } = await inWorker('planReversal', [repository.app, commit, kind], {
      timeoutMs: writingMs,
    });
    const made = await transact(repository, { steps: steps.map(withBuffer), message, own: true, before });
    const oid = made.commit ?? before.tip.commit;
    if (oid === null) throw new AgentError('internal', 'The commit was not made.');
    return { ...made, version: versionOf(await readVersionCommit(repository, oid)) };
  });
  return version;
}

/** From a worker thread a buffer comes as plain bytes. */
function withBuffer({ put, ...step }: Reversal['steps'][number]): Step {
  if (put === null) return { ...step, put };
  const { buffer, byteOffset, byteLength } = put.bytes;
  return { ...step, put: { ...put, bytes: Buffer.from(buffer, byteOffset, byteLength) } };
}
