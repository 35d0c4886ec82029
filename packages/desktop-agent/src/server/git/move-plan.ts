// What going from one tree to another does to the files of a repository. Runs in a worker thread.
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import git from 'isomorphic-git';
import { AgentError } from '../../shared/contract/index.ts';
import { AppFiles, changedSince, hashOf } from '../changes/app-files.ts';
import { authorOf } from './author.ts';
import { blobOf } from './blobs.ts';
import { findOwnChanges, type OwnChanges } from './commit-files.ts';
import { openRepository, type Head, type Repository } from './repository.ts';
import { compareTrees, treeOf, type TreeFile } from './trees.ts';

const maxFiles = 20_000;

export interface MovePlan {
  steps: readonly { path: string; put: { bytes: Uint8Array; executable: boolean } | null; base: string | null }[];
  /** Files that stand in the way: git does not know them, so they would be lost. */
  inTheWay: string[];
}

/** What the person has changed in the files that are other ones in a second tree, in a commit that nothing names yet. */
export async function ownChangesTowards(root: string, head: Head, tree: string | null): Promise<OwnChanges> {
  const repository = await openRepository(root);
  const changes = await compareTrees(repository, await treeOf(repository, head.commit), tree);
  return await findOwnChanges(root, { only: new Set(changes.keys()) });
}

/** The tree of a whole commit. */
export async function treeOfCommit(root: string, commit: string): Promise<string | null> {
  return await treeOf(await openRepository(root), commit);
}

/**
 * @param from the commit whose files are there
 * @throws {AgentError} `denied` for links and nested repositories; `changed` when a file is not as it is committed;
 *   `limit_exceeded`
 */
export async function planMove(root: string, from: string | null, tree: string | null): Promise<MovePlan> {
  const repository = await openRepository(root);
  const changes = await compareTrees(repository, await treeOf(repository, from), tree);
  if (changes.size > maxFiles) {
    const what = `This changes ${changes.size} files, and at most ${maxFiles} are changed here.`;
    throw new AgentError('limit_exceeded', `${what} Use git in a terminal. Nothing was changed.`);
  }
  const files = new AppFiles(repository.app, { own: true });
  const steps: MovePlan['steps'][number][] = [];
  const inTheWay: string[] = [];
  for (const [path, { before, after }] of changes) {
    const then = await contentOf(repository, path, after);
    const put = then === null ? null : { bytes: then, executable: after?.mode === 0o100755 };
    if (before === undefined && isFile(join(repository.app, path))) inTheWay.push(path);
    else steps.push({ path, put, base: await baseOf(repository, files, path, before) });
  }
  return { steps, inTheWay: inTheWay.sort() };
}

/** The hash of a file as it lies on the disk, where lines may end otherwise than in the commit. */
async function baseOf(
  repository: Repository,
  files: AppFiles,
  path: string,
  before: TreeFile | undefined,
): Promise<string | null> {
  const committed = await contentOf(repository, path, before);
  if (committed === null) return null;
  const now = files.read(path);
  if (now === null || !(await blobOf(repository, now.bytes)).equals(committed)) throw changedSince(path);
  return now.hash ?? hashOf(now.bytes);
}

function isFile(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isDirectory();
}

async function contentOf(repository: Repository, path: string, file: TreeFile | undefined): Promise<Buffer | null> {
  if (file === undefined) return null;
  if (file.mode === 0o120000 || file.mode === 0o160000) {
    const what = file.mode === 0o120000 ? 'a link' : 'another repository';
    throw new AgentError(
      'denied',
      `${path} is ${what} on one of the two sides. Do this with git itself. Nothing was changed.`,
    );
  }
  return await repository.objects.read(file.oid, 'blob');
}

/** Writes a commit with two parents. Nothing names it yet. */
export async function writeMerge(
  root: string,
  { tree, parents, message }: { tree: string; parents: readonly string[]; message: string },
): Promise<string> {
  const repository = await openRepository(root);
  const now = Math.floor(Date.now() / 1000);
  const person = { ...(await authorOf(repository)), timestamp: now, timezoneOffset: new Date().getTimezoneOffset() };
  const commit = { tree, parent: [...parents], author: person, committer: person, message: `${message}\n` };
  return await git.writeCommit({ ...repository.base, commit });
}
