// The one way in which files of an app are changed: all or nothing, with one commit.
import { existsSync, lstatSync, readdirSync, rmdirSync } from 'node:fs';
import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import git from 'isomorphic-git';
import { AgentError } from '../../shared/contract/index.ts';
import { explain } from '../git/errors.ts';
import { blobOf, refuseFilter } from '../git/blobs.ts';
import { indexChangesOf, moveHead, ownChanges, withIndexLock, writeCommit } from '../git/commit.ts';
import type { OwnChanges } from '../git/commit-files.ts';
import { modeOf, type IndexEntry } from '../git/index-entries.ts';
import { forget, type Repository } from '../git/repository.ts';
import { isContentOf } from '../git/not-kept.ts';
import type { TreeFile } from '../git/trees.ts';
import { inWorker } from '../worker/index.ts';
import { AppFiles, changedSince, hashOf, type AppFile } from './app-files.ts';
import { Staging, swapModules, takeBack, type Journal } from './journal.ts';

/** The change of one path. */
export interface Step {
  path: string;
  /** The new file; `null` removes it. */
  put: { bytes: Buffer; executable: boolean } | null;
  /** The SHA-256 that it must have before, or `null` for no file. Otherwise the change fails with `changed`. */
  base: string | null;
}

export interface Transaction {
  steps: readonly Step[];
  message: string;
  /** The paths come from the person's own commits. */
  own?: boolean;
  /** The person's own changes, which are committed first. By default these are the changes in the files of the steps. */
  before?: OwnChanges;
  /** An existing commit with the files of the steps, to which HEAD moves. By default it is a new one. */
  commit?: string;
  /** The branch that HEAD then names. It has that commit. For the current branch the commit may be an older one. */
  to?: string;
  /** A folder of installed packages, on the same disk, that becomes `node_modules`. */
  modules?: string | undefined;
  /** The message that proposed the change. It is in the journal, for the next start. */
  messageId?: string | undefined;
  /** Whether to keep a copy of content that no commit has, because a person could not get it back otherwise. */
  keepsCopies?: boolean;
}

/**
 * Makes the steps. First it writes everything new and old to `.git/mustard-agent`, then a commit that nothing names yet, then
 * the journal. After that it removes files and renames new ones into their places, updates the index, and moves HEAD. If
 * anything fails or the program dies before HEAD has moved, all is taken back.
 *
 * The person's own changes are a commit before it. HEAD gets both commits or neither. The caller is the writer of the app,
 * and has recovered interrupted changes before.
 *
 * @throws {AgentError} `changed`, `unsafe_path`, `disk_full`, `denied`, `internal`. The app is then as it was
 */
export async function transact(repository: Repository, transaction: Transaction): Promise<Made> {
  const staging = new Staging(repository);
  try {
    const stage = await prepare(repository, staging, transaction);
    return await withIndexLock(repository, () => commitStage(repository, staging, transaction, stage));
  } catch (error) {
    forget(repository);
    // If the journal is still there, the change could not be taken back now. The next start tries again.
    if (!existsSync(staging.journal)) {
      await staging.remove().catch(() => {});
      await rm(staging.copies, { recursive: true, force: true }).catch(() => {});
    }
    throw explained(error);
  }
}

interface Made {
  commit: string | null;
  /** The commit of the person's own changes; `null` when there were none. */
  personCommit: string | null;
  /** Notes for a person on own changes that were left alone. */
  notes: string[];
  /** Paths that git ignores, whose changes are in no commit. */
  ignored: string[];
  /** Notes for a person on where the copies are. */
  copied: string[];
}

interface Stage {
  before: OwnChanges;
  old: readonly (AppFile | null)[];
  /** Size and time of each file when it was read, which show whether somebody wrote to it since. */
  marks: readonly string[];
  /** What git keeps of the new files. */
  files: Map<string, TreeFile | null>;
  ignored: string[];
  copied: string[];
}

async function prepare(repository: Repository, staging: Staging, transaction: Transaction): Promise<Stage> {
  const { steps, own = false } = transaction;
  const { app } = repository;
  const appFiles = new AppFiles(app, { own });
  await staging.remove();
  for (const folder of ['', 'old', 'new']) await repository.files.makePlainFolder(join(staging.folder, folder));
  if (transaction.modules !== undefined) await rename(transaction.modules, staging.newModules);
  const gone = new Set(steps.flatMap(({ path, put }) => (put === null ? [path] : [])));
  const paths = steps.map(({ path }) => path);
  const before = transaction.before ?? (await ownChanges(repository, { only: new Set(paths) }));
  const { tracked, ignored } = await inWorker('knownPaths', [app, paths]);
  const committed =
    transaction.keepsCopies === true ? await inWorker('committedFiles', [app, before.tip.commit, paths]) : undefined;
  const stage = {
    before,
    old: [] as (AppFile | null)[],
    marks: [] as string[],
    files: new Map<string, TreeFile | null>(),
    ignored: [] as string[],
    copied: [] as string[],
  };
  for (const [index, { path, put, base }] of steps.entries()) {
    // In another version, this path may be a file in place of a folder.
    const replaces = own && put !== null && (liesBelow(path, gone) || isFolder(join(app, path)));
    stage.marks.push(markOf(app, path));
    const old = replaces ? null : appFiles.read(path);
    if ((old?.hash ?? null) !== base) throw changedSince(path);
    stage.old.push(old);
    if (old !== null) {
      await writeStaged(staging.old(index), old.bytes, old.executable);
      const isMoved = steps.some((other) => other.put?.bytes.equals(old.bytes) === true);
      if (committed && !isMoved && !(await isContentOf(repository, committed.get(path), old.bytes))) {
        stage.copied.push(`No commit has what ${path} was. It is kept in ${await staging.copy(index, path)}.`);
      }
    }
    if (put !== null) await writeStaged(staging.new(index), put.bytes, put.executable);
    if (ignored.has(path)) stage.ignored.push(path);
    else stage.files.set(path, put === null ? null : await objectOf(repository, path, put, tracked.get(path)));
  }
  return stage;
}

