import { FolderFiles } from '@mustard-sandbox/paths';
import type { Stats } from 'node:fs';
import { rulesAbove } from '../git/ignored.ts';
import { placeAround } from '../git/place.ts';
import { GitIgnore } from './gitignore.ts';

/** A regular file of an app, by its path from there. */
export interface Found {
  path: string;
  /** Where it is read from: another path when it is to be renamed. */
  source: string;
  stats: Stats;
}

const tool = 'context';
/** What one walk looks at. More than any app has, and less than fills the memory. */
const maxWalked = 100_000;
const maxDepth = 64;
const maxIgnoreBytes = 256 * 1024;

/**
 * All files of an app but what git ignores, secrets, links and devices. A folder that cannot be listed is as if it were
 * empty.
 *
 * @param above what the folders above it say, in the same repository
 * @returns `complete`: whether there are no more than were looked at
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

/** What the folders above an app say, in the same repository. One that leaves the whole app out is not meant for it. */
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
    // Without permission, or gone meanwhile.
  }
}

function withOwnRules(files: FolderFiles, folder: string, ignored: GitIgnore): GitIgnore {
  try {
    return ignored.within(folder, files.read(`${folder}.gitignore`, maxIgnoreBytes, tool).bytes.toString('utf8'));
  } catch {
    // Most folders have none.
    return ignored;
  }
}
