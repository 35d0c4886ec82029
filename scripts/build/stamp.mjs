import { readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { replaceFile } from './replace.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Whether nothing changed since `writeStamp` wrote this stamp: no file was edited, removed or replaced.
 * @param {string} path
 */
export function isFresh(path) {
  const files = readStamp(path);
  return files !== undefined && Object.entries(files).every(([file, state]) => state === stateOf(file));
}

/**
 * Remembers the state of the files that something was made of, and of those that were made.
 * @param {string} path
 * @param {string[]} files absolute
 */
export function writeStamp(path, files) {
  replaceFile(path, JSON.stringify(files.map((file) => [relative(root, file), stateOf(file)])));
}

/**
 * The files, absolute, and the state that each had. In the stamp itself their paths are relative: a repository may move.
 * @param {string} path
 * @returns {Record<string, string> | undefined}
 */
export function readStamp(path) {
  try {
    /** @type {[string, string][]} */
    const files = JSON.parse(readFileSync(path, 'utf8'));
    return Object.fromEntries(files.map(([file, state]) => [join(root, file), state]));
  } catch {
    return undefined; // Never built, or removed with the rest of `dist`.
  }
}

/** @param {string} file */
function stateOf(file) {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? 'missing' : `${stats.mtimeMs} ${stats.size}`;
}
