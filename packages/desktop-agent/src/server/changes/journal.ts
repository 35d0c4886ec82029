// What a crash in the middle of a change leaves behind, and how it is taken back.
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

/** Written before the first file of the app changes, and gone after the last. */
const journalSchema = z.strictObject({
  version: z.literal(1),
  /** The app in its repository: see `Repository`. Another app of the same repository may be the next to write. */
  prefix: z.string(),
  head: z.strictObject({ ref: z.string().nullable(), commit: commitId.nullable() }),
  /** What HEAD will name. `null` when git keeps none of the files. */
  commit: commitId.nullable(),
  /** The branch that HEAD will name, where that is no commit more: then history does not tell whether it was done. */
  to: z.string().optional(),
  /** By their order: the old content lies in `old/N`, the new one in `new/N`. Hashes are SHA-256. */
  steps: z.array(z.strictObject({ path: z.string(), old: fileState, new: fileState })),
  /** Files of the person's own commit before it: in the index, they are taken back, too. */
  committed: z.array(z.string()).optional(),
  /** Folders that were made for new files, outer ones first. */
  folders: z.array(z.string()),
  /** Whether `node_modules` is changed, and whether there was one. */
  modules: z.strictObject({ had: z.boolean() }).nullable(),
  /** Whether the paths are the person's own: see `AppFiles`. */
  own: z.boolean(),
  /** Whose proposal this is; missing for what a person does by hand. */
  messageId: z.string().optional(),
  /** For a person, when it was finished. */
  notes: z.array(z.string()).optional(),
});
export type Journal = z.infer<typeof journalSchema>;

/** As it lies on the disk: only what this program has written is acted upon. */
const signedSchema = z.strictObject({ journal: z.string(), signature: z.string() });

/** Where a change lies ready, beside the files of the app and on the same disk. */
export class Staging {
  readonly folder: string;
  /** What a change replaces and no commit has. It stays there. */
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

  /** The journal goes first: without it, the rest is only waste. */
  async remove(): Promise<void> {
    await rm(this.journal, { force: true });
    await rm(this.folder, { recursive: true, force: true });
  }

  /** `foreign`: not by us, who write it as a whole, or not by us here: the folder may come from a stranger. */
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

  /** Whether the old content of a step is there, and is what the journal says. */
  async hasOld(index: number, hash: string | null): Promise<boolean> {
    return (
      lstatSync(this.old(index), { throwIfNoEntry: false })?.isFile() === true &&
      hashOf(await readFile(this.old(index))) === hash
    );
  }

  /** Keeps the old content of a step for good. @returns where */
  async copy(index: number, path: string): Promise<string> {
    const place = join(this.copies, path);
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    await link(this.old(index), place);
    return place;
  }

  /** Puts all of it aside, for a person to look at. @returns where */
  async keep(): Promise<string> {
    const kept = join(dirname(this.folder), `kept-${Date.now()}`);
    await rename(this.folder, kept);
    return kept;
  }
}

/** Where packages are installed before they are in the app. */
export function installFolder({ gitdir }: Repository): string {
  return join(gitdir, 'mustard-agent', 'install');
}

/**
 * Makes the files and the index what they were. Can be cut off anywhere, and done again. A file that is neither what it
 * was nor what it was to become has been changed by someone else: it stays.
 */
export async function takeBack(repository: Repository, staging: Staging, journal: Journal): Promise<string[]> {
  forget(repository);
  const files = new AppFiles(repository.app, { own: journal.own });
  const notes: string[] = [];
  takeBackModules(repository, staging, journal);
  // What was made first: where a folder has taken the place of a file, its files must go before the file comes.
  const order = journal.steps
    .map((step, index) => ({ ...step, index }))
    .sort((a, b) => Number(a.old !== null) - Number(b.old !== null));
  for (const [round, step] of order.entries()) {
    if (round === order.findIndex(({ old }) => old !== null)) removeFolders(repository, journal.folders);
    const now = currentHash(files, step.path);
    // Where only the mode was to change, the content does not tell.
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

/** '' of what is no file that could have been put there. */
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
      // Someone else's files are in it, or it is gone.
    }
  }
}

async function restoreIndex(repository: Repository, journal: Journal): Promise<void> {
  const paths = [...(journal.committed ?? []), ...journal.steps.map(({ path }) => path)];
  const committed = await inWorker('committedFiles', [repository.app, journal.head.commit, paths]);
  const files = new Map(paths.map((path) => [path, committed.get(path) ?? null]));
  // Without the times of the files: git looks into them once, instead of trusting us.
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

/** Puts the installed packages in place of those that are there, or takes that back. Two renames. */
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
