import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { invalidRequest, quote, SandboxError, throwIfAborted, type CancelSignal } from '@mustard-sandbox/protocol';
import type { JobFile } from '../wire/messages.ts';
import { filesOfRoot, type Source } from './root.ts';
import type { ObjectStore } from './store.ts';
import { verified } from './verified.ts';

interface Attachment {
  name: string;
  path: string;
  noLinks?: boolean | undefined;
}

/** What a run may read on this machine. */
interface Sources {
  attachments: readonly Attachment[];
  root?: string | undefined;
  deny?: readonly string[] | undefined;
}

interface Known {
  sha256: string;
  /** When it was last seen in the store. */
  seenAt: number;
  /** The pass that lets a worker get it, and when the pass ends. */
  pass?: { text: string; until: number };
}

const mostKnown = 20_000;
/** How long the store is not asked again about a file that was there, in ms. */
const seenForMs = 60_000;

interface Bringing {
  signal: CancelSignal | undefined;
  /** How long workers may get the files, in ms. */
  forMs: number;
}

/** Puts the files of runs into the store. */
export class Uploads {
  readonly #store: ObjectStore | undefined;
  readonly #tenant: string;
  /** The key consists of facts that change when the file does, as far as the system can tell. */
  readonly #known = new Map<string, Known>();
  /** Uploads in progress, by hash, so that a file of several runs is sent once. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(store: ObjectStore | undefined, tenant: string) {
    this.#store = store;
    this.#tenant = tenant;
  }

  /** The files by their content, after all of them are in the store. @throws {SandboxError} `invalid_request` */
  async bring({ attachments, root, deny = [] }: Sources, how: Bringing): Promise<JobFile[]> {
    const files: JobFile[] = [];
    // Files are uploaded one after the other, because several at once would be slower from one disk.
    for (const attachment of attachments) {
      const what = `scope.attachments: ${quote(attachment.name)}`;
      const { path } = attachment;
      const stats = await statsOf(attachment, what);
      files.push({
        name: attachment.name,
        ...(await this.#bringOne({ stats, read: () => createReadStream(path) }, what, how)),
      });
    }
    if (root === undefined) return files;
    for (const file of filesOfRoot(root, deny)) {
      const brought = await this.#bringOne(file, `scope.root: ${quote(file.name)}`, how);
      files.push({ name: file.name, inRoot: true, ...brought });
    }
    return files;
  }

  async #bringOne(source: Source, what: string, { signal, forMs }: Bringing): Promise<Omit<JobFile, 'name'>> {
    throwIfAborted(signal, 'The run was cancelled before it began.');
    const store = this.#store;
    if (store === undefined) {
      throw invalidRequest(what, 'this fleet takes no files. Give connectFleet() the option `files`');
    }
    const { dev, ino, size, mtimeMs, ctimeMs } = source.stats;
    const identity = [dev, ino, size, mtimeMs, ctimeMs].join();
    try {
      const known = this.#known.get(identity) ?? { sha256: await hashOf(source), seenAt: -Infinity };
      const { sha256 } = known;
      if (known.seenAt + seenForMs < performance.now()) {
        await this.#once(sha256, () => this.#put(store, source, sha256));
        known.seenAt = performance.now();
      }
      const pass = await this.#passFor(store, { sha256, size, known, forMs });
      this.#remember(identity, known);
      return { sha256, size, mtimeMs, ...(pass !== undefined && { pass }) };
    } catch (error) {
      throw new SandboxError('sidecar_unavailable', `${what} could not be put into the file store of the fleet.`, {
        cause: error,
      });
    }
  }

  async #passFor(
    store: ObjectStore,
    { sha256, size, known, forMs }: { sha256: string; size: number; known: Known; forMs: number },
  ): Promise<string | undefined> {
    if (store.sign === undefined) return undefined;
    if (known.pass === undefined || known.pass.until < Date.now() + forMs) {
      const text = await store.sign({ tenant: this.#tenant, sha256, size }, 'get', 2 * forMs);
      // A signature takes half a millisecond, and one run can have thousands of files.
      known.pass = { text, until: Date.now() + 2 * forMs };
    }
    return known.pass.text;
  }

  async #put(store: ObjectStore, { stats: { size }, read }: Source, sha256: string): Promise<void> {
    const object = { tenant: this.#tenant, sha256, size };
    if (await store.has(object)) return;
    const content = verified(object);
    // The file may change while it is read. Its end is then an error, and the store keeps nothing of it.
    await Promise.all([pipeline(read(), content), store.put(object, content)]);
  }

  #once(sha256: string, work: () => Promise<void>): Promise<void> {
    const running = this.#running.get(sha256) ?? work().finally(() => this.#running.delete(sha256));
    this.#running.set(sha256, running);
    return running;
  }

  #remember(identity: string, known: Known): void {
    this.#known.delete(identity);
    this.#known.set(identity, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest);
  }
}

async function statsOf({ path, noLinks }: Attachment, what: string): Promise<Stats> {
  const stats = await (noLinks === true ? lstat(path) : stat(path)).catch((error: NodeJS.ErrnoException) => {
    throw invalidRequest(`${what} is not there or cannot be reached (${error.code ?? 'error'})`);
  });
  if (!stats.isFile()) throw invalidRequest(`${what} is not a regular file`);
  return stats;
}

async function hashOf({ read }: Source): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(read(), hash);
  return hash.digest('hex');
}
