import type { Found } from './walk.ts';

/** How full the room is filled when something has to go: so that the next files that grow do not move it again. */
const filledTo = 0.8;
/** With more room than this left, what was left out is taken in again. */
const wastedBelow = 0.6;

/** Where the order of changes is cut: what was changed before it is left out. */
export interface Cut {
  mtimeMs: number;
  path: string;
}

/** Least recently changed first. */
export function byAge(a: Cut, b: Cut): number {
  return a.mtimeMs - b.mtimeMs || (a.path < b.path ? -1 : Number(a.path > b.path));
}

/**
 * Which files fit into the room: the most recently changed. A prompt begins with the oldest, and when that one changes
 * nothing of it is found in the cache of the model. So the cut stays where it was while it can, and moves in great steps.
 *
 * @param files by age
 * @returns `undefined` when all fit
 */
export function cutFor(files: readonly Found[], totalBytes: number, before: Cut | undefined): Cut | undefined {
  if (sizeAfter(files, undefined) <= totalBytes) return undefined;
  if (before !== undefined) {
    const bytes = sizeAfter(files, before);
    if (bytes <= totalBytes && bytes >= totalBytes * wastedBelow) return before;
  }
  let room = totalBytes * filledTo;
  let cut: Cut = { mtimeMs: Infinity, path: '' };
  for (const file of files.toReversed()) {
    room -= file.stats.size;
    if (room < 0) break;
    cut = cutAt(file);
  }
  return cut;
}

export function isAfter(file: Found, cut: Cut | undefined): boolean {
  return cut === undefined || byAge(cutAt(file), cut) >= 0;
}

export function cutAt({ path, stats }: Found): Cut {
  return { mtimeMs: stats.mtimeMs, path };
}

function sizeAfter(files: readonly Found[], cut: Cut | undefined): number {
  return files.reduce((sum, file) => sum + (isAfter(file, cut) ? file.stats.size : 0), 0);
}
