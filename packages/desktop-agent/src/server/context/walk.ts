import { FolderFiles } from '@mustard-sandbox/paths';
import type { Stats } from 'node:fs';
import { rulesAbove } from '../git/ignored.ts';
import { placeAround } from '../git/place.ts';
import { GitIgnore } from './gitignore.ts';

/** A regular file of an app, with its path relative to the app. */
export interface Found {
  path: string;
  /** The path on the disk, which differs when the file is to be renamed. */
  source: string;
  stats: Stats;
}

const tool = 'context';
/** How many entries one walk visits. It is more than apps have, and does not fill the memory. */
const maxWalked = 100_000;
const maxDepth = 64;
const maxIgnoreBytes = 256 * 1024;

/**
 * All files of an app except ignored ones, secrets, links and devices. A folder that cannot be listed counts as empty.
 *
 * @param above the rules of parent folders in the same repository
 * @returns `complete` is false when there are more than were visited
 */
export function walk(
  files: FolderFiles,
  maxEntries = maxWalked,
  above = new GitIgnore(),
): { found: Found[]; complete: boolean } {
  const found: Found[] = [];
  const open: { folder: string; ignored: GitIgnore; depth: number }[] = [{ folder: '', ignored: above, depth: 0 }];
  let entries = 0;
  for (let next; (next = open.pop()) !== undefined;) {
    const { folder, depth } = next;
    const ignored = withOwnRules(files, folder, next.ignored);
    for (const { name, stats } of listed(files, folder)) {
      if (++entries > maxEntries) return { found, complete: false };
      const path = folder + name;
      if (ignored.ignores(stats === undefined ? `${path}/` : path)) continue;
      if (stats !== undefined) found.push({ path, source: path, stats });
      else if (depth < maxDepth) open.push({ folder: `${path}/`, ignored, depth: depth + 1 });
    }
  }
  return { found, complete: true };
}

/** The rules of an app's parent folders in the same repository, except a rule that ignores the whole app. */
export function rulesAround(appPath: string): GitIgnore {
  const place = placeAround(appPath);
  if (place === null) return new GitIgnore();
  const { rules, isIgnored } = rulesAbove(place);
  return isIgnored ? new GitIgnore() : rules;
}

function* listed(files: FolderFiles, folder: string): ReturnType<FolderFiles['list']> {
  try {
    yield* files.list(folder === '' ? '.' : folder, tool);
  } catch {
    // It may not be read, or has gone meanwhile.
  }
}

function withOwnRules(files: FolderFiles, folder: string, ignored: GitIgnore): GitIgnore {
  try {
    return ignored.within(folder, files.read(`${folder}.gitignore`, maxIgnoreBytes, tool).bytes.toString('utf8'));
  } catch {
    // Most folders have no `.gitignore`.
    return ignored;
  }
}
