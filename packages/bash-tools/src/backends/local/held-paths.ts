import { chmodSync, lstatSync, renameSync, statSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { isHeldBack } from '@mustard-sandbox/paths';
import { isRunningPart, repositoryMark } from './git-folders.ts';
import { bytesOf, entriesOf, shown } from './raw-paths.ts';

/** A file or folder that runs by itself in a folder of the user, such as `.git` or `.vscode`. */
export interface HeldPath {
  /** Relative to the folder, as a raw path. */
  path: string;
  isFolder: boolean;
  isLink: boolean;
  /** Identifies the file wherever it is moved. */
  inode: string;
}

/**
 * The entries of one folder after the other, without following a link. Everything inside a held folder belongs to that
 * folder.
 */
export function* heldPathsIn(root: string): Generator<HeldPath[], void, undefined> {
  const open = [''];
  for (let folder; (folder = open.pop()) !== undefined;) {
    const held: HeldPath[] = [];
    const entries = entriesOf(join(root, folder));
    const isBare = entries.some((entry) => entry.name === repositoryMark && !entry.isDirectory());
    for (const entry of entries) {
      const path = join(folder, entry.name);
      const isHeld = isHeldBack(shown(entry.name), entry.isDirectory()) || (isBare && isRunningPart(entry.name));
      if (!isHeld) {
        if (entry.isDirectory() && entry.name !== 'node_modules') open.push(path);
        continue;
      }
      const stats = lstatSync(bytesOf(join(root, path)), { throwIfNoEntry: false });
      if (stats === undefined) continue;
      const isLink = entry.isSymbolicLink();
      held.push({ path, isFolder: entry.isDirectory(), isLink, inode: `${stats.dev}:${stats.ino}` });
    }
    yield held;
  }
}

export function isRepository({ path, isFolder }: HeldPath): boolean {
  return isFolder && basename(path) === '.git';
}

/** How much of a name is kept, so that no name exceeds the limit of the system. */
const keptLength = 100;

/**
 * Moves a file aside in its own folder, under a name that no program looks for. The folder is given by its real path,
 * and no command runs.
 *
 * @param path absolute and raw
 */
export function putAside(path: string): void {
  const name = basename(path).replace(/^\.+/, '').slice(0, keptLength);
  const folder = dirname(path);
  // The command may have removed the permission that renaming in its folder needs.
  const { mode } = statSync(bytesOf(folder));
  if ((mode & 0o700) !== 0o700) chmodSync(bytesOf(folder), mode | 0o700);
  renameSync(bytesOf(path), bytesOf(join(folder, `taken-back-${randomBytes(3).toString('hex')}-${name}.aside`)));
}
