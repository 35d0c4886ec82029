// Branches of a repository: what there are, new ones, and those that go.
import { join } from 'node:path';
import git from 'isomorphic-git';
import { AgentError, type Branch } from '../../../shared/contract/index.ts';
import { withApp, type WriteOptions } from '../../changes/writing.ts';
import { inWorker } from '../../worker/index.ts';
import { headOf, openRepository, type Repository } from '../repository.ts';
import { chatBranchName, checkBranch, isBranchName, shortName } from './names.ts';

const maxListed = 200;

export interface Branches {
  branches: Branch[];
  /** How many there are beyond those. */
  more: number;
}

/** All but the current one, in the order of their names. Those with names that are not used here are left out. */
export async function listBranches(repository: Repository): Promise<Branches> {
  const { ref } = await headOf(repository);
  const current = ref === null ? null : shortName(ref);
  const names = (await namesOf(repository)).filter((name) => name !== current && isBranchName(name)).sort();
  const branches: { name: string; commit: string }[] = [];
  for (const name of names.slice(0, maxListed)) {
    const commit = await commitOf(repository, name);
    if (commit !== null) branches.push({ name, commit });
  }
  const merged = await inWorker('containedIn', [repository.root, branches.map(({ commit }) => commit)]);
  const listed = branches.map((branch) => ({ ...branch, merged: merged.has(branch.commit) }));
  return { branches: listed, more: Math.max(0, names.length - maxListed) };
}

async function namesOf({ base }: Repository): Promise<string[]> {
  return await git.listBranches(base);
}

/** The commit of a branch; `null` where there is none. */
export async function commitOf({ base }: Repository, name: string): Promise<string | null> {
  const found = await git.resolveRef({ ...base, ref: `refs/heads/${name}` }).catch(() => '');
  return /^[0-9a-f]{40}$/.test(found) ? found : null;
}

/** Makes a branch of the last commit and switches to it. No file changes. @throws {AgentError} `invalid_request`, `busy` */
export async function createBranch(appPath: string, typed: string, options: WriteOptions = {}): Promise<void> {
  const name = checkBranch(typed);
  await changed(appPath, options, (repository) => beginBranch(repository, name));
}

/** The same, with a name that no branch has, and that is none of `taken`. @returns it */
export async function createChatBranch(
  appPath: string,
  title: string,
  { taken = [], ...options }: WriteOptions & { taken?: readonly string[] } = {},
): Promise<string> {
  let name = '';
  await changed(appPath, options, async (repository) => {
    name = chatBranchName(title, new Set([...(await namesOf(repository)), ...taken]));
    await beginBranch(repository, name);
  });
  return name;
}

async function beginBranch(repository: Repository, name: string): Promise<void> {
  const { commit } = await headOf(repository);
  if (commit === null) throw new AgentError('busy', 'There is no commit yet that a branch could begin at.');
  await writeBranch(repository, name, commit);
  await repository.files.write(join(repository.gitdir, 'HEAD'), `ref: refs/heads/${name}\n`);
}

/** @throws {AgentError} `invalid_request` when the name, or one that it would lie in or around, is taken */
async function writeBranch(repository: Repository, name: string, commit: string): Promise<void> {
  const taken = (await namesOf(repository)).find((other) => clash(other, name));
  if (taken !== undefined) {
    const why = taken === name ? 'There is' : `It does not go with`;
    const end = taken === name ? ' already' : '';
    throw new AgentError('invalid_request', `${why} the branch ${taken}${end}. Choose another name.`);
  }
  await git.writeRef({ ...repository.base, ref: `refs/heads/${name}`, value: commit });
}

/** Refs are files, on some disks without regard to case: `a` and `a/b` cannot both be. */
function clash(one: string, other: string): boolean {
  const [a, b] = [`${one.toLowerCase()}/`, `${other.toLowerCase()}/`];
  return a.startsWith(b) || b.startsWith(a);
}

/**
 * Deletes a branch whose commits the current one has.
 *
 * @throws {AgentError} `denied` for others and for the current one; `changed` when it has another commit than was shown
 */
export async function deleteBranch(
  appPath: string,
  { name: typed, commit }: { name: string; commit: string },
  options: WriteOptions = {},
): Promise<void> {
  const name = checkBranch(typed);
  await changed(appPath, options, async (repository) => {
    if ((await headOf(repository)).ref === `refs/heads/${name}`) {
      throw new AgentError('denied', `${name} is the current branch. Switch to another one first.`);
    }
    await requireCommit(repository, name, commit);
    if (!(await inWorker('containedIn', [repository.root, [commit]])).has(commit)) {
      const what = `The current branch does not have all commits of ${name}, so it is not deleted.`;
      throw new AgentError('denied', `${what} Merge it first, or delete it with git in a terminal.`);
    }
    await git.deleteRef({ ...repository.base, ref: `refs/heads/${name}` });
    await removeEmptyFolders(repository, name);
  });
}

/** Of `a/b` the folder `a` would be in the way of a branch `a`. */
async function removeEmptyFolders({ files, gitdir }: Repository, name: string): Promise<void> {
  const folders = name.split('/').slice(0, -1);
  try {
    for (; folders.length > 0; folders.pop()) {
      await files.client.promises.rmdir(join(gitdir, 'refs/heads', ...folders));
    }
  } catch {
    // Other branches are in it.
  }
}

/** Takes `deleteBranch` back. @throws {AgentError} `not_found` when the commit is gone; `invalid_request` for a taken name */
export async function restoreBranch(
  appPath: string,
  { name: typed, commit }: { name: string; commit: string },
  options: WriteOptions = {},
): Promise<void> {
  const name = checkBranch(typed);
  await changed(appPath, options, async (repository) => {
    await inWorker('treeOfCommit', [repository.root, commit]);
    await writeBranch(repository, name, commit);
  });
}

/** @throws {AgentError} `not_found`, `changed` */
export async function requireCommit(repository: Repository, name: string, commit: string): Promise<void> {
  const now = await commitOf(repository, name);
  if (now === null) throw new AgentError('not_found', `There is no branch ${name} any more.`);
  if (now !== commit) throw new AgentError('changed', `${name} has other commits than were shown. Look again.`);
}

async function changed(
  appPath: string,
  options: WriteOptions,
  use: (repository: Repository) => Promise<void>,
): Promise<void> {
  const { root } = await openRepository(appPath);
  await withApp(root, options, async ({ repository }) => {
    await use(repository);
    return { personCommit: null, notes: [] };
  });
}
