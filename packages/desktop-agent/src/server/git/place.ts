// Where the repository of an app is: in its folder, or in one above that has its files.
import { createHash } from 'node:crypto';
import { lstatSync, type Stats } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

export interface Place {
  /** The folder that `.git` is in, absolute and free of links. */
  root: string;
  /** The app below it, with `/` at its end: `packages/web/`. '' when the app is the whole repository. */
  prefix: string;
}

/**
 * The repository of an app; `null` for a folder without one. A repository above counts only when it has files of the folder:
 * a person's home may be a repository, too.
 *
 * @param app absolute and free of links
 */
export async function placeOf(app: string): Promise<Place | null> {
  if (statsOf(join(app, '.git')) !== undefined) return { root: app, prefix: '' };
  const root = repositoryAbove(app);
  if (root === null) return null;
  const place = { root, prefix: prefixOf(root, app) };
  // A worktree, a submodule and a link are refused by name, whatever they have.
  if (statsOf(join(root, '.git'))?.isDirectory() === true && !(await hasFilesOf(place))) return null;
  return place;
}

/**
 * The folder above, the nearest one, that is a repository, a worktree or a submodule. As for git, one of another user is
 * none: what is committed there, that user can read.
 */
export function repositoryAbove(app: string): string | null {
  for (let folder = dirname(app); ; folder = dirname(folder)) {
    const stats = statsOf(join(folder, '.git'));
    if (stats !== undefined && (!stats.isDirectory() || isRepository(folder)) && isOurs(stats)) return folder;
    if (folder === dirname(folder)) return null;
  }
}

/** The folders from the repository down to the one that the app lies in, by their paths in it: '', `packages/`. */
export function foldersAbove({ prefix }: Place): string[] {
  const ends = [...prefix.matchAll(/\//g)].map(({ index }) => index + 1);
  return prefix === '' ? [] : ['', ...ends.slice(0, -1).map((end) => prefix.slice(0, end))];
}

/** Of a folder in a repository above it, whether or not that has its files; `null` without one, or with git of its own. */
export function placeAround(app: string): Place | null {
  if (statsOf(join(app, '.git')) !== undefined) return null;
  const root = repositoryAbove(app);
  return root === null ? null : { root, prefix: prefixOf(root, app) };
}

function prefixOf(root: string, app: string): string {
  return `${relative(root, app).split(sep).join('/')}/`;
}

/** For git, too, an empty `.git` is no repository. */
function isRepository(folder: string): boolean {
  return statsOf(join(folder, '.git', 'HEAD')) !== undefined;
}

function isOurs({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // `.git/HEAD` of a worktree, whose `.git` is a file; a folder that may not be entered.
    return undefined;
  }
}

/** Keeps the place for good: the app stays a part of the repository when the last of its files is deleted. */
export function markOf({ root, prefix }: Place): string {
  return join(root, '.git', 'mustard-agent', `app-${createHash('sha256').update(prefix).digest('hex')}`);
}

/** What was found in an index, by the app: one of 30 MB is not read again for each question about the app. */
const found = new Map<string, { state: string; hasFiles: boolean }>();
const maxFound = 1000;

async function hasFilesOf(place: Place): Promise<boolean> {
  if (statsOf(markOf(place)) !== undefined) return true;
  const gitdir = join(place.root, '.git');
  const stats = statsOf(join(gitdir, 'index'));
  if (stats === undefined) return false;
  const state = [stats.mtimeMs, stats.ctimeMs, stats.size, stats.ino].join(' ');
  const app = join(place.root, place.prefix);
  const known = found.get(app);
  if (known?.state === state) return known.hasFiles;
  const { GitFiles } = await import('./git-files.ts');
  const index = await new GitFiles(gitdir).read(join(gitdir, 'index'));
  const hasFiles = hasBelow(index, Buffer.from(place.prefix));
  if (found.size === maxFound) found.clear();
  // One that was written just now may be written again in the same moment.
  if (Date.now() - stats.mtimeMs > settledMs) found.set(app, { state, hasFiles });
  return hasFiles;
}

const settledMs = 2000;
const header = 12;
const fixedBytes = 62;

/**
 * Whether an index has a path that begins so. Its entries have a fixed part, the path, and zeros up to a multiple of eight
 * bytes. One of another version is said to have it: that cannot be worked with, and whoever opens it says why.
 */
function hasBelow(index: Buffer, prefix: Buffer): boolean {
  if (index.length < header || ![2, 3].includes(index.readUInt32BE(4))) return true;
  const count = index.readUInt32BE(8);
  for (let number = 0, at = header; number < count && at + fixedBytes < index.length; number++) {
    const isExtended = (index.readUInt16BE(at + fixedBytes - 2) & 0x4000) !== 0;
    const start = at + fixedBytes + (isExtended ? 2 : 0);
    if (prefix.compare(index, start, Math.min(start + prefix.length, index.length)) === 0) return true;
    const end = index.indexOf(0, start);
    if (end === -1) return false;
    at += Math.ceil((end + 1 - at) / 8) * 8;
  }
  return false;
}
