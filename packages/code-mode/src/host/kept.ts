// Files that a host keeps beside its runs, in a folder that only its user may enter.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { appendFile, link, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Key } from '@mustard-sandbox/runs';
import { CodeModeError } from '../errors.ts';
import type { RememberedRule } from '../options.ts';

const keyBytes = 32;

/**
 * The key that seals the runs of a folder. It is made at its first use. Anyone who can read the file can read the runs.
 *
 * @throws {CodeModeError} `invalid_request` for a damaged key, because a new one would lose the runs that wait
 */
export async function keyIn(folder: string): Promise<Key> {
  const file = join(folder, 'key');
  await writeNew(file, `${randomBytes(keyBytes).toString('hex')}\n`);
  const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'hex');
  if (key.length === keyBytes) return { id: 'folder', key };
  const problem = `'${file}' is not a key of ${keyBytes} bytes in hex, so the runs beside it cannot be opened.`;
  throw new CodeModeError('invalid_request', problem);
}

/** The remembered rules, one on each line. A line that is not a rule, as after a full disk, allows nothing. */
export function rememberedIn(folder: string): RememberedRule[] {
  return textOf(join(folder, 'remembered.jsonl'))
    .split('\n')
    .flatMap((line) => {
      try {
        const rule = JSON.parse(line) as RememberedRule | null;
        return typeof rule?.tool === 'string' ? [rule] : [];
      } catch {
        return [];
      }
    });
}

/** Adds a rule in one write, because another process may do the same. */
export async function remember(folder: string, rule: RememberedRule): Promise<void> {
  await appendFile(join(folder, 'remembered.jsonl'), `${JSON.stringify(rule)}\n`, { mode: 0o600 });
}

/** Writes a whole file that only this user may read, unless it exists. Of two processes the first one wins. */
export async function writeNew(file: string, text: string): Promise<void> {
  const partial = `${resolve(file)}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await writeFile(partial, text, { mode: 0o600, flush: true });
    await link(partial, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(partial, { force: true });
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
