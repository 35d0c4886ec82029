import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { invalidRequest, SandboxError } from '@mustard-sandbox/protocol';
import type { ObjectName, ObjectStore } from './store.ts';
import { verified, WrongContent } from './verified.ts';

interface Fetched {
  /** The time of the client's file. */
  mtimeMs: number;
  /** The pass with which the store lets the worker in. */
  pass?: string | undefined;
}

interface Entry {
  size: number;
  pins: number;
}

/** How many bytes a file counts in addition to its content. Otherwise empty files could use up all inodes of a disk. */
const nameBytes = 4096;
const mostDepth = 128;
const isHash = /^[0-9a-f]{64}$/;

/**
 * Files that a worker has fetched. Each tenant has a folder of its own, because a jail shows a script everything in a
 * folder.
 */
export class FileCache {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #store: ObjectStore | undefined;
  /** The key is the path; the least recently used comes first. */
  readonly #entries = new Map<string, Entry>();
  readonly #fetching = new Map<string, Promise<void>>();
  #bytes = 0;

  private constructor(folder: string, maxBytes: number, store: ObjectStore | undefined) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#store = store;
  }

  /** Takes over the files in the folder, which no other worker may use. */
  static async open(folder: string, maxBytes: number, store: ObjectStore | undefined): Promise<FileCache> {
    const cache = new FileCache(folder, maxBytes, store);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const tenant of await readdir(folder)) {
      for (const name of await readdir(join(folder, tenant))) {
        const path = join(folder, tenant, name);
        // A fetch that was killed left this file.
        if (isHash.test(name)) cache.#add(path, (await stat(path)).size);
        else await rm(path, { recursive: true, force: true });
      }
    }
    await cache.#makeRoom(0);
    return cache;
  }

  /** How many bytes all files take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The folder of a tenant, which is all that its jails show of this machine's cache. */
  async folderOf(tenant: string): Promise<string> {
    const path = join(this.#folder, tenant);
    await mkdir(path, { recursive: true, mode: 0o700 });
    return path;
  }

  /**
   * The path of a file on this machine. The file stays until `release`.
   *
   * @throws {SandboxError} `sidecar_unavailable` when it is not in the store, or its content does not match its hash
   */
  async pin(object: ObjectName, { mtimeMs, pass }: Fetched): Promise<{ path: string; release: () => void }> {
    const path = join(await this.folderOf(object.tenant), object.sha256);
    while (!this.#entries.has(path)) await this.#once(path, () => this.#fetch(object, path, pass));
    const entry = this.#entries.get(path) as Entry;
    entry.pins++;
    // It moves to the end, because it is now the most recently used.
    this.#entries.delete(path);
    this.#entries.set(path, entry);
    // Scripts see the time of the client's file, and a loop over its lines continues only if that is unchanged.
    const time = new Date(mtimeMs);
    await utimes(path, time, time);
    return { path, release: () => void entry.pins-- };
  }

  /**
   * Makes a folder of pinned files for one run. The names take no room of their own.
   *
   * @throws {SandboxError} `invalid_request` for a path that leads elsewhere, or two files in one place
   */
  async makeRoot(
    tenant: string,
    files: readonly { name: string; path: string }[],
  ): Promise<{ path: string; remove: () => Promise<void> }> {
    const root = join(await this.folderOf(tenant), `root-${randomUUID()}`);
    const remove = async (): Promise<void> => await rm(root, { recursive: true, force: true });
    try {
      await mkdir(root, { mode: 0o700 });
      for (const { name, path } of files) {
        if (!isPlain(name)) throw invalidRequest('The job', 'a file of the root has a path that leads elsewhere');
        const target = join(root, name);
        await mkdir(dirname(target), { recursive: true, mode: 0o700 });
        await link(path, target);
      }
      return { path: root, remove };
    } catch (error) {
      await remove();
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      throw invalidRequest('The job', 'the files of the root do not fit into one folder');
    }
  }

  async #fetch(object: ObjectName, path: string, pass: string | undefined): Promise<void> {
    if (this.#store === undefined) throw missing('the worker has no file store');
    await this.#makeRoom(object.size);
    const partial = `${path}.${randomUUID()}`;
    this.#bytes += object.size;
    try {
      const content = await this.#store.get(object, pass);
      await pipeline(content, verified(object), createWriteStream(partial, { flags: 'wx', mode: 0o400 }));
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { force: true });
      throw missing(
        error instanceof WrongContent ? 'its content in the store does not match its hash' : 'it cannot be fetched',
        error,
      );
    } finally {
      this.#bytes -= object.size;
    }
    this.#add(path, object.size);
  }

  #once(path: string, work: () => Promise<void>): Promise<void> {
    const running = this.#fetching.get(path) ?? work().finally(() => this.#fetching.delete(path));
    this.#fetching.set(path, running);
    return running;
  }

  #add(path: string, size: number): void {
    this.#entries.set(path, { size, pins: 0 });
    this.#bytes += size + nameBytes;
  }

  /**
   * Removes the files that were used longest ago until `bytes` more fit. Files of present runs stay. @throws
   * {SandboxError}
   */
  async #makeRoom(bytes: number): Promise<void> {
    for (const [path, { size, pins }] of this.#entries) {
      if (this.#bytes + bytes <= this.#maxBytes) return;
      if (pins > 0) continue;
      this.#entries.delete(path);
      this.#bytes -= size + nameBytes;
      await rm(path, { force: true });
    }
    if (this.#bytes + bytes > this.#maxBytes) {
      throw missing(`the cache of the worker has ${this.#maxBytes} bytes, and the files of this run need more`);
    }
  }
}

/** Whether a path is relative and consists only of names. */
function isPlain(path: string): boolean {
  const names = path.split('/');
  const isName = (name: string): boolean => name !== '' && name !== '.' && name !== '..' && name.length <= 255;
  return names.length <= mostDepth && names.every(isName) && !/[\0\\]/.test(path);
}

function missing(why: string, cause?: unknown): SandboxError {
  return new SandboxError('sidecar_unavailable', `A file of the run is not at the worker: ${why}.`, { cause });
}
