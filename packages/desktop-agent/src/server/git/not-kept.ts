import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import git from 'isomorphic-git';
import { blobOf, isFiltered } from './blobs.ts';
import { ignoredBy } from './ignored.ts';
import { readIndex } from './index-entries.ts';
import { openRepository, type Repository } from './repository.ts';
import { maxFileBytes } from './status.ts';
import type { TreeFile } from './trees.ts';

/** Which of some files no commit would have, because git ignores, skips or filters them, or because they are too large. */
export async function notKept(repository: Repository, paths: readonly string[]): Promise<string[]> {
  const isIgnored = await ignoredBy(repository);
  const tracked = new Map((await readIndex(repository)).map((entry) => [entry.path, entry]));
  const found: string[] = [];
  for (const path of paths) {
    const entry = tracked.get(path);
    const isLeft = entry === undefined ? isIgnored(path) : entry.flags.assumeValid || entry.flags.skipWorktree === true;
    if (isLeft || isFiltered(repository, path) || (await lstat(join(repository.app, path))).size > maxFileBytes)
      found.push(path);
  }
  return found;
}

/** Whether a change of these files leaves nothing for a commit: git ignores all of them. */
export async function ignoresAll(appPath: string, paths: readonly string[]): Promise<boolean> {
  const repository = await openRepository(appPath);
  const isIgnored = await ignoredBy(repository);
  const tracked = new Set((await readIndex(repository)).map(({ path }) => path));
  return paths.every((path) => isIgnored(path) && !tracked.has(path));
}

/** Whether a file of a commit has this content. */
export async function isContentOf(repository: Repository, file: TreeFile | undefined, bytes: Buffer): Promise<boolean> {
  if (file === undefined) return false;
  return (await git.hashBlob({ object: await blobOf(repository, bytes) })).oid === file.oid;
}
