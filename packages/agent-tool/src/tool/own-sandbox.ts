import { realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { createSandbox, type Sandbox } from '@mustard-sandbox/client';

/** What `createSandbox` takes at most. */
const maxRoots = 1_000;

interface Lease {
  readonly sandbox: Sandbox;
  /** Link-free. */
  readonly roots: readonly string[];
  users: number;
}

/**
 * The sandbox of a tool that was given none. It is created for the files of the tool's calls and nothing else, so that
 * its sidecars are in a jail wherever there is one. A call with a file elsewhere gets a wider sandbox, and the one before
 * ends with its last run.
 */
export class OwnSandbox {
  #lease: Lease | undefined;
  /** The last one, and those before it whose runs are not over yet. */
  readonly #open = new Set<Sandbox>();
  #isClosed = false;

  /** None before the first use. */
  get current(): Sandbox | undefined {
    return this.#lease?.sandbox;
  }

  /** @param files folders and files that the run may read; those that are not there are the run's to complain about */
  async use<T>(files: readonly string[], work: (sandbox: Sandbox) => Promise<T>): Promise<T> {
    const wanted = await inPlace(files);
    const before = await inPlace(this.#lease?.roots ?? []);
    const lease = this.#leaseFor(wanted, before);
    lease.users++;
    try {
      return await work(lease.sandbox);
    } finally {
      lease.users--;
      if (lease !== this.#lease) await this.#closeUnused(lease);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open].map((sandbox) => sandbox.close()));
  }

  async #closeUnused({ sandbox, users }: Lease): Promise<void> {
    if (users > 0) return;
    this.#open.delete(sandbox);
    await sandbox.close();
  }

  #leaseFor(wanted: readonly string[], before: readonly string[]): Lease {
    const old = this.#lease;
    if (old !== undefined && (this.#isClosed || wanted.every((file) => isInside(file, old.roots)))) return old;
    const all = [...new Set([...before, ...wanted])];
    const roots = all.length <= maxRoots ? all : wanted;
    // More files than that, each somewhere else, are left to the path policy.
    const sandbox = createSandbox(roots.length <= maxRoots ? { roots: [...roots] } : {});
    this.#open.add(sandbox);
    this.#lease = { sandbox, roots, users: 0 };
    if (old !== undefined) void this.#closeUnused(old);
    if (this.#isClosed) void sandbox.close();
    return this.#lease;
  }
}

/** The link-free paths of those that are there. */
async function inPlace(files: readonly string[]): Promise<string[]> {
  const real = await Promise.all(files.map((file) => realpath(file).catch(() => undefined)));
  return real.filter((file) => file !== undefined);
}

function isInside(file: string, roots: readonly string[]): boolean {
  return roots.some((root) => file === root || file.startsWith(root.endsWith(sep) ? root : root + sep));
}
