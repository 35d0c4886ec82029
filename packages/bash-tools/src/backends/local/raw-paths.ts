import { readdirSync, type Dirent } from 'node:fs';

// A name need not be UTF-8: a command may hide a file in a folder whose name Node cannot give back as text. A raw path is
// text with one character a byte.

export function rawOf(path: string): string {
  return Buffer.from(path).toString('latin1');
}

/** For functions of the file system. */
export function bytesOf(raw: string): Buffer {
  return Buffer.from(raw, 'latin1');
}

/** To show it, and to compare names. */
export function shown(raw: string): string {
  return bytesOf(raw).toString();
}

/** Whether a program can be given this path. */
export function isText(raw: string): boolean {
  return rawOf(shown(raw)) === raw;
}

/**
 * What is in a folder. Nothing where nobody can open it: nothing in it runs by itself.
 *
 * @param folder raw, as the names in the answer
 */
export function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(bytesOf(folder), { withFileTypes: true, encoding: 'latin1' });
  } catch {
    return [];
  }
}
