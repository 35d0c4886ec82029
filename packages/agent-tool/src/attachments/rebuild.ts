import { open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { readingError, systemCode, writingError } from './errors.ts';
import { blobName, sizeOfFile } from './folder.ts';
import { guessMediaType, probedBytes } from './media-type.ts';
import { manifestName, readPrevious, writeManifest, type ManifestEntry } from './manifest.ts';
import { keyOf, nameKey, uniqueName } from './names.ts';

export interface Rebuilt {
  entries: readonly ManifestEntry[];
  /** File name of the broken manifest. Absent when there was none. */
  setAside?: string;
  /** How many entries kept their name; the others are called `attachment-<start of the hash>`. */
  named: number;
}

/**
 * Makes a manifest from the files in the folder. Names come from the broken manifest and from the one before it, as far
 * as they can be read. A stored file that neither names gets a generated name. Call it only within the lock.
 *
 * @param salvaged entries of the broken manifest; `undefined` when there is no manifest
 * @returns `undefined` when there is no manifest and nothing to rebuild one from
 * @throws {AttachmentError} `unreadable`, `unwritable`, `disk_full`
 */
export async function rebuildManifest(
  folder: string,
  salvaged: readonly ManifestEntry[] | undefined,
): Promise<Rebuilt | undefined> {
  const blobs = await sizesOfBlobs(folder);
  if (salvaged === undefined && blobs.size === 0) return undefined;
  const known = new Map<string, ManifestEntry>();
  for (const entry of [...(salvaged ?? []), ...(await readPrevious(folder))]) {
    const key = keyOf(entry);
    if (blobs.get(entry.file) === entry.size && !known.has(key)) known.set(key, entry);
  }
  const entries = [...known.values()];
  const named = entries.length;
  const files = new Set(entries.map(({ file }) => file));
  for (const [file, size] of blobs) {
    if (files.has(file)) continue;
    entries.push(await nameless(folder, file, size, new Set(entries.map(({ name }) => nameKey(name)))));
  }
  const setAside = salvaged === undefined ? undefined : await setManifestAside(folder);
  await writeManifest(folder, entries);
  return { entries, named, ...(setAside !== undefined && { setAside }) };
}

/** The names of stored files, with their sizes in bytes. Links are left out, because they may lead anywhere. */
export async function sizesOfBlobs(folder: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const name of (await namesIn(folder)).sort()) {
    if (!blobName.test(name)) continue;
    const size = await sizeOfFile(join(folder, name));
    if (size !== undefined) sizes.set(name, size);
  }
  return sizes;
}

export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw readingError(error, folder);
  }
}

async function nameless(
  folder: string,
  file: string,
  size: number,
  taken: ReadonlySet<string>,
): Promise<ManifestEntry> {
  const sha256 = blobName.exec(file)?.[1] as string;
  const name = uniqueName(`attachment-${sha256.slice(0, 8)}${file.slice(sha256.length)}`, taken);
  const { head, storedAt } = await lookInto(join(folder, file));
  const mediaType = await guessMediaType(name, head, size <= head.length);
  return { name, originalName: name, file, sha256, size, mediaType, storedAt };
}

async function lookInto(path: string): Promise<{ head: Uint8Array; storedAt: string }> {
  try {
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(probedBytes), 0, probedBytes, 0);
      return { head: buffer.subarray(0, bytesRead), storedAt: (await file.stat()).mtime.toISOString() };
    } finally {
      await file.close();
    }
  } catch (error) {
    throw readingError(error, path);
  }
}

async function setManifestAside(folder: string): Promise<string> {
  const name = `${manifestName}.corrupt-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  try {
    await rename(join(folder, manifestName), join(folder, name));
    return name;
  } catch (error) {
    throw writingError(error, folder);
  }
}
