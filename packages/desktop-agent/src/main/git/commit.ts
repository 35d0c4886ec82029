import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import git from 'isomorphic-git';
import { AgentError } from '../../contract/index.ts';
import { authorOf } from './author.ts';
import { writeIndex, type IndexChanges } from './index-entries.ts';
import { headOf, type Head, type Repository } from './repository.ts';
import { statusOf, type Status } from './status.ts';
import { editTree, emptyTree, treeOf, type TreeFile } from './trees.ts';

/**
 * Writes a commit on top of HEAD, with some files changed. HEAD does not move: nobody sees it yet.
 *
 * @returns `null` when nothing would change, unless that is wanted, too
 */
export async function writeCommit(
  repository: Repository,
  head: Head,
  files: ReadonlyMap<string, TreeFile | null>,
  message: string,
  evenIfSame = false,
): Promise<string | null> {
  const before = await treeOf(repository, head.commit);
  const after = (await editTree(repository, before, files)) ?? emptyTree;
  if (after === (before ?? emptyTree) && !evenIfSame) return null;
  if (after === emptyTree) await git.writeTree({ ...repository.base, tree: [] });
  const author = await authorOf(repository);
  const now = Math.floor(Date.now() / 1000);
  const person = { ...author, timestamp: now, timezoneOffset: new Date().getTimezoneOffset() };
  const parent = head.commit === null ? [] : [head.commit];
  // Git keeps line ends of a message as `\n`, and one at the end.
  const text = `${message.replaceAll(/\r\n?/g, '\n').trim()}\n`;
  const commit = { tree: after, parent, author: person, committer: person, message: text };
  return git.writeCommit({ ...repository.base, commit });
}

/**
 * Makes a commit what HEAD names. The caller holds the lock of the index.
 *
 * @throws {AgentError} `changed` when HEAD is not any more what the commit was written for
 */
export async function moveHead(repository: Repository, from: Head, commit: string): Promise<void> {
  const now = await headOf(repository);
  if (now.ref !== from.ref || now.commit !== from.commit) {
    throw new AgentError('changed', 'Someone made a commit in this app meanwhile. Nothing was changed: try again.');
  }
  const { files, gitdir, base } = repository;
  if (from.ref === null) await files.write(join(gitdir, 'HEAD'), `${commit}\n`);
  else await git.writeRef({ ...base, ref: from.ref, value: commit, force: true });
}

/** The changes of an index for files that stand in the app as they are committed. */
export async function indexChangesOf(
  { app }: Repository,
  files: ReadonlyMap<string, TreeFile | null>,
): Promise<IndexChanges> {
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

/** What the person has changed, in a commit that nothing names yet: it comes to be with the change that follows, or not. */
export interface OwnChanges {
  head: Head;
  /** What HEAD would be with it. */
  tip: Head;
  /** `null` when there is nothing. */
  commit: string | null;
  files: ReadonlyMap<string, TreeFile | null>;
  /** For a person, what was left alone and why. */
  notes: string[];
}

/**
 * Only what git tracks or would track; see `statusOf` for what is left alone.
 *
 * @param only of these files
 */
export async function ownChanges(
  repository: Repository,
  { only, message }: { only?: ReadonlySet<string>; message?: string } = {},
): Promise<OwnChanges> {
  const head = await headOf(repository);
  const status = await statusOf(repository, { write: true, only });
  const { changed: files } = status;
  const text = message ?? `Changes made by hand - ${files.size} file(s)`;
  const commit = files.size === 0 ? null : await writeCommit(repository, head, files, text);
  return { head, tip: { ref: head.ref, commit: commit ?? head.commit }, commit, files, notes: notesOf(status) };
}

/** Commits what the person has changed, by itself. The caller is the writer of the app. */
export async function commitOwnChanges(
  repository: Repository,
  message?: string,
): Promise<{ commit: string | null; notes: string[] }> {
  return withIndexLock(repository, async () => {
    const { head, commit, files, notes } = await ownChanges(repository, message === undefined ? {} : { message });
    if (files.size > 0) await writeIndex(repository, await indexChangesOf(repository, files));
    if (commit !== null) await moveHead(repository, head, commit);
    return { commit, notes };
  });
}

function notesOf({ leftAlone, droppedPatterns }: Status): string[] {
  return [
    ...leftAlone.map(({ path, why }) => `${path} was not committed: ${why}.`),
    ...droppedPatterns.map(
      (line) => `The line ${JSON.stringify(line.slice(0, 100))} of a .gitignore is not followed: it has too many "**".`,
    ),
  ];
}
