import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import git from 'isomorphic-git';
import { AgentError } from '../../shared/contract/index.ts';
import type { CommitOptions, Files, OwnChanges, WhichChanges } from './commit-files.ts';
import { inWorker } from '../worker/index.ts';
import type { IndexChanges } from './index-entries.ts';
import { headOf, type Head, type Repository } from './repository.ts';

/** The first commit of a large folder compresses and writes each of its files. */
export const writingMs = 10 * 60_000;

/**
 * Writes a commit on top of HEAD, with some files changed. HEAD does not move: nobody sees it yet.
 *
 * @returns `null` when nothing would change, unless that is wanted, too
 */
export async function writeCommit(
  { app }: Repository,
  head: Head,
  files: Files,
  options: CommitOptions,
): Promise<string | null> {
  return await inWorker('commitFiles', [app, head, files, options], { timeoutMs: writingMs });
}

/**
 * Makes a commit what HEAD names. The caller holds the lock of the index.
 *
 * @param to the branch that HEAD names then, if it is another one: it has the commit already
 * @throws {AgentError} `changed` when HEAD is not any more what the commit was written for
 */
export async function moveHead(
  repository: Repository,
  from: Head,
  commit: string,
  to: string | null = from.ref,
): Promise<void> {
  const now = await headOf(repository);
  if (now.ref !== from.ref || now.commit !== from.commit) {
    throw new AgentError('changed', 'Someone made a commit in this app meanwhile. Nothing was changed: try again.');
  }
  const { files, gitdir, base } = repository;
  if (to !== null && to !== from.ref) await files.write(join(gitdir, 'HEAD'), `ref: ${to}\n`);
  else if (from.ref === null) await files.write(join(gitdir, 'HEAD'), `${commit}\n`);
  else await git.writeRef({ ...base, ref: from.ref, value: commit, force: true });
}

/** The changes of an index for files that stand in the app as they are committed. */
export async function indexChangesOf({ app }: Repository, files: Files): Promise<IndexChanges> {
  const changes = new Map<string, { oid: string; mode: number; stats: Awaited<ReturnType<typeof statsOf>> } | null>();
  for (const [path, file] of files) {
    changes.set(path, file === null ? null : { ...file, stats: await statsOf(join(app, path)) });
  }
  return changes;
}

async function statsOf(path: string): Promise<import('node:fs').BigIntStats | undefined> {
  return lstat(path, { bigint: true }).catch(() => undefined);
}

/** Runs `use` while no other git can write the index. */
export async function withIndexLock<T>({ files }: Repository, use: () => Promise<T>): Promise<T> {
  const unlock = await files.lockIndex();
  try {
    return await use();
  } finally {
    await unlock();
  }
}

/** Only what git tracks or would track; see `statusOf` for what is left alone. */
export async function ownChanges({ app }: Repository, which: WhichChanges = {}): Promise<OwnChanges> {
  return await inWorker('findOwnChanges', [app, which], { timeoutMs: writingMs });
}

/** Commits what the person has changed, by itself. The caller is the writer of the app. */
export async function commitOwnChanges(
  repository: Repository,
  message?: string,
): Promise<{ commit: string | null; notes: string[] }> {
  return withIndexLock(repository, async () => {
    const { head, commit, files, notes } = await ownChanges(repository, message === undefined ? {} : { message });
    if (files.size > 0) await inWorker('writeIndex', [repository.app, await indexChangesOf(repository, files)]);
    if (commit !== null) await moveHead(repository, head, commit);
    return { commit, notes };
  });
}
