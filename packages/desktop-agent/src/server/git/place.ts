// Finds the repository of an app, in its folder or in a parent folder whose repository has the app's files.
import { createHash } from 'node:crypto';
import { lstatSync, type Stats } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

export interface Place {
  /** The folder with `.git`, absolute and free of links. */
  root: string;
  /** The app's path in it, with `/` at the end, such as `packages/web/`. It is '' when the app is the whole repository. */
  prefix: string;
}

/**
 * The repository of an app; `null` for a folder without one. The repository of a parent folder counts only if it has files of
 * the app, because a person's home folder may be a repository too.
 *
 * @param app absolute and free of links
 */
export async function placeOf(app: string): Promise<Place | null> {
  if (statsOf(join(app, '.git')) !== undefined) return { root: app, prefix: '' };
  const root = repositoryAbove(app);
  if (root === null) return null;
  const place = { root, prefix: prefixOf(root, app) };
  // A worktree, a submodule and a link are refused by name later, whatever files they have.
  if (statsOf(join(root, '.git'))?.isDirectory() === true && !(await hasFilesOf(place))) return null;
  return place;
}

/**
 * The nearest parent folder that is a repository, a worktree or a submodule. As in git, one of another user does not count,
 * because that user could read what is committed there.
 */
export function repositoryAbove(app: string): string | null {
  for (let folder = dirname(app); ; folder = dirname(folder)) {
    const stats = statsOf(join(folder, '.git'));
    if (stats !== undefined && (!stats.isDirectory() || isRepository(folder)) && isOurs(stats)) return folder;
    if (folder === dirname(folder)) return null;
  }
}

/** The paths of an app's parent folders in the repository, from the root down: '', `packages/`. */
export function foldersAbove({ prefix }: Place): string[] {
  const ends = [...prefix.matchAll(/\//g)].map(({ index }) => index + 1);
  return prefix === '' ? [] : ['', ...ends.slice(0, -1).map((end) => prefix.slice(0, end))];
}

/** The place of a folder in a parent's repository, even without files of it; `null` if there is none, or it has its own. */
export function placeAround(app: string): Place | null {
  if (statsOf(join(app, '.git')) !== undefined) return null;
  const root = repositoryAbove(app);
  return root === null ? null : { root, prefix: prefixOf(root, app) };
}

function prefixOf(root: string, app: string): string {
  return `${relative(root, app).split(sep).join('/')}/`;
}

/** An empty `.git` is not a repository, as in git. */
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
    // The `.git` of a worktree is a file, or the folder may not be entered.
    return undefined;
  }
}

/** Remembers the place, so that the app stays a part of the repository when its last file is deleted. */
export function markOf({ root, prefix }: Place): string {
  return join(root, '.git', 'mustard-agent', `app-${createHash('sha256').update(prefix).digest('hex')}`);
}

/** Results by app, so that an index of 30 MB is not read again for each question about the app. */
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
  // An index that was just written may be written again with the same time.
  if (Date.now() - stats.mtimeMs > settledMs) found.set(app, { state, hasFiles });
  return hasFiles;
}

const settledMs = 2000;
const header = 12;
const fixedBytes = 62;

/**
 * Whether an index has a path with this prefix. Each entry has a fixed part, the path, and zeros up to a multiple of eight
 * bytes. For another version of the index it returns true; such a repository is refused with a reason when it is opened.
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
