import { AgentError, type Version } from '../../contract/index.ts';
import { hashOf } from '../../changes/app-files.ts';
import { transact, type Step } from '../../changes/transaction.ts';
import { withOwnChangesCommitted, type WriteOptions } from '../../changes/writing.ts';
import { headOf, type Repository } from './repository.ts';
import { compareTrees, treeOf, type TreeFile } from './trees.ts';
import { readVersionCommit, versionOf } from './versions.ts';

/**
 * Makes a new commit with the files of an old one. What the person had changed is committed before, and nothing is lost:
 * all commits stay.
 *
 * @throws {AgentError} `not_found`, and as `applyPlan`
 */
export async function revertToVersion(appPath: string, commit: string, options: WriteOptions = {}): Promise<Version> {
  return withOwnChangesCommitted(appPath, options, async ({ repository }) => {
    const target = await readVersionCommit(repository, commit);
    const head = await headOf(repository);
    const changes = await compareTrees(repository, await treeOf(repository, head.commit), target.tree);
    const subject = target.message.split('\n')[0] as string;
    return commitChanges(repository, changes, `[agent] Go back to ${commit.slice(0, 10)}: ${subject}`);
  });
}

/**
 * Takes back what one commit changed, by a new commit.
 *
 * @throws {AgentError} `not_found`, `changed` when a file is not any more what the commit made of it, and as `applyPlan`
 */
export async function undoCommit(appPath: string, commit: string, options: WriteOptions = {}): Promise<Version> {
  return withOwnChangesCommitted(appPath, options, async ({ repository }) => {
    const content = await readVersionCommit(repository, commit);
    const parent = content.parent[0] ?? null;
    const head = await headOf(repository);
    const undone = await compareTrees(repository, content.tree, await treeOf(repository, parent));
    const since = await compareTrees(repository, content.tree, await treeOf(repository, head.commit));
    const still = await compareTrees(
      repository,
      await treeOf(repository, head.commit),
      await treeOf(repository, parent),
    );
    if ([...undone.keys()].every((path) => !still.has(path))) {
      throw new AgentError('invalid_request', 'This turn has been taken back already.');
    }
    const other = [...undone.keys()].find((path) => since.has(path));
    if (other !== undefined) {
      const what = `${other} was changed after this turn, so the turn cannot be taken back alone.`;
      throw new AgentError('changed', `${what} Go back to the version before it, or change ${other} by hand.`);
    }
    const subject = content.message.split('\n')[0] as string;
    return commitChanges(repository, undone, `[agent] Undo ${commit.slice(0, 10)}: ${subject}`);
  });
}

type TreeChanges = Awaited<ReturnType<typeof compareTrees>>;

async function commitChanges(repository: Repository, changes: TreeChanges, message: string): Promise<Version> {
  const steps: Step[] = [];
  for (const [path, { before, after }] of changes) {
    const now = await contentOf(repository, path, before);
    const then = await contentOf(repository, path, after);
    const put = then === null ? null : { bytes: then, executable: after?.mode === 0o100755 };
    steps.push({ path, put, base: now === null ? null : hashOf(now) });
  }
  if (steps.length === 0)
    throw new AgentError('invalid_request', 'The files are already as they were in this version.');
  const { commit } = await transact(repository, { steps, message, own: true });
  const made = commit ?? (await headOf(repository)).commit;
  if (made === null) throw new AgentError('internal', 'The commit was not made.');
  return versionOf(await readVersionCommit(repository, made));
}

async function contentOf(repository: Repository, path: string, file: TreeFile | undefined): Promise<Buffer | null> {
  if (file === undefined) return null;
  if (file.mode === 0o120000 || file.mode === 0o160000) {
    const what = file.mode === 0o120000 ? 'a link' : 'another repository';
    throw new AgentError('denied', `${path} is ${what} in one of the two versions. Go back with git itself.`);
  }
  return repository.objects.read(file.oid, 'blob');
}
