// Finds what the person has changed since the last commit.
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderFiles, isSecret } from '@mustard-sandbox/paths';
import git from 'isomorphic-git';
import { blobOf, refuseFilter } from './blobs.ts';
import type { GitIgnore } from '../context/gitignore.ts';
import { ignoreRules, rulesWithin } from './ignored.ts';
import { isSurelySame, modeOf, readIndex, type IndexEntry } from './index-entries.ts';
import { headOf, type Repository } from './repository.ts';
import { filesOf, treeOf, type TreeFile } from './trees.ts';

/** The largest file that is committed, in bytes. A committed file stays in the repository for good, so the person decides. */
export const maxFileBytes = 50 * 1024 * 1024;

export interface Status {
  /** Changed files by path, with their state or `null` when the file is gone. Only files that git tracks or would track. */
  changed: Map<string, TreeFile | null>;
  /** Notes for a person on what was left alone and why. */
  leftAlone: { path: string; why: string }[];
  /** Lines of `.gitignore` files that are not followed here. */
  droppedPatterns: string[];
}

/**
 * Compares the files of the app with the last commit. Ignored files are skipped. New files with the names of secrets and
 * files that are too large are left alone and reported.
 *
 * @param options.write whether to write the objects of changed files, for a commit
 * @param options.only only these files are compared
 */
export async function statusOf(
  repository: Repository,
  { write = false, only }: { write?: boolean; only?: ReadonlySet<string> | undefined } = {},
): Promise<Status> {
  const { gitdir } = repository;
  const [entries, head] = await Promise.all([readIndex(repository), headOf(repository)]);
  const committed = await filesOf(repository, await treeOf(repository, head.commit));
  const written = await lstat(join(gitdir, 'index'), { bigint: true }).catch(() => undefined);
  const walk = new Walk(repository, entries, { writtenNs: written?.mtimeNs ?? 0n, write, only });
  const { rules, isIgnored } = await ignoreRules(repository);
  await walk.folder('', rules, true, isIgnored);
  const status: Status = { changed: new Map(), leftAlone: walk.leftAlone, droppedPatterns: [...walk.dropped] };
  for (const [path, file] of walk.found) {
    if (only?.has(path) === false) continue;
    const was = committed.get(path);
    if (was?.oid !== file.oid || was.mode !== file.mode) status.changed.set(path, file);
  }
  for (const path of new Set([...committed.keys(), ...walk.tracked.keys()])) {
    if (only?.has(path) === false) continue;
    if (!walk.found.has(path) && !walk.kept.has(path) && committed.has(path)) status.changed.set(path, null);
  }
  return status;
}

interface WalkOptions {
  /** When the index was written. */
  writtenNs: bigint;
  write: boolean;
  only: ReadonlySet<string> | undefined;
}

class Walk {
  readonly found = new Map<string, TreeFile>();
  readonly tracked: Map<string, IndexEntry>;
  readonly leftAlone: Status['leftAlone'] = [];
  /** Tracked paths that we do not commit. In the commit they stay as they were. */
  readonly kept = new Set<string>();
  readonly dropped = new Set<string>();
  readonly #trackedFolders = new Set<string>();
  readonly #repository: Repository;
  readonly #writtenNs: bigint;
  readonly #write: boolean;
  /** The files of `only`, with their parent folders. */
  readonly #only: ReadonlySet<string> | undefined;
  readonly #files: FolderFiles;

  constructor(repository: Repository, entries: readonly IndexEntry[], { writtenNs, write, only }: WalkOptions) {
    this.#repository = repository;
    this.#writtenNs = writtenNs;
    this.#write = write;
    this.#only = only && withFolders(only);
    this.#files = new FolderFiles(repository.app, { refuseLinks: true });
    this.tracked = new Map(entries.map((entry) => [entry.path, entry]));
    for (const entry of entries) {
      for (let at = entry.path.indexOf('/'); at !== -1; at = entry.path.indexOf('/', at + 1)) {
        this.#trackedFolders.add(entry.path.slice(0, at));
      }
      // It is another repository, or a file that the person told git to skip.
      if (entry.mode === 0o160000 || entry.flags.assumeValid || entry.flags.skipWorktree === true) {
        this.found.set(entry.path, entry);
      }
    }
  }

