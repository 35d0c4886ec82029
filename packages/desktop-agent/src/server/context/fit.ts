import type { Found } from './walk.ts';

/** After a cut, this part of the room is filled, so that files can grow without another cut. */
const filledTo = 0.8;
/** If less of the room is used, files that were left out are taken in again. */
const wastedBelow = 0.6;

/** A place in the order of changes. Files that were changed before it are left out. */
export interface Cut {
  mtimeMs: number;
  path: string;
}

/** Least recently changed first. */
export function byAge(a: Cut, b: Cut): number {
  return a.mtimeMs - b.mtimeMs || (a.path < b.path ? -1 : Number(a.path > b.path));
}

/**
 * Finds the most recently changed files that fit into the room. A prompt begins with the oldest file, and if another file
 * becomes the oldest, the model's cache is of no use. So the cut stays while it can, and moves in large steps.
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
