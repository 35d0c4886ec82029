import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { constants, inflate, inflateSync } from 'node:zlib';
import type { GitFiles } from '../git-files.ts';
import { Budget } from './budget.ts';
import { applyDelta, resultSize } from './delta.ts';
import { broken, missing, otherType, tooLarge } from './errors.ts';
import { Pack, type ObjectType, type PackEntry } from './pack.ts';

const inflated = promisify(inflate);

/** The largest object, in bytes. The files of an app may not be larger. */
const maxBytes: Record<ObjectType, number> = {
  blob: 100 * 1024 * 1024,
  tree: 16 * 1024 * 1024,
  commit: 4 * 1024 * 1024,
  tag: 4 * 1024 * 1024,
};
/** The longest chain of deltas. git itself makes no longer ones. */
const maxChain = 4095;
const maxCachedBytes = 32 * 1024 * 1024;
/** Smaller objects are inflated in this thread, because handing them to another one takes longer. */
const maxAtOnce = 64 * 1024;
const loosePattern = /^(commit|tree|blob|tag) (\d{1,15})\0/;
const probe = 512;

interface Found {
  type: ObjectType;
  size: number;
  /** Inflates the object. */
  bytes: () => Promise<Buffer>;
}

/**
 * The objects of a repository that may come from a stranger. isomorphic-git reads whole packs into memory and inflates
 * anything. Here the size of an object is checked before it is inflated, and each operation has a budget. Its time is bounded
 * by that of the task; see `worker/pool.ts`.
 */
export class Objects {
  readonly budget = new Budget();
  readonly #files: GitFiles;
  readonly #folder: string;
  #packs: Pack[] | undefined;
  /** A cache of the bases of deltas, by pack and offset, the most recently used last. Chains often share their bases. */
  readonly #bases = new Map<string, Buffer>();
  #baseBytes = 0;

  constructor(files: GitFiles) {
    this.#files = files;
    this.#folder = join(files.gitdir, 'objects');
  }

  /** @throws {AgentError} `not_found`, `limit_exceeded`, `no_git` when it is broken or of another type */
  async read(oid: string, type: ObjectType): Promise<Buffer> {
    this.budget.spendEntries(1);
    const found = await this.#find(oid);
    if (found.type !== type) throw otherType(oid, found.type, type);
    if (found.size > maxBytes[type]) throw tooLarge(oid, maxBytes[type]);
    const bytes = await found.bytes();
    const hash = createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
    if (hash !== oid) throw broken(oid.slice(0, 10));
    return bytes;
  }