  /** @param isIgnored whether git ignores the folder, although it tracks files in it */
  async folder(folder: string, outer: GitIgnore, isTop = false, isIgnored = false): Promise<void> {
    const { app } = this.#repository;
    const entries = await readdir(join(app, folder), { withFileTypes: true }).catch(() => []);
    const rules = !isTop && entries.some(({ name }) => name === '.gitignore') ? rulesWithin(outer, app, folder) : outer;
    for (const pattern of rules.dropped) this.dropped.add(pattern);
    const folders: string[] = [];
    const files: Promise<void>[] = [];
    for (const entry of entries) {
      if (entry.name.toLowerCase() === '.git') continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (this.found.has(path) || this.#only?.has(path) === false) continue;
      if (isIgnored && !this.tracked.has(path) && !this.#trackedFolders.has(path)) continue;
      if (!entry.isDirectory()) files.push(this.#file(path, entry.isFile(), entry.isSymbolicLink(), rules));
      else if (this.#trackedFolders.has(path) || this.#wouldTrack(`${path}/`, rules)) folders.push(path);
    }
    await Promise.all(files);
    for (const path of folders) {
      if (!this.#trackedFolders.has(path) && (await isOtherRepository(join(app, path)))) {
        this.leftAlone.push({ path, why: 'it is a repository of its own' });
      } else await this.folder(path, rules, false, isIgnored || rules.ignores(`${path}/`));
    }
  }

  #wouldTrack(path: string, rules: GitIgnore): boolean {
    if (rules.ignores(path)) return false;
    if (!isSecret(path.split('/').filter(Boolean))) return true;
    this.leftAlone.push({ path, why: 'its name is that of a secret' });
    return false;
  }

  async #file(path: string, isFile: boolean, isLink: boolean, rules: GitIgnore): Promise<void> {
    const entry = this.tracked.get(path);
    if (entry === undefined && !this.#wouldTrack(path, rules)) return;
    if (!isFile && !isLink) return this.#leaveAlone(path, 'it is no regular file');
    try {
      const file = isLink ? await this.#link(path) : await this.#regular(path, entry);
      if (file !== undefined) this.found.set(path, file);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'ENOENT') this.#leaveAlone(path, error instanceof Error ? error.message : String(code));
    }
  }

  async #link(path: string): Promise<TreeFile> {
    const target = Buffer.from(await readlink(join(this.#repository.app, path)));
    return { oid: await this.#object(target), mode: 0o120000 };
  }

  async #regular(path: string, entry: IndexEntry | undefined): Promise<TreeFile | undefined> {
    const stats = await lstat(join(this.#repository.app, path), { bigint: true });
    const mode = modeOf(this.#repository, (stats.mode & 0o100n) !== 0n, entry);
    if (entry !== undefined && isSurelySame(entry, stats, mode, this.#writtenNs)) return { oid: entry.oid, mode };
    if (stats.size > maxFileBytes) {
      this.#leaveAlone(path, `it is over ${maxFileBytes / 1024 / 1024} MB`);
      return undefined;
    }
    const { bytes } = this.#files.read(path, maxFileBytes, 'git');
    const blob = await blobOf(this.#repository, bytes);
    if (entry !== undefined) {
      const { oid } = await git.hashBlob({ object: blob });
      if (oid === entry.oid) return { oid, mode };
    }
    refuseFilter(this.#repository, path);
    return { oid: await this.#object(blob), mode };
  }

  async #object(blob: Uint8Array): Promise<string> {
    if (this.#write) return git.writeBlob({ ...this.#repository.base, blob });
    return (await git.hashBlob({ object: blob })).oid;
  }

  #leaveAlone(path: string, why: string): void {
    this.leftAlone.push({ path, why });
    this.kept.add(path);
  }
}

async function isOtherRepository(folder: string): Promise<boolean> {
  return (await lstat(join(folder, '.git')).catch(() => undefined)) !== undefined;
}

function withFolders(paths: ReadonlySet<string>): ReadonlySet<string> {
  const all = new Set(paths);
  for (const path of paths) {
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) all.add(path.slice(0, at));
  }
  return all;
}
