// What going back to an old version, or taking one back, does to the files of an app.
import { AgentError, type Version } from '../../shared/contract/index.ts';
import { hashOf } from '../changes/app-files.ts';
import { findOwnChanges, type OwnChanges } from './commit-files.ts';
import { containedIn } from './contained.ts';
import { explained } from './errors.ts';
import { openRepository, type Repository } from './repository.ts';
import { compareTrees, treeIn, treeOf, type TreeFile } from './trees.ts';
import { readVersionCommit, versionOf } from './versions.ts';

export type ReversalKind = 'revert' | 'undo' | 'redo';

export interface Reversal {
  /** What the person has changed, which is committed before. */
  before: OwnChanges;
  steps: readonly { path: string; put: { bytes: Uint8Array; executable: boolean } | null; base: string | null }[];
  message: string;
}

/**
 * @param kind `revert`: all files become what they were in the commit; `undo`: only what it changed is taken back; `redo`: the
 *   same, of a commit that has taken another one back
 * @throws {AgentError} `not_found`; `changed` when a file is not any more what the commit made of it; `invalid_request` when
 *   there is nothing to do; `denied` for links
 */
export async function planReversal(appPath: string, commit: string, kind: ReversalKind): Promise<Reversal> {
  const repository = await openRepository(appPath);
  return kind === 'revert' ? planRevert(repository, commit) : planUndo(repository, commit, kind);
}

/** What going back to a version does, for a person who is to decide about it. */
export interface LookedBack {
  version: Version;
  isOfBranch: boolean;
  /** By path. */
  changed: readonly { path: string; change: 'added' | 'changed' | 'deleted' }[];
  /** Files that the person has changed. */
  own: readonly string[];
  /** The same as long as this is all the same. */
  seen: string;
}

/** Looks at what `planReversal` of the kind `revert` would do, without the content of files. @throws {AgentError} as that */
export async function lookBack(appPath: string, commit: string): Promise<LookedBack> {
  const repository = await openRepository(appPath);
  return explained(async () => {
    const target = await readVersionCommit(repository, commit);
    const before = await findOwnChanges(repository.app);
    const now = await treeOf(repository, before.tip.commit);
    const files = [...(await compareTrees(repository, now, await treeIn(repository, target)))];
    // Commits and trees are remembered, and git may have removed them since.
    for (const [, { after }] of files) if (after !== undefined) await repository.objects.sizeOf(after.oid);
    const changed = files
      .map(([path, { before: was, after: is }]) => {
        for (const file of [was, is]) refuseLink(path, file);
        return { path, change: was === undefined ? 'added' : is === undefined ? 'deleted' : 'changed' } as const;
      })
      .sort((a, b) => (a.path < b.path ? -1 : 1));
    const own = [...before.files.keys()].sort();
    const isOfBranch = (await containedIn(appPath, [commit])).has(commit);
    const seen = hashOf(Buffer.from(JSON.stringify([before.head, commit, changed, own])));
    return { version: versionOf(target), isOfBranch, changed, own, seen };
  });
}

async function planRevert(repository: Repository, commit: string): Promise<Reversal> {
  const target = await readVersionCommit(repository, commit);
  const before = await findOwnChanges(repository.app);
  const then = await treeIn(repository, target);
  const changes = await compareTrees(repository, await treeOf(repository, before.tip.commit), then);
  const message = `[agent] Go back to ${commit.slice(0, 10)}: ${subjectOf(target)}`;
  return { before, steps: await stepsOf(repository, changes), message };
}

async function planUndo(repository: Repository, commit: string, kind: 'undo' | 'redo'): Promise<Reversal> {
  const content = await readVersionCommit(repository, commit);
  const parent = content.parent[0] ?? null;
  const made = await treeIn(repository, content);
  const undone = await compareTrees(repository, made, await treeOf(repository, parent));
  const before = await findOwnChanges(repository.app, { only: new Set(undone.keys()) });
  const now = await treeOf(repository, before.tip.commit);
  const since = await compareTrees(repository, made, now);
  const still = await compareTrees(repository, now, await treeOf(repository, parent));
  if ([...undone.keys()].every((path) => !still.has(path))) {
    throw new AgentError(
      'invalid_request',
      kind === 'undo' ? 'This turn has been taken back already.' : 'What this turn changed is in the app already.',
    );
  }
  const other = [...undone.keys()].find((path) => since.has(path));
  if (other !== undefined) {
    throw new AgentError(
      'changed',
      kind === 'undo'
        ? `${other} was changed after this turn, so the turn cannot be taken back alone. Go back to the version before it, or change ${other} by hand.`
        : `${other} was changed after the turn was undone, so the turn cannot be done again. Change ${other} by hand, or ask for the change anew.`,
    );
  }
  const subject = subjectOf(content);
  const message =
    kind === 'undo' ? `${undoOf(commit)}${subject}` : `[agent] Redo ${subject.replace(/^\[agent\] Undo /, '')}`;
  return { before, steps: await stepsOf(repository, undone), message };
}

/** How the message of a commit begins that takes another one back. */
export function undoOf(commit: string): string {
  return `[agent] Undo ${commit.slice(0, 10)}: `;
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
  refuseLink(path, file);
  return repository.objects.read(file.oid, 'blob');
}

function refuseLink(path: string, file: TreeFile | undefined): void {
  if (file?.mode !== 0o120000 && file?.mode !== 0o160000) return;
  const what = file.mode === 0o120000 ? 'a link' : 'another repository';
  throw new AgentError('denied', `${path} is ${what} in one of the two versions. Go back with git itself.`);
}
