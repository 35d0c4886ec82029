import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createRelayingSandbox, type RelayingSandbox } from '@mustard-sandbox/client/peer';
import { Artifacts } from '../store/artifacts.ts';
import { BlobStore } from '../store/blobs.ts';
import { Disk, type Evictable } from '../store/disk.ts';
import type { FileSources } from '../store/resolve.ts';
import { Uploads } from '../store/uploads.ts';
import { Rate } from './gate.ts';
import { Memory } from './memory.ts';
import { Metrics } from './metrics.ts';
import type { ResolvedServerOptions } from './options.ts';
import { Slots } from './slots.ts';

/** Everything that belongs to one token. Another token cannot reach any of it. */
export interface Tenant {
  name: string;
  sandbox: RelayingSandbox;
  store: BlobStore;
  uploads: Uploads;
  artifacts: Artifacts;
  sources: FileSources;
  rate: Rate;
  connections: Slots;
  /** The memory of messages that have not arrived completely. */
  arriving: Memory;
  /** The memory of messages of runs without an answer. */
  asked: Memory;
  metrics: Metrics;
  /** How many HTTP requests it has now. */
  requests: number;
}

/** The tenants, one for each token, made when the token comes for the first time. */
export class Tenants {
  readonly #options: ResolvedServerOptions;
  readonly #allowedRoots: readonly string[];
  readonly #disk: Disk;
  readonly #metrics: Metrics | undefined;
  readonly #byName = new Map<string, Promise<Tenant>>();

  /** @param metrics of the whole server, if they are no secret */
  constructor(options: ResolvedServerOptions, allowedRoots: readonly string[], metrics: Metrics | undefined) {
    this.#metrics = metrics;
    this.#options = options;
    this.#allowedRoots = allowedRoots;
    this.#disk = new Disk(options.store);
  }

  /**
   * Opens all stores at once. Otherwise the old store of a token that has not come yet could not give way, and on a
   * full disk no new one could be made.
   *
   * @throws {SandboxError} `invalid_request` (507) for a full disk
   */
  async open(names: readonly string[]): Promise<void> {
    const { store } = this.#options;
    for (const name of await readdir(store)) {
      const old = names.includes(name) ? undefined : await leftBehind(join(store, name));
      if (old !== undefined) this.#disk.add(old);
    }
    await Promise.all(names.map((name) => this.get(name)));
  }

  async get(name: string): Promise<Tenant> {
    const known = this.#byName.get(name) ?? this.#open(name);
    this.#byName.set(name, known);
    // The disk may be full now and not later.
    known.catch(() => this.#byName.delete(name));
    return await known;
  }

  async all(): Promise<Tenant[]> {
    const tenants = await Promise.allSettled(this.#byName.values());
    return tenants.flatMap((tenant) => (tenant.status === 'fulfilled' ? [tenant.value] : []));
  }

  async close(): Promise<void> {
    await Promise.all((await this.all()).map(({ sandbox }) => sandbox.close()));
  }

  async #open(name: string): Promise<Tenant> {
    const { storeBytes, sandbox: options, requestsPerSecond } = this.#options;
    const { maxConnections, connectionWaitMs, maxMessageBytes } = this.#options;
    const folder = join(this.#options.store, name);
    const disk = this.#disk;
    const store = await BlobStore.open(folder, storeBytes, disk);
    const uploads = await Uploads.open(folder, store, disk);
    const sandbox = createRelayingSandbox({
      maxQueue: 1000,
      ...options,
      roots: [...this.#allowedRoots, store.folder, store.trees],
    });
    return {
      name,
      sandbox,
      store,
      uploads,
      artifacts: await Artifacts.open(folder, disk),
      sources: { store, allowedRoots: this.#allowedRoots },
      rate: new Rate(requestsPerSecond),
      connections: new Slots(maxConnections, connectionWaitMs),
      metrics: this.#metrics ?? new Metrics(),
      arriving: new Memory(maxMessageBytes),
      asked: new Memory(maxMessageBytes),
      requests: 0,
    };
  }
}

/** The store of a token that no longer exists. It is removed when the room is needed. */
async function leftBehind(folder: string): Promise<Evictable | undefined> {
  const names = await readdir(folder).catch((): string[] => []);
  if (!names.includes('blobs') || !names.includes('partial')) return undefined;
  let bytes = 0;
  for (const part of ['blobs', 'partial']) {
    for (const name of await readdir(join(folder, part))) bytes += (await stat(join(folder, part, name))).size;
  }
  let isThere = true;
  return {
    get bytes() {
      return isThere ? bytes : 0;
    },
    async forgetOldest() {
      const wasThere = isThere;
      isThere = false;
      await rm(folder, { recursive: true, force: true });
      return wasThere;
    },
  };
}
