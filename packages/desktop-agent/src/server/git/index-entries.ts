// Reads and writes git's index with the parts of isomorphic-git that are exported.
import type { BigIntStats } from 'node:fs';
import { GitIndexManager } from 'isomorphic-git/managers';
import { FileSystem } from 'isomorphic-git/models';
import { forget, openRepository, type Repository } from './repository.ts';

/** The index entry of a file. Its times show whether the file may have changed since. */
export interface IndexEntry {
  path: string;
  oid: string;
  mode: number;
  size: number;
  ino: number;
  mtimeSeconds: number;
  mtimeNanoseconds: number;
  ctimeSeconds: number;
  ctimeNanoseconds: number;
  flags: { assumeValid: boolean; skipWorktree?: boolean; intentToAdd?: boolean };
}

interface GitIndex {
  entries: IndexEntry[];
  has(entry: { filepath: string }): boolean;
  insert(entry: { filepath: string; stats: object; oid: string }): void;
  delete(entry: { filepath: string }): void;
}

/** Changes of the index by path: an object with the state of its file, or `null` to remove the entry. */
export type IndexChanges = ReadonlyMap<string, { oid: string; mode: number; stats: BigIntStats | undefined } | null>;

/** @throws for an unfinished merge (`UnmergedPathsError`), and for an index that is broken or has version 4 */
export async function readIndex(repository: Repository): Promise<IndexEntry[]> {
  const { prefix } = repository;
  return withIndex(repository, ({ entries }) => {
    if (prefix === '') return entries;
    const own = entries.filter(({ path }) => path.startsWith(prefix));
    return own.map((entry) => ({ ...entry, path: entry.path.slice(prefix.length) }));
  });
}

/** The caller holds the lock of the index. */
export async function writeIndex(appPath: string, changes: IndexChanges): Promise<void> {
  const repository = await openRepository(appPath);
  await withIndex(repository, (index) => {
    const placed = [...changes].map(([path, entry]) => [repository.prefix + path, entry] as const);
    // Deletions come first, because a folder may replace a file.
    for (const [path, entry] of placed) if (entry === null && hasEntry(index, path)) index.delete({ filepath: path });
    for (const [path, entry] of placed) {
      if (entry === null) continue;
      index.insert({ filepath: path, stats: { ...timesOf(entry.stats), mode: entry.mode }, oid: entry.oid });
    }
  });
}

async function withIndex<T>({ base, ...repository }: Repository, use: (index: GitIndex) => T): Promise<T> {
  const options = { ...base, fs: new FileSystem(base.fs) as never, allowUnmerged: false };
  try {
    return (await GitIndexManager.acquire(options, (index) => use(index))) as T;
  } catch (error) {
    // The cached index has the change, but the index on the disk does not.
    forget({ base, ...repository });
    throw error;
  }
}

/** Whether the index has a file at this path. `delete` with the path of a folder would remove everything in it. */
function hasEntry(index: GitIndex, path: string): boolean {
  return index.has({ filepath: path });
}

/** The mode that git stores for a file. If the disk has no bit for it (`core.fileMode`), the mode stays as it was. */
export function modeOf({ hasModes }: Repository, executable: boolean, entry: { mode: number } | undefined): number {
  const isSet = hasModes ? executable : entry?.mode === 0o100755;
  return isSet ? 0o100755 : 0o100644;
}

const billion = 1_000_000_000n;

function timesOf(stats: BigIntStats | undefined): Omit<IndexEntry, 'path' | 'oid' | 'mode' | 'flags'> & object {
  if (stats === undefined) {
    const none = { size: 0, ino: 0, dev: 0, uid: 0, gid: 0, mtimeSeconds: 0, mtimeNanoseconds: 0 };
    return { ...none, ctimeSeconds: 0, ctimeNanoseconds: 0 };
  }
  const { size, ino, dev, uid, gid, mtimeNs, ctimeNs } = stats;
  const numbers = { size: Number(size), ino: Number(ino), dev: Number(dev), uid: Number(uid), gid: Number(gid) };
  return {
    ...numbers,
    mtimeSeconds: Number(mtimeNs / billion),
    mtimeNanoseconds: Number(mtimeNs % billion),
    ctimeSeconds: Number(ctimeNs / billion),
    ctimeNanoseconds: Number(ctimeNs % billion),
  };
}

/**
 * Whether a file surely matches its index entry, without reading it. A file that changed at the moment in which the index was
 * written may look unchanged, so then it is not sure.
 *
 * @param writtenNs when the index was written
 */
export function isSurelySame(entry: IndexEntry, stats: BigIntStats, mode: number, writtenNs: bigint): boolean {
  const now = timesOf(stats);
  return (
    entry.mode === mode &&
    entry.size === now.size % 2 ** 32 &&
    entry.mtimeSeconds === now.mtimeSeconds &&
    entry.ctimeSeconds === now.ctimeSeconds &&
    // git writes 0 if it was built without nanoseconds.
    (entry.mtimeNanoseconds === 0 || entry.mtimeNanoseconds === now.mtimeNanoseconds) &&
    (entry.ctimeNanoseconds === 0 || entry.ctimeNanoseconds === now.ctimeNanoseconds) &&
    stats.mtimeNs < writtenNs
  );
}
