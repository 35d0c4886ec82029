import git from 'isomorphic-git';
import { AgentError, type Comparison } from '../../../shared/contract/index.ts';
import { withApp } from '../../changes/writing.ts';
import { checkBranch } from '../branches/names.ts';
import { headOf, openRepository, type Repository } from '../repository.ts';
import type { Address } from './addresses.ts';
import { commitsBetween, countBetween, hasCommit } from './commits-between.ts';
import { takeObjects } from './objects.ts';
import { requireRemote } from './remotes.ts';
import { failureOf } from './said.ts';
import { remoteName, Scratch, type ScratchOptions } from './scratch.ts';

/** What a person has seen of a remote: see `Remote`. */
export interface Agreed {
  remote: string;
  url: string;
  pushUrl: string;
  /** At the remote. */
  branch: string;
}

/**
 * Gets a branch of a server, as `git fetch` does, and compares it with HEAD. Files and branches stay as they are.
 *
 * @throws {AgentError} `changed` when the remote is another one by now; `busy` without a commit; `denied`, `not_found`,
 *   `limit_exceeded` and `internal` with what git said
 */
export async function compareWithRemote(appPath: string, agreed: Agreed, options: ScratchOptions): Promise<Comparison> {
  const branch = checkBranch(agreed.branch);
  const repository = await openRepository(appPath);
  const ours = await committedHead(repository);
  await using scratch = await Scratch.make(repository, options);
  const { address } = await requireRemote(repository, agreed, scratch);
  const before = await trackedCommit(repository, agreed.remote, branch);
  const wasThere = before !== null && (await hasCommit(scratch, before));
  if (wasThere) await scratch.keep('before', before);
  const theirs = await fetchBranch(scratch, address, branch);
  if (theirs !== null) await keepFetched(repository, scratch, { ...agreed, theirs });
  const known = theirs === null ? await trackedCommits(repository, agreed.remote, scratch) : [theirs];
  return {
    ours,
    theirs,
    outgoing: await commitsBetween(scratch, ours, known),
    incoming: theirs === null ? { count: 0, shown: [] } : await commitsBetween(scratch, theirs, [ours]),
    rewritten: wasThere && theirs !== null ? await countBetween(scratch, before, theirs) : 0,
  };
}

/** @throws {AgentError} `busy` */
async function committedHead(repository: Repository): Promise<string> {
  const { ref, commit } = await headOf(repository);
  if (ref !== null && commit !== null) return commit;
  const what = ref === null ? 'HEAD is on no branch' : 'This branch has no commit yet';
  throw new AgentError('busy', `${what}, so there is nothing to push, and nothing to pull into.`);
}

/** @returns `null` when the server has no such branch */
export async function fetchBranch(scratch: Scratch, address: Address, branch: string): Promise<string | null> {
  const flags = [
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    '--no-auto-maintenance',
    '--progress',
  ];
  const refspec = `+refs/heads/${branch}:refs/heads/there`;
  const { code, stderr } = await scratch.talk(['fetch', ...flags, remoteName, refspec], address);
  if (code !== 0) {
    if (/^fatal: couldn't find remote ref refs\/heads\//m.test(stderr)) return null;
    throw failureOf('Fetching from', address.shown, stderr);
  }
  const commit = await scratch.commitOf('there');
  if (/^[0-9a-f]{40}$/.test(commit) && (await hasCommit(scratch, commit))) return commit;
  throw new AgentError('denied', `What ${address.shown} has as the branch ${branch} is no commit.`);
}

/** Under the name that git has for it. */
async function keepFetched(
  { root }: Repository,
  scratch: Scratch,
  { remote, branch, theirs }: Agreed & { theirs: string },
): Promise<void> {
  await withApp(root, {}, async ({ repository }) => {
    await takeObjects(repository, scratch);
    await track(repository, remote, branch, theirs);
    return { personCommit: null, notes: [] };
  });
}

/** @throws as the disk does, such as where `a/b` is to be a ref and `a` is one */
export async function track({ base }: Repository, remote: string, branch: string, commit: string): Promise<void> {
  await git.writeRef({ ...base, ref: `refs/remotes/${remote}/${branch}`, value: commit, force: true });
}

/** What the server's branch was when it was last looked at; `null` for never. */
export async function trackedCommit({ base }: Repository, remote: string, branch: string): Promise<string | null> {
  const found = await git.resolveRef({ ...base, ref: `refs/remotes/${remote}/${branch}` }).catch(() => '');
  return /^[0-9a-f]{40}$/.test(found) ? found : null;
}

async function trackedCommits(repository: Repository, remote: string, scratch: Scratch): Promise<string[]> {
  const names = await git.listBranches({ ...repository.base, remote }).catch((): string[] => []);
  const commits = new Set<string>();
  for (const name of names.slice(0, 100)) {
    const commit = await trackedCommit(repository, remote, name);
    if (commit !== null && (await hasCommit(scratch, commit))) commits.add(commit);
  }
  return [...commits];
}
