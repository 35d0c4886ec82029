// What a copy of an app has that the app lacks, and how it comes into the app.
import { AgentError, type CopyComparison, type Joined } from '../../../shared/contract/index.ts';
import { withApp, type WriteOptions } from '../../changes/writing.ts';
import { checkBranch, shortName } from '../branches/names.ts';
import { commitOwnChanges, ownChanges } from '../commit.ts';
import { readAddress } from '../remote/addresses.ts';
import { commitsBetween } from '../remote/commits-between.ts';
import { fetchBranch } from '../remote/compare.ts';
import { join } from '../remote/join.ts';
import { takeObjects } from '../remote/objects.ts';
import { Scratch, type ScratchOptions } from '../remote/scratch.ts';
import { forget, headOf, openRepository, type Repository } from '../repository.ts';

/** What a person has seen and agrees to: see `CopyComparison`. */
export type AgreedCopy = Pick<CopyComparison, 'branch' | 'into' | 'ours' | 'theirs'>;

/**
 * Says whether what is done in a copy of the app could come back.
 *
 * @throws {AgentError} `denied` for a package of a larger repository; `busy` without a commit; `no_git` for a kind of
 *   repository that nothing is fetched into; `not_found` without a git that is installed
 */
export async function checkCopyable(appPath: string, options: ScratchOptions): Promise<void> {
  const repository = await openRepository(appPath);
  const { root, prefix } = repository;
  if (prefix !== '') {
    const what = `This app is a package of the repository ${root}, and a copy of it alone would have no history.`;
    throw new AgentError('denied', `${what} Add ${root} as an app, and work in a copy of that.`);
  }
  if ((await headOf(repository)).commit === null) {
    throw new AgentError('busy', 'There is no commit yet that the branch of a copy could begin at. Make one first.');
  }
  await using scratch = await Scratch.make(repository, options);
  await scratch.ask(['rev-parse', '--verify', 'refs/heads/here']);
}

/** @throws {AgentError} `busy` where one of the two is on no branch with a commit; as `bringInCopy` */
export async function compareCopy(appPath: string, copyPath: string, options: ScratchOptions): Promise<CopyComparison> {
  const [repository, copy] = [await openRepository(appPath), await openCopy(copyPath)];
  const here = await branchOf(repository, 'The app');
  const there = await branchOf(copy, 'The copy');
  await using scratch = await Scratch.make(repository, options);
  const theirs = await fetchCopy(repository, scratch, copy, there.branch);
  const incoming = await commitsBetween(scratch, theirs, [here.commit]);
  const { files } = await ownChanges(copy);
  const { branch } = there;
  return { branch, into: here.branch, ours: here.commit, theirs, incoming, uncommitted: files.size };
}

/** Commits what was changed by hand in a copy. @throws {AgentError} `no_git`, `busy` */
export async function commitCopy(copyPath: string, options: WriteOptions): Promise<void> {
  const { root } = await openCopy(copyPath);
  await withApp(root, options, async ({ repository }) => {
    const { commit, notes } = await commitOwnChanges(repository);
    return { personCommit: commit, notes };
  });
}

/**
 * Joins the branch of the app with the commits of a copy that a comparison has shown.
 *
 * @throws {AgentError} `changed` when either side is not what was shown; as `join`
 */
export async function bringInCopy(
  appPath: string,
  copyPath: string,
  { branch: shown, into, ours, theirs }: AgreedCopy,
  options: ScratchOptions & WriteOptions,
): Promise<Joined> {
  const branch = checkBranch(shown);
  const check = async (repository: Repository): Promise<void> => {
    const { ref } = await headOf(repository);
    if (ref !== `refs/heads/${into}`)
      throw new AgentError('changed', `The app is not on ${into} any more. Look again.`);
    const copy = await openCopy(copyPath);
    await using scratch = await Scratch.make(repository, options);
    const isSame = (await headOf(copy)).ref === `refs/heads/${branch}`;
    if (!isSame || (await fetchCopy(repository, scratch, copy, branch)) !== theirs) {
      throw new AgentError('changed', 'The copy has other commits than those that were shown. Look again.');
    }
    await takeObjects(repository, scratch);
    forget(repository);
  };
  return await join(appPath, { ours, theirs, message: `Merge branch '${branch}'`, check }, options);
}

async function openCopy(copyPath: string): Promise<Repository> {
  const copy = await openRepository(copyPath);
  if (copy.prefix === '') return copy;
  throw new AgentError('no_git', `The copy ${copyPath} has no history of its own any more.`);
}

async function branchOf(repository: Repository, whose: string): Promise<{ branch: string; commit: string }> {
  const { ref, commit } = await headOf(repository);
  if (ref !== null && commit !== null) return { branch: checkBranch(shortName(ref)), commit };
  const what = ref === null ? 'is on no branch (HEAD is detached)' : `is on ${shortName(ref)}, which has no commit`;
  throw new AgentError('busy', `${whose} ${what}, so nothing is brought in. Switch to a branch with commits first.`);
}

/** Gets the commits of a copy into the scratch repository, by the rules for a remote in a folder. */
async function fetchCopy({ root }: Repository, scratch: Scratch, copy: Repository, branch: string): Promise<string> {
  const address = readAddress(copy.root, root);
  if (typeof address === 'string') throw new AgentError('denied', `The copy ${address}.`);
  const commit = await fetchBranch(scratch, address, branch);
  if (commit !== null) return commit;
  throw new AgentError('not_found', `The copy has no branch ${branch} any more.`);
}
