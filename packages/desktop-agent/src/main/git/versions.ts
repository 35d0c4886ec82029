import git, { type ReadCommitResult } from 'isomorphic-git';
import { AgentError, type FileDiff, type Version } from '../../contract/index.ts';
import { explained } from './errors.ts';
import { diffOf } from '../../changes/diff.ts';
import { headOf, openRepository, type Repository } from './repository.ts';
import { compareTrees, treeOf, type TreeFile } from './trees.ts';

const defaultLimit = 200;
/** Of one version. Nobody reads more, and all of it goes to the page at once. */
const maxShownFiles = 2000;
const maxShownBytes = 20 * 1024 * 1024;

/** The last commits of the branch, newest first. `messageId` is always `null`: the caller knows it. */
export async function listVersions(appPath: string, { limit = defaultLimit } = {}): Promise<Version[]> {
  const repository = await openRepository(appPath);
  return explained(async () => {
    const { commit } = await headOf(repository);
    if (commit === null) return [];
    const commits = await git.log({ ...repository.base, ref: commit, depth: limit });
    return commits.map(versionOf);
  });
}

/** Some commits, in this order, without those that are gone: git may have removed what no branch has any more. */
export async function findVersions(appPath: string, commits: readonly string[]): Promise<Version[]> {
  const repository = await openRepository(appPath);
  const found: Version[] = [];
  for (const oid of new Set(commits)) {
    const read = await readCommit(repository, oid).catch((error: unknown) => {
      if (error instanceof AgentError && error.code === 'not_found') return undefined;
      throw error;
    });
    if (read !== undefined) found.push(versionOf(read));
  }
  return found;
}

/**
 * A commit and what it changed against its first parent. `more`: how many changed files are left out, when there are over
 * 2,000 or over 20 MB of them.
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
  const read = await readCommit(repository, commit);
  const parent = read.commit.parent[0];
  const before = parent === undefined ? null : await treeOf(repository, parent);
  const changes = await compareTrees(repository, before, read.commit.tree);
  const files: FileDiff[] = [];
  let room = maxShownBytes;
  for (const [path, { before: was, after: is }] of [...changes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (files.length === maxShownFiles || room <= 0) break;
    const [before, after] = [await bytesOf(repository, was), await bytesOf(repository, is)];
    room -= (before?.length ?? 0) + (after?.length ?? 0);
    files.push(diffOf({ path, before, after }));
  }
  return { version: versionOf(read), files, more: changes.size - files.length };
}

/** @throws {AgentError} `not_found` */
export async function readCommit({ base }: Repository, oid: string): Promise<ReadCommitResult> {
  try {
    return await git.readCommit({ ...base, oid });
  } catch (error) {
    if (!(error instanceof git.Errors.NotFoundError) && !(error instanceof git.Errors.ObjectTypeError)) throw error;
    throw new AgentError('not_found', `There is no version ${oid.slice(0, 10)} in this app.`, { cause: error });
  }
}

/** `null` where there is nothing; a link by its target, another repository by its commit. */
async function bytesOf(repository: Repository, file: TreeFile | undefined): Promise<Uint8Array | null> {
  if (file === undefined) return null;
  if (file.mode === 0o160000) return Buffer.from(`Subproject commit ${file.oid}\n`);
  return readBlob(repository, file.oid);
}

export async function readBlob({ base }: Repository, oid: string): Promise<Uint8Array> {
  return (await git.readBlob({ ...base, oid })).blob;
}

export function versionOf({ oid, commit }: ReadCommitResult): Version {
  return {
    commit: oid,
    message: commit.message.trim(),
    author: commit.author.name,
    at: new Date(commit.committer.timestamp * 1000).toISOString(),
    messageId: null,
  };
}
