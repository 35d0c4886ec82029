// What going back to an old version, or taking one back, does to the files of an app.
import { AgentError } from '../../shared/contract/index.ts';
import { hashOf } from '../changes/app-files.ts';
import { findOwnChanges, type OwnChanges } from './commit-files.ts';
import { openRepository, type Repository } from './repository.ts';
import { compareTrees, treeIn, treeOf, type TreeFile } from './trees.ts';
import { readVersionCommit } from './versions.ts';

export interface Reversal {
  /** What the person has changed, which is committed before. */
  before: OwnChanges;
  steps: readonly { path: string; put: { bytes: Uint8Array; executable: boolean } | null; base: string | null }[];
  message: string;
}

/**
 * @param kind `revert`: all files become what they were in the commit; `undo`: only what it changed is taken back
 * @throws {AgentError} `not_found`; `changed` when a file is not any more what the commit made of it; `invalid_request` when
 *   there is nothing to do; `denied` for links
 */
export async function planReversal(appPath: string, commit: string, kind: 'revert' | 'undo'): Promise<Reversal> {
  const repository = await openRepository(appPath);
  return kind === 'revert' ? planRevert(repository, commit) : planUndo(repository, commit);
}

async function planRevert(repository: Repository, commit: string): Promise<Reversal> {
  const target = await readVersionCommit(repository, commit);
  const before = await findOwnChanges(repository.app);
  const then = await treeIn(repository, target);
  const changes = await compareTrees(repository, await treeOf(repository, before.tip.commit), then);
  const message = `[agent] Go back to ${commit.slice(0, 10)}: ${subjectOf(target)}`;
  return { before, steps: await stepsOf(repository, changes), message };
}

async function planUndo(repository: Repository, commit: string): Promise<Reversal> {
  const content = await readVersionCommit(repository, commit);
  const parent = content.parent[0] ?? null;
  const made = await treeIn(repository, content);
  const undone = await compareTrees(repository, made, await treeOf(repository, parent));
  const before = await findOwnChanges(repository.app, { only: new Set(undone.keys()) });
  const now = await treeOf(repository, before.tip.commit);
  const since = await compareTrees(repository, made, now);
  const still = await compareTrees(repository, now, await treeOf(repository, parent));
  if ([...undone.keys()].every((path) => !still.has(path))) {
    throw new AgentError('invalid_request', 'This turn has been taken back already.');
  }
  const other = [...undone.keys()].find((path) => since.has(path));
  if (other !== undefined) {
    const what = `${other} was changed after this turn, so the turn cannot be taken back alone.`;
    throw new AgentError('changed', `${what} Go back to the version before it, or change ${other} by hand.`);
  }
  const message = `[agent] Undo ${commit.slice(0, 10)}: ${subjectOf(content)}`;
  return { before, steps: await stepsOf(repository, undone), message };
}

function subjectOf({ message }: { message: string }): string {
  return message.split('\n')[0] as string;
}

async function stepsOf(
  repository: Repository,
  changes: Awaited<ReturnType<typeof compareTrees>>,
): Promise<Reversal['steps']> {
  const steps: Reversal['steps'][number][] = [];
  for (const [path, { before, after }] of changes) {
    const now = await contentOf(repository, path, before);
    const then = await contentOf(repository, path, after);
    const put = then === null ? null : { bytes: then, executable: after?.mode === 0o100755 };
    steps.push({ path, put, base: now === null ? null : hashOf(now) });
  }
  if (steps.length === 0)
    throw new AgentError('invalid_request', 'The files are already as they were in this version.');
  return steps;
}

async function contentOf(repository: Repository, path: string, file: TreeFile | undefined): Promise<Buffer | null> {
  if (file === undefined) return null;
  if (file.mode === 0o120000 || file.mode === 0o160000) {
    const what = file.mode === 0o120000 ? 'a link' : 'another repository';
    throw new AgentError('denied', `${path} is ${what} in one of the two versions. Go back with git itself.`);
  }
  return repository.objects.read(file.oid, 'blob');
}
