import { AgentError, type FileDiff, type Version } from '../../shared/contract/index.ts';
import { readCommit, shallowCommits, type Commit } from './commits.ts';
import { explained } from './errors.ts';
import { diffOf, DiffTime } from '../changes/diff.ts';
import { historyOf } from './history.ts';
import { headOf, openRepository, type Repository } from './repository.ts';
import { compareTrees, treeIn, treeOf, type TreeFile } from './trees.ts';

const defaultLimit = 200;
/** The most files of one version. Nobody reads more, and all of them are sent to the page at once. */
const maxShownFiles = 2000;
const maxShownBytes = 20 * 1024 * 1024;

/**
 * The last commits of the branch that changed the app, newest first, and whether there are older ones. `messageId` is always
 * `null`, because only the caller knows it.
 */
export async function listVersions(
  appPath: string,
  { limit = defaultLimit } = {},
): Promise<{ versions: Version[]; more: boolean }> {
  const repository = await openRepository(appPath);
  return explained(async () => {
    const { commit } = await headOf(repository);
    if (commit === null) return { versions: [], more: false };
    const { commits, more } = await historyOf(repository, commit, limit);
    return { versions: commits.map(versionOf), more };
  });
}

/** The given commits in this order. Commits that git has removed, because no branch has them, are left out. */
export async function findVersions(appPath: string, commits: readonly string[]): Promise<Version[]> {
  const repository = await openRepository(appPath);
  const found: Version[] = [];
  for (const oid of new Set(commits)) {
    const read = await readVersionCommit(repository, oid).catch((error: unknown) => {
      if (error instanceof AgentError && error.code === 'not_found') return undefined;
      throw error;
    });
    if (read !== undefined) found.push(versionOf(read));
  }
  return found;
}

/**
 * A commit and what it changed in the app against its first parent. `more` is how many changed files are left out when there
 * are over 2,000 or over 20 MB.
 *
 * @throws {AgentError} `not_found`
 */
export async function readVersion(
  appPath: string,
  commit: string,
): Promise<{ version: Version; files: FileDiff[]; more: number }> {
  const repository = await openRepository(appPath);
  return explained(() => versionWithFiles(repository, commit));
}

async function versionWithFiles(repository: Repository, commit: string): ReturnType<typeof readVersion> {
  const read = await readVersionCommit(repository, commit);
  const isCut = (await shallowCommits(repository)).has(commit);
  const parent = isCut ? undefined : read.parent[0];
  const before = parent === undefined ? null : await treeOf(repository, parent);
  const changes = await compareTrees(repository, before, await treeIn(repository, read));
  const files: FileDiff[] = [];
  let room = maxShownBytes;
  const time = new DiffTime();
  for (const [path, { before: was, after: is }] of [...changes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (files.length === maxShownFiles || room <= 0) break;
    if ((await sizeOf(repository, was)) + (await sizeOf(repository, is)) > maxShownBytes) {
      const change = was === undefined ? 'added' : is === undefined ? 'deleted' : 'changed';
      files.push({ path, change, added: 0, removed: 0, hunks: [], hidden: 'large' });
      continue;
    }
    const [before, after] = [await bytesOf(repository, was), await bytesOf(repository, is)];
    room -= (before?.length ?? 0) + (after?.length ?? 0);
    files.push(diffOf({ path, before, after }, time));
  }
  return { version: versionOf(read), files, more: changes.size - files.length };
}

/** @throws {AgentError} `not_found` */
export async function readVersionCommit(repository: Repository, oid: string): Promise<Commit> {
  try {
    return await readCommit(repository, oid);
  } catch (error) {
    if (!(error instanceof AgentError) || error.code !== 'not_found') throw error;
    throw new AgentError('not_found', `There is no version ${oid.slice(0, 10)} in this app.`, { cause: error });
  }
}

async function sizeOf({ objects }: Repository, file: TreeFile | undefined): Promise<number> {
  return file === undefined || file.mode === 0o160000 ? 0 : objects.sizeOf(file.oid);
}

/** The bytes of a file; `null` when there is none. A link has its target, and another repository its commit. */
async function bytesOf({ objects }: Repository, file: TreeFile | undefined): Promise<Uint8Array | null> {
  if (file === undefined) return null;
  if (file.mode === 0o160000) return Buffer.from(`Subproject commit ${file.oid}\n`);
  return objects.read(file.oid, 'blob');
}

export function versionOf({ oid, message, author, committedAt }: Commit): Version {
  return {
    commit: oid,
    message: message.trim(),
    author,
    at: new Date(committedAt * 1000).toISOString(),
    messageId: null,
  };
}
