import { createSandbox, type LocalSandbox, type SandboxOptions } from '@mustard-sandbox/client';
import type { FileCache } from '../files/cache.ts';

interface Entry {
  sandbox: Promise<LocalSandbox>;
  /** How many jobs use it or are about to. */
  users: number;
}

/** An idle sidecar takes 74 MB, and the next job of its tenant may go to another worker. */
const idleTimeoutMs = 15_000;

/**
 * A sandbox for each tenant. Its sidecars see only the files of that tenant. In a shared sandbox, a script that took
 * over its sidecar could read the files of other tenants.
 */
export class Sandboxes {
  readonly #cache: FileCache;
  readonly #options: SandboxOptions;
  readonly #most: number;
  /** The least recently used comes first. */
  readonly #entries = new Map<string, Entry>();

  constructor(cache: FileCache, options: SandboxOptions & { maxProcesses: number }) {
    this.#cache = cache;
    this.#options = options;
    this.#most = 2 * options.maxProcesses;
  }

  async use<T>(tenant: string, work: (sandbox: LocalSandbox) => Promise<T>): Promise<T> {
    const entry = this.#entries.get(tenant) ?? { sandbox: this.#open(tenant), users: 0 };
    this.#entries.delete(tenant);
    this.#entries.set(tenant, entry);
    entry.users++;
    try {
      return await work(await entry.sandbox);
    } finally {
      entry.users--;
      await this.#trim();
    }
  }

  async close(): Promise<void> {
    const all = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(all.map(async ({ sandbox }) => (await sandbox).close()));
  }

  async #open(tenant: string): Promise<LocalSandbox> {
    const roots = [await this.#cache.folderOf(tenant)];
    return createSandbox({ ...this.#options, roots, spares: 0, idleTimeoutMs });
  }

  /** Ends the sidecars of tenants that have nothing to run, when there are many. */
  async #trim(): Promise<void> {
    for (const [tenant, { sandbox, users }] of this.#entries) {
      if (this.#entries.size <= this.#most) return;
      if (users > 0) continue;
      this.#entries.delete(tenant);
      await (await sandbox).close();
    }
  }
}
