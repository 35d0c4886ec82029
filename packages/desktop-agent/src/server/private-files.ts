import { chmod, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';

/** Makes a folder that only this user may enter. */
export async function privateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
}

/** Makes a file that only this user may read. For an existing file it changes only the permissions. */
export async function privateFile(path: string): Promise<void> {
  const file = await open(path, 'a', 0o600);
  try {
    await file.chmod(0o600);
  } finally {
    await file.close();
  }
}

/** Writes a file that only this user may read. The file is written whole or not at all. */
export async function writePrivate(path: string, text: string): Promise<void> {
  const partial = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(partial, text, { mode: 0o600, flush: true });
    await rename(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
}
