import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { invalidRequest } from '@mustard-sandbox/protocol';
import { attachmentPrefix } from './attachment.ts';
import type { Catalog, Update } from './catalog.ts';
import { AttachmentError, systemCode, writingError } from './errors.ts';
import { blobName, partialName } from './folder.ts';
import { manifestName, type ManifestEntry } from './manifest.ts';
import { chatKey, keyOf, outputOfFile } from './names.ts';
import { ownerOf, stateOf } from './owner.ts';
import { namesIn, sizesOfBlobs } from './rebuild.ts';

/** What `cleanup` may remove. */
export interface CleanupOptions {
  /** The age in ms from which something may be removed, counted from when it was stored last. */
  olderThanMs: number;
  /**
   * What stays, whatever its age: names of attachments, and texts such as the messages of all chats that may continue.
   * A text keeps every attachment that it names as `attachments:<name>`.
   */
  keep?: Iterable<string> | AsyncIterable<string>;
}

/** What was removed from the media folder. */
export interface Removed {
  /** Logical names of the attachments and script outputs that are gone. */
  names: string[];
  /** Files that were removed. */
  files: number;
  /** How many bytes they had on disk. */
  bytes: number;
}

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** Removes attachments, and their files if no other attachment shares them. Call it only within the lock. */
export async function removeEntries(
  folder: string,
  { entries, save }: Update,
  isUnwanted: (entry: ManifestEntry) => boolean,
  removed: Removed,
): Promise<readonly ManifestEntry[]> {
  const unwanted = entries.filter(isUnwanted);
  const remaining = entries.filter((entry) => !unwanted.includes(entry));
  if (remaining.length === entries.length) return entries;
  const needed = new Set(remaining.map(({ file }) => file));
  const files = new Set(entries.map(({ file }) => file).filter((file) => !needed.has(file)));
  const removeFiles = async (): Promise<void> => {
    for (const file of files) await removeFile(join(folder, file), removed);
  };
  try {
    await save(remaining);
  } catch (error) {
    if (!(error instanceof AttachmentError && error.code === 'disk_full')) throw error;
    // On a full disk, the manifest has room only after files were removed.
    await removeFiles();
    await save(remaining);
  }
  await removeFiles();
  removed.names.push(...unwanted.map(({ name }) => name));
  return remaining;
}

/** Removes files without a name, files that dead processes left half written, and entries whose file is gone. */
export async function prune(folder: string, { entries, save }: Update, removed: Removed): Promise<void> {
  const named = new Set(entries.map(({ file }) => file));
  for (const name of await namesIn(folder)) {
    if (blobName.test(name) ? !named.has(name) : await isAbandoned(folder, name)) {
      await removeFile(join(folder, name), removed);
    }
  }
  const files = await sizesOfBlobs(folder);
  const remaining = entries.filter(({ file }) => files.has(file));
  if (remaining.length < entries.length) await save(remaining);
}

/** @see AttachmentStore.cleanup */
export async function cleanup(
  folder: string,
  catalog: Catalog,
  chat: string | undefined,
  options: CleanupOptions,
): Promise<Removed> {
  const removed: Removed = { names: [], files: 0, bytes: 0 };
  // Files that are stored from now on stay, because `keep` cannot name them yet.
  const isOwn = (entry: ManifestEntry): boolean => chat === undefined || entry.chat === chat;
  const entries = (await catalog.read()).filter(isOwn);
  const candidates = new Map(entries.map((entry) => [keyOf(entry), entry.name]));
  const outputs = outputsOf(await namesIn(folder), chat);
  for await (const text of options.keep ?? []) {
    if (typeof text !== 'string')
      throw invalidRequest(`cleanup(): keep has a ${typeof text}, not only names and texts`);
    strike(candidates, text);
    strike(outputs, text);
  }
  await catalog.update(undefined, async (update) => {
    const now = Date.now();
    const old = update.entries.filter((entry) => now - Date.parse(entry.storedAt) >= options.olderThanMs);
    const isUnwanted = (entry: ManifestEntry): boolean => old.includes(entry) && candidates.has(keyOf(entry));
    const entries = await removeEntries(folder, update, isUnwanted, removed);
    await sweep(folder, outputs, now - options.olderThanMs, removed);
    await prune(folder, { ...update, entries }, removed);
  });
  return removed;
}

/**
 * Removes old script outputs, half-written ones, and broken manifests that were set aside. `before` is in ms since
 * 1970.
 */
async function sweep(
  folder: string,
  outputs: ReadonlyMap<string, string>,
  before: number,
  removed: Removed,
): Promise<void> {
  for (const name of await namesIn(folder)) {
    const output = outputs.get(name);
    const isLeftover = /^script-output-.*\.tmp$/.test(name);
    if (output === undefined && !isLeftover && !name.startsWith(`${manifestName}.corrupt-`)) continue;
    const limit = isLeftover ? Math.min(before, Date.now() - hourMs) : before;
    if ((await changedAt(join(folder, name))) > limit) continue;
    await removeFile(join(folder, name), removed);
    if (output !== undefined) removed.names.push(output);
  }
}

/** Names of outputs by their files, of one chat or of all. */
function outputsOf(files: readonly string[], chat: string | undefined): Map<string, string> {
  const outputs = new Map<string, string>();
  for (const file of files) {
    const output = outputOfFile(file);
    if (output === undefined || (chat !== undefined && output.chatKey !== chatKey(chat))) continue;
    outputs.set(file, output.name);
  }
  return outputs;
}

/** @param names by a key that differs for equal names of different chats */
function strike(names: Map<string, string>, text: string): void {
  const normal = text.normalize('NFC');
  for (const [key, name] of names) {
    if (normal === name || normal.includes(attachmentPrefix + name)) names.delete(key);
  }
}

async function isAbandoned(folder: string, name: string): Promise<boolean> {
  const match = partialName.exec(name);
  if (match === null) return false;
  const state = stateOf(ownerOf(match.slice(1)));
  if (state !== 'unknown') return state === 'dead';
  return (await changedAt(join(folder, name))) < Date.now() - dayMs;
}

async function changedAt(path: string): Promise<number> {
  return await lstat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Infinity,
  );
}

/** Removes a file or a link, and counts it if it was there. */
export async function removeFile(path: string, removed: Removed): Promise<void> {
  try {
    const { size } = await lstat(path);
    await rm(path);
    removed.files++;
    removed.bytes += size;
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw writingError(error, path);
  }
}
