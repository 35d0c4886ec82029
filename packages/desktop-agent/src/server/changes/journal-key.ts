import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivate } from '../private-files.ts';

const keyBytes = 32;

/** Of this process alone, until the program takes that of its data folder. */
let key: Buffer = randomBytes(keyBytes);

/**
 * Takes the key of the data folder, made at the first start: a journal in the folder of an app is acted upon by the next
 * start, and the folder may have been unpacked from an archive of a stranger.
 */
export async function useJournalKey(dataDir: string): Promise<void> {
  const file = join(dataDir, 'journal.key');
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const kept = Buffer.from(text.trim(), 'hex');
  key = kept.length === keyBytes ? kept : randomBytes(keyBytes);
  if (kept.length !== keyBytes) await writePrivate(file, `${key.toString('hex')}\n`);
}

/** @param path where the text lies: it holds nowhere else */
export function signatureOf(path: string, text: string): string {
  return createHmac('sha256', key).update(`${path}\0${text}`).digest('hex');
}

export function isSignatureOf(path: string, text: string, signature: string): boolean {
  const [said, right] = [Buffer.from(signature), Buffer.from(signatureOf(path, text))];
  return said.length === right.length && timingSafeEqual(said, right);
}