  /** The size of an object. Only its beginning is read. @throws {AgentError} as `read` */
  async sizeOf(oid: string): Promise<number> {
    return (await this.#find(oid)).size;
  }

  async #find(oid: string): Promise<Found> {
    if (!/^[0-9a-f]{40}$/.test(oid)) throw broken('the id of an object');
    // There may be a new pack, because git repacks by itself.
    const found = (await this.#packed(oid)) ?? (await this.#loose(oid)) ?? (await this.#packed(oid, true));
    if (found !== undefined) return found;
    throw missing(oid);
  }

  async #loose(oid: string): Promise<Found | undefined> {
    const path = join(this.#folder, oid.slice(0, 2), oid.slice(2));
    const beginning = await this.#files.withFile(path, (fd) => readFileSync(fd), maxBytes.blob).catch(nothing);
    if (beginning === undefined) return undefined;
    const said = loosePattern.exec(partOf(beginning).toString('latin1'));
    if (said === null) throw broken(oid.slice(0, 10));
    const [header, type, size] = said as unknown as [string, ObjectType, string];
    const bytes = async (): Promise<Buffer> =>
      (await this.#inflated(beginning, header.length + Number(size))).subarray(header.length);
    return { type, size: Number(size), bytes };
  }

  async #packed(oid: string, anew = false): Promise<Found | undefined> {
    if (anew) this.#packs = undefined;
    for (const pack of (this.#packs ??= await this.#listPacks())) {
      const offset = await pack.offsetOf(oid).catch(nothing);
      if (offset !== undefined) return this.#inPack(pack, offset, oid);
    }
    return undefined;
  }

  async #listPacks(): Promise<Pack[]> {
    const folder = join(this.#folder, 'pack');
    const names = await this.#files.list(folder).catch(nothing);
    const packs = (names ?? []).filter((name) => name.endsWith('.idx'));
    return packs.map((name) => new Pack(this.#files, join(folder, basename(name, '.idx'))));
  }

  async #inPack(pack: Pack, offset: number, oid: string): Promise<Found> {
    const chain: PackEntry[] = [];
    const offsets: number[] = [];
    let entry = await pack.entryAt(offset);
    for (let at = offset; entry.base !== undefined; entry = await pack.entryAt(at)) {
      // A delta may be its own base, or several may form a ring.
      offsets.push(at);
      if (chain.length === maxChain || offsets.includes(entry.base)) throw broken('a chain of deltas');
      chain.push(entry);
      at = entry.base;
    }
    const { type } = entry;
    if (type === 'delta') throw broken('a pack');
    const [first] = chain;
    const size = first === undefined ? entry.size : await this.#resultSize(pack, first);
    const limit = maxBytes[type];
    const bytes = async (): Promise<Buffer> => {
      if ([entry, ...chain].some((one) => one.size > limit)) throw tooLarge(oid, limit);
      return this.#resolved(pack, entry, chain, limit);
    };
    return { type, size, bytes };
  }

  async #resultSize(pack: Pack, delta: PackEntry): Promise<number> {
    return resultSize(partOf(await pack.compressed(delta.start, probe)));
  }

  /** @param chain the deltas, of which the last one changes `base` */
  async #resolved(pack: Pack, base: PackEntry, chain: readonly PackEntry[], limit: number): Promise<Buffer> {
    const key = ({ start }: PackEntry): string => `${this.#packs?.indexOf(pack)} ${start}`;
    const known = chain.findIndex((entry) => this.#bases.has(key(entry)));
    const todo = known === -1 ? chain : chain.slice(0, known);
    const begin = known === -1 ? base : (chain[known] as PackEntry);
    let bytes = this.#bases.get(key(begin)) ?? (await this.#inflatedEntry(pack, begin));
    this.#keep(key(begin), bytes);
    for (const entry of todo.toReversed()) {
      const delta = await this.#inflatedEntry(pack, entry);
      if (resultSize(delta) > limit) throw broken('a chain of deltas');
      this.budget.spendBytes(resultSize(delta));
      bytes = applyDelta(bytes, delta);
      this.#keep(key(entry), bytes);
    }
    return bytes;
  }

  #keep(key: string, bytes: Buffer): void {
    if (bytes.length > maxCachedBytes / 16) return;
    this.#baseBytes += bytes.length - (this.#bases.get(key)?.length ?? 0);
    this.#bases.delete(key);
    this.#bases.set(key, bytes);
    for (const [oldest, { length }] of this.#bases) {
      if (this.#baseBytes <= maxCachedBytes) break;
      this.#bases.delete(oldest);
      this.#baseBytes -= length;
    }
  }

  async #inflatedEntry(pack: Pack, { start, size }: PackEntry): Promise<Buffer> {
    // Compressed data is never longer than this, even if it cannot be compressed.
    return this.#inflated(await pack.compressed(start, size + (size >>> 10) + 1024), size);
  }

  async #inflated(compressed: Buffer, size: number): Promise<Buffer> {
    this.budget.spendBytes(size);
    const options = { maxOutputLength: Math.max(1, size) };
    const unpack = async (): Promise<Buffer> =>
      size <= maxAtOnce ? inflateSync(compressed, options) : await inflated(compressed, options);
    const bytes = await unpack().catch(() => {
      throw broken('an object, which is not what its header says or cannot be unpacked,');
    });
    if (bytes.length !== size) throw broken('an object, whose size is not what its header says,');
    return bytes;
  }
}

/** The header of a compressed object. */
function partOf(compressed: Buffer): Buffer {
  try {
    return inflateSync(compressed.subarray(0, probe), { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    throw broken('an object');
  }
}

function nothing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}
