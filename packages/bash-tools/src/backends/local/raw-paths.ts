import { readdirSync, type Dirent } from 'node:fs';

// Converts a path to a raw path, which is a text with one character for each byte. A name need not be UTF-8: a command
// may hide a file in a folder whose name Node cannot return as text.

export function rawOf(path: string): string {
  return Buffer.from(path).toString('latin1');
}

/** A raw path for functions of the file system. */
export function bytesOf(raw: string): Buffer {
  return Buffer.from(raw, 'latin1');
}

/** A raw path as text, to show it and to compare names. */
export function shown(raw: string): string {
  return bytesOf(raw).toString();
}

/** Whether the path can be passed to a program. */
export function isText(raw: string): boolean {
  return rawOf(shown(raw)) === raw;
}

/**
 * The entries of a folder. Empty for a folder that nobody can open, because nothing in it runs by itself.
 *
 * @param folder raw, like the names in the answer
 */
export function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(bytesOf(folder), { withFileTypes: true, encoding: 'latin1' });
  } catch {
    return [];
  }
}
