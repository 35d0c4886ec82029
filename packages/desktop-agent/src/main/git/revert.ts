import { AgentError, type Version } from '../../contract/index.ts';
import { hashOf } from '../../changes/app-files.ts';
import { transact, type Step } from '../../changes/transaction.ts';
import { withApp, type Before, type WriteOptions } from '../../changes/writing.ts';
import { ownChanges, type OwnChanges } from './commit.ts';
import type { Repository } from './repository.ts';
import { compareTrees, treeOf, type TreeFile } from './trees.ts';
import { readVersionCommit, versionOf } from './versions.ts';

/**
 * Makes a new commit with the files of an old one. What the person had changed is committed before, and nothing is lost:
 * all commits stay.
 *
 * @throws {AgentError} `not_found`, and as `applyPlan`
 */
export async function revertToVersion(appPath: string, commit: string, options: WriteOptions = {}): Promise<Version> {
  const { version } = await withApp(appPath, options, async ({ repository }) => {
    const target = await readVersionCommit(repository, commit);
    const before = await ownChanges(repository);
    const changes = await compareTrees(repository, await treeOf(repository, before.tip.commit), target.tree);
    const subject = target.message.split('\n')[0] as string;
    return commitChanges(repository, before, changes, `[agent] Go back to ${commit.slice(0, 10)}: ${subject}`);
  });
  return version;
}

/**
 * Takes back what one commit changed, by a new commit.
 *
 * @throws {AgentError} `not_found`, `changed` when a file is not any more what the commit made of it, and as `applyPlan`
 */
export async function undoCommit(appPath: string, commit: string, options: WriteOptions = {}): Promise<Version> {
  const { version } = await withApp(appPath, options, async ({ repository }) => {
    const content = await readVersionCommit(repository, commit);
    const parent = content.parent[0] ?? null;
    const undone = await compareTrees(repository, content.tree, await treeOf(repository, parent));
    const before = await ownChanges(repository, { only: new Set(undone.keys()) });
    const now = await treeOf(repository, before.tip.commit);
    const since = await compareTrees(repository, content.tree, now);
    const still = await compareTrees(repository, now, await treeOf(repository, parent));
    if ([...undone.keys()].every((path) => !still.has(path))) {
      throw new AgentError('invalid_request', 'This turn has been taken back already.');
    }
    const other = [...undone.keys()].find((path) => since.has(path));
    if (other !== undefined) {
      const what = `${other} was changed after this turn, so the turn cannot be taken back alone.`;
      throw new AgentError('changed', `${what} Go back to the version before it, or change ${other} by hand.`);
    }
    const subject = content.message.split('\n')[0] as string;
    return commitChanges(repository, before, undone, `[agent] Undo ${commit.slice(0, 10)}: ${subject}`);
  });
  return version;
}

type TreeChanges = Awaited<ReturnType<typeof compareTrees>>;

async function commitChanges(
  repository: Repository,
  before: OwnChanges,
  changes: TreeChanges,
  message: string,
): Promise<Before & { version: Version }> {
  const steps: Step[] = [];
  for (const [path, { before, after }] of changes) {
    const now = await contentOf(repository, path, before);
    const then = await contentOf(repository, path, after);
    const put = then === null ? null : { bytes: then, executable: after?.mode === 0o100755 };
    steps.push({ path, put, base: now === null ? null : hashOf(now) });
  }
  if (steps.length === 0)
    throw new AgentError('invalid_request', 'The files are already as they were in this version.');
  const { commit, personCommit, notes } = await transact(repository, { steps, message, own: true, before });
  const made = commit ?? before.tip.commit;
  if (made === null) throw new AgentError('internal', 'The commit was not made.');
  return { version: versionOf(await readVersionCommit(repository, made)), personCommit, notes };
}

async function contentOf(repository: Repository, path: string, file: TreeFile | undefined): Promise<Buffer | null> {
  if (file === undefined) return null;
  if (file.mode === 0o120000 || file.mode === 0o160000) {
    const what = file.mode === 0o120000 ? 'a link' : 'another repository';
    throw new AgentError('denied', `${path} is ${what} in one of the two versions. Go back with git itself.`);
  }
  return repository.objects.read(file.oid, 'blob');
}
