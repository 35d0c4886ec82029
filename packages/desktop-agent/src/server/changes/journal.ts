// The journal that a crash in the middle of a change leaves behind, and how the change is taken back.
import { link, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { existsSync, lstatSync, renameSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeAtomically } from '@mustard-sandbox/agent-tool/host';
import * as z from 'zod';
import { indexChangesOf } from '../git/commit.ts';
import type { IndexChanges } from '../git/index-entries.ts';
import { forget, type Repository } from '../git/repository.ts';
import { inWorker } from '../worker/index.ts';
import { AppFiles, hashOf } from './app-files.ts';
import { isSignatureOf, signatureOf } from './journal-key.ts';

const commitId = z.string().regex(/^[0-9a-f]{40}$/);
const fileState = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .nullable();

/** Written before the first file of the app changes, and removed after the last. */
const journalSchema = z.strictObject({
  version: z.literal(1),
  /** The prefix of the app in its repository; see `Repository`. Another app of the repository may be the next writer. */
  prefix: z.string(),
  head: z.strictObject({ ref: z.string().nullable(), commit: commitId.nullable() }),
  /** The commit that HEAD will name; `null` when git keeps none of the files. */
  commit: commitId.nullable(),
  /** The branch that HEAD will name, when there is no new commit whose presence would show that the change is made. */
  to: z.string().optional(),
  /** For step N, the old content is in `old/N` and the new one in `new/N`. Hashes are SHA-256. */
  steps: z.array(z.strictObject({ path: z.string(), old: fileState, new: fileState })),
  /** Files of the person's own commit before it, which are also taken back in the index. */
  committed: z.array(z.string()).optional(),
  /** Folders that were made for new files, outer ones first. */
  folders: z.array(z.string()),
  /** Whether `node_modules` is changed, and whether there was one. */
  modules: z.strictObject({ had: z.boolean() }).nullable(),
  /** Whether the paths come from the person's own commits; see `AppFiles`. */
  own: z.boolean(),
  /** The message that proposed the change; missing for a change by hand. */
  messageId: z.string().optional(),
  /** Notes for a person once the change is made. */
  notes: z.array(z.string()).optional(),
});
export type Journal = z.infer<typeof journalSchema>;

/** The journal on the disk. It is signed, because we act only on what this program has written. */
const signedSchema = z.strictObject({ journal: z.string(), signature: z.string() });

/** The folder in which a change is prepared, on the same disk as the files of the app. */
export class Staging {
  readonly folder: string;
  /** The folder for contents that a change replaces and no commit has. It is kept. */
  readonly copies: string;

  constructor({ gitdir }: Repository) {
    this.folder = join(gitdir, 'mustard-agent', 'apply');
    this.copies = join(gitdir, 'mustard-agent', `kept-${Date.now()}`);
  }

  get journal(): string {
    return join(this.folder, 'journal.json');
  }
  old(index: number): string {
    return join(this.folder, 'old', String(index));
  }
  new(index: number): string {
    return join(this.folder, 'new', String(index));
  }
  get oldModules(): string {
    return join(this.folder, 'old-modules');
  }
  get newModules(): string {
    return join(this.folder, 'new-modules');
  }

  async write(journal: Journal): Promise<void> {
    const text = JSON.stringify(journal);
    const signed = { journal: text, signature: signatureOf(this.folder, text) };
    await writeAtomically(this.journal, JSON.stringify(signed), 0o600);
  }

  /** Removes the folder, and first the journal, without which the rest is useless. */
  async remove(): Promise<void> {
    await rm(this.journal, { force: true });
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Reads the journal. `foreign` means that it is broken, or that we did not write it in this place. */
  async read(): Promise<Journal | 'foreign' | undefined> {
    if (lstatSync(this.journal, { throwIfNoEntry: false }) === undefined) return undefined;
    try {
      const { journal, signature } = signedSchema.parse(JSON.parse(await readFile(this.journal, 'utf8')));
      if (!isSignatureOf(this.folder, journal, signature)) return 'foreign';
      return journalSchema.parse(JSON.parse(journal));
    } catch {
      return 'foreign';
    }
  }

  /** Whether the old content of a step is there and has the hash of the journal. */
  async hasOld(index: number, hash: string | null): Promise<boolean> {
    return (
      lstatSync(this.old(index), { throwIfNoEntry: false })?.isFile() === true &&
      hashOf(await readFile(this.old(index))) === hash
    );
  }

  /** Keeps the old content of a step permanently. @returns its path */
  async copy(index: number, path: string): Promise<string> {
    const place = join(this.copies, path);
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    await link(this.old(index), place);
    return place;
  }

  /** Moves all of it aside for a person to look at. @returns the new path */
  async keep(): Promise<string> {
    const kept = join(dirname(this.folder), `kept-${Date.now()}`);
    await rename(this.folder, kept);
    return kept;
  }
}

/** The folder in which packages are installed before they are moved into the app. */
export function installFolder({ gitdir }: Repository): string {
  return join(gitdir, 'mustard-agent', 'install');
}

/**
 * Restores the files and the index. It can be interrupted anywhere and run again. A file that has neither the old nor the
 * new content was changed by someone else, and stays as it is.
 */
export async function takeBack(repository: Repository, staging: Staging, journal: Journal): Promise<string[]> {
  forget(repository);
  const files = new AppFiles(repository.app, { own: journal.own });
  const notes: string[] = [];
  takeBackModules(repository, staging, journal);
  // New files are removed first: if a folder replaced a file, its files must go before the old file comes back.
  const order = journal.steps
    .map((step, index) => ({ ...step, index }))
    .sort((a, b) => Number(a.old !== null) - Number(b.old !== null));
  for (const [round, step] of order.entries()) {
    if (round === order.findIndex(({ old }) => old !== null)) removeFolders(repository, journal.folders);
    const now = currentHash(files, step.path);
    // If only the mode was to change, the content does not show whether it was done.
    if (now === step.old && (step.old !== step.new || !existsSync(staging.old(step.index)))) continue;
    if (now !== step.new && now !== null)
      notes.push(`${step.path} was changed by someone else meanwhile, and stays as it is.`);
    else if (step.old === null) files.remove(step.path);
    else if (await staging.hasOld(step.index, step.old)) files.place(staging.old(step.index), step.path);
    else notes.push(`The former content of ${step.path} is missing.`);
  }
  removeFolders(repository, journal.folders);
  await restoreIndex(repository, journal);
  return notes;
}

/** The hash of the content; '' when it is not a file that could have been put there. */
function currentHash(files: AppFiles, path: string): string | null {
  try {
    return files.read(path)?.hash ?? null;
  } catch {
    return '';
  }
}

function removeFolders({ app }: Repository, folders: readonly string[]): void {
  const files = new AppFiles(app, { own: true });
  for (const folder of folders.toReversed()) {
    try {
      files.check(`${folder}/file`);
      if (lstatSync(join(app, folder)).isDirectory()) rmdirSync(join(app, folder));
    } catch {
      // It contains files of someone else, or it is gone.
    }
  }
}

async function restoreIndex(repository: Repository, journal: Journal): Promise<void> {
  const paths = [...(journal.committed ?? []), ...journal.steps.map(({ path }) => path)];
  const committed = await inWorker('committedFiles', [repository.app, journal.head.commit, paths]);
  const files = new Map(paths.map((path) => [path, committed.get(path) ?? null]));
  // The entries have no times, so git compares the files itself once instead of trusting us.
  const changes: IndexChanges = new Map(
    [...(await indexChangesOf(repository, files))].map(([path, entry]) => [
      path,
      entry && { ...entry, stats: undefined },
    ]),
  );
  await inWorker('writeIndex', [repository.app, changes]);
}

function takeBackModules({ app }: Repository, staging: Staging, { modules }: Journal): void {
  if (modules === null) return;
  swapModules(app, staging, modules.had, 'back');
}

/** Replaces `node_modules` by the installed packages, or takes this back. Both are two renames. */
export function swapModules(app: string, staging: Staging, had: boolean, direction: 'in' | 'back'): void {
  const place = join(app, 'node_modules');
  if (direction === 'in') {
    if (had) renameSync(place, staging.oldModules);
    renameSync(staging.newModules, place);
    return;
  }
  const isIn = !existsSync(staging.newModules);
  const isOut = had && existsSync(staging.oldModules);
  if (isIn && (isOut || !had) && existsSync(place)) renameSync(place, staging.newModules);
  if (isOut) renameSync(staging.oldModules, place);
}