async function writeStaged(path: string, bytes: Buffer, executable: boolean): Promise<void> {
  await writeFile(path, bytes, { flag: 'wx', flush: true });
  await chmod(path, executable ? 0o755 : 0o644);
}

async function objectOf(
  repository: Repository,
  path: string,
  put: NonNullable<Step['put']>,
  entry: IndexEntry | undefined,
): Promise<TreeFile> {
  refuseFilter(repository, path);
  const blob = await blobOf(repository, put.bytes);
  const oid = await git.writeBlob({ ...repository.base, blob });
  return { oid, mode: modeOf(repository, put.executable, entry) };
}

async function commitStage(
  repository: Repository,
  staging: Staging,
  { steps, message, own = false, modules, messageId, commit: ready, to }: Transaction,
  { before, old, marks, files, ignored, copied }: Stage,
): Promise<Made> {
  const { app } = repository;
  const { head, tip, commit: personCommit, notes } = before;
  const commit = ready ?? (await writeCommit(repository, tip, files, { message }));
  const next = commit ?? personCommit;
  const had = modules !== undefined && hasModules(app);
  const journal: Journal = {
    version: 1,
    prefix: repository.prefix,
    head,
    commit: next,
    ...(to !== undefined && { to }),
    steps: steps.map(({ path, put }, index) => ({
      path,
      old: old[index]?.hash ?? null,
      new: put === null ? null : hashOf(put.bytes),
    })),
    folders: missingFolders(app, steps),
    modules: modules === undefined ? null : { had },
    own,
    committed: [...before.files.keys()],
    ...(messageId !== undefined && { messageId }),
    notes: copied,
  };
  if (steps.some(({ path }, index) => markOf(app, path) !== marks[index])) {
    throw changedSince(steps.find(({ path }, index) => markOf(app, path) !== marks[index])?.path ?? '');
  }
  await staging.write(journal);
  try {
    moveFiles(app, staging, steps, own);
    if (modules !== undefined) swapModules(app, staging, had, 'in');
    const changes = await indexChangesOf(repository, new Map([...before.files, ...files]));
    await inWorker('writeIndex', [app, changes]);
    if (next !== null) await moveHead(repository, head, next, to);
  } catch (error) {
    await takeBack(repository, staging, journal);
    await staging.remove();
    throw error;
  }
  // The change is made. The next writer removes what is left over.
  await staging.remove().catch(() => {});
  return { commit, personCommit, notes, ignored, copied };
}

/** @throws {AgentError} `denied` for a link, because its target may belong to other apps */
function hasModules(app: string): boolean {
  const stats = lstatSync(join(app, 'node_modules'), { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return stats !== undefined;
  throw new AgentError('denied', 'node_modules of this app is a link or a file, so no packages are installed there.');
}

/** Deletes first, because a folder may replace a file, and on some disks a file its other spelling. */
function moveFiles(app: string, staging: Staging, steps: readonly Step[], own: boolean): void {
  const files = new AppFiles(app, { own });
  for (const { path, put } of steps) if (put === null) files.remove(path);
  for (const { path, put } of steps) if (put === null) removeEmptyFolders(app, path);
  for (const [index, { path, put }] of steps.entries()) if (put !== null) files.place(staging.new(index), path);
}

/** Removes folders that became empty, as git does. */
function removeEmptyFolders(app: string, path: string): void {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const absolute = join(app, folder);
    try {
      if (!lstatSync(absolute).isDirectory() || readdirSync(absolute).length > 0) return;
      rmdirSync(absolute);
    } catch {
      return;
    }
  }
}

/** The folders to make, outer ones first. */
function missingFolders(app: string, steps: readonly Step[]): string[] {
  const missing = new Set<string>();
  for (const { path, put } of steps) {
    if (put === null) continue;
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      if (!isFolder(join(app, folder))) missing.add(folder);
    }
  }
  return [...missing].sort((a, b) => a.length - b.length);
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function liesBelow(path: string, gone: ReadonlySet<string>): boolean {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) if (gone.has(folder)) return true;
  return false;
}

function markOf(app: string, path: string): string {
  try {
    const { mtimeNs, ctimeNs, size, ino } = lstatSync(join(app, path), { bigint: true });
    return `${mtimeNs}-${ctimeNs}-${size}-${ino}`;
  } catch {
    return '';
  }
}

function explained(error: unknown): unknown {
  const known = explain(error);
  if (known instanceof AgentError) return known;
  const why = error instanceof Error ? error.message : String(error);
  return new AgentError('internal', `The change was taken back, because it failed: ${why}`, { cause: error });
}
