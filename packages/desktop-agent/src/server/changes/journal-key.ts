import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivate } from '../private-files.ts';

const keyBytes = 32;

/** A random key of this process, until the program loads that of its data folder. */
let key: Buffer = randomBytes(keyBytes);

/**
 * Loads the key of the data folder, which the first start makes. The next start acts on a journal in an app's folder, but
 * this folder may come from a stranger's archive. So journals are signed.
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

/** @param path where the text is stored; the signature is invalid elsewhere */
export function signatureOf(path: string, text: string): string {
  return createHmac('sha256', key).update(`${path}\0${text}`).digest('hex');
}

export function isSignatureOf(path: string, text: string, signature: string): boolean {
  const [said, right] = [Buffer.from(signature), Buffer.from(signatureOf(path, text))];
  return said.length === right.length && timingSafeEqual(said, right);
}
