import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes a file as a whole: who reads it meanwhile sees the old content or the new. Leaves it alone when it is the same.
 * @param {string} path
 * @param {string | Uint8Array} content
 */
export function replaceFile(path, content) {
  const bytes = Buffer.from(content);
  if (contentOf(path)?.equals(bytes)) return;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, bytes);
  renameSync(temporary, path);
}

/** @param {string} path */
function contentOf(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
