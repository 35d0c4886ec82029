import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRelayingSandbox, type RelayingSandbox } from '@mustard-sandbox/client/peer';
import { Artifacts } from '../store/artifacts.ts';
import { BlobStore } from '../store/blobs.ts';
import type { Places } from '../store/resolve.ts';
import { Uploads } from '../store/uploads.ts';
import { Rate } from './gate.ts';
import type { ResolvedServerOptions } from './options.ts';

/** Uploads that nobody has gone on with for so long are removed. */
const staleUploadMs = 24 * 60 * 60_000;

/** All that belongs to one token. Nothing of it can be reached with another one. */
export interface Tenant {
  name: string;
  sandbox: RelayingSandbox;
  store: BlobStore;
  uploads: Uploads;
  artifacts: Artifacts;
  places: Places;
  rate: Rate;
  connections: number;
  /** HTTP requests under way. */
  requests: number;
}

/** One tenant for each token, made when it comes for the first time. */
export class Tenants {
  readonly #options: ResolvedServerOptions;
  readonly #allowedRoots: readonly string[];
  readonly #byName = new Map<string, Promise<Tenant>>();

  constructor(options: ResolvedServerOptions, allowedRoots: readonly string[]) {
    this.#options = options;
    this.#allowedRoots = allowedRoots;
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
    const folder = join(this.#options.store, name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const store = await BlobStore.open(folder, storeBytes);
    const uploads = await Uploads.open(folder, store);
    await uploads.removeOlderThan(staleUploadMs);
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
      artifacts: await Artifacts.open(folder),
      places: { store, allowedRoots: this.#allowedRoots },
      rate: new Rate(requestsPerSecond),
      connections: 0,
      requests: 0,
    };
  }
}

/**
 * Whether the machine was started anew since a server last used the folder. What was written shortly before may then be
 * there in part, under its full name.
 */
export async function wasRebooted(store: string): Promise<boolean> {
  const file = join(store, 'boot-id');
  const now = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => String(Date.now()));
  const before = await readFile(file, 'utf8').catch(() => undefined);
  if (before === now) return false;
  await writeFile(file, now, { mode: 0o600 });
  return before !== undefined;
}
