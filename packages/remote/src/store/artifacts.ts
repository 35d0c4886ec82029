import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArtifactHandle } from '../wire/artifact.ts';
import type { Disk } from './disk.ts';

/** How long a client has to fetch the results of a run, in ms. */
const lifeMs = 15 * 60_000;
/** The most bytes that all artifacts of a token may take. The oldest are removed first. */
const mostBytes = 1024 ** 3;

interface Kept {
  handle: ArtifactHandle;
  until: number;
}

/** Results of runs of one token, kept for a while. */
export class Artifacts {
  readonly folder: string;
  readonly #disk: Disk;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  private constructor(folder: string, disk: Disk) {
    this.folder = join(folder, 'artifacts');
    this.#disk = disk;
  }

  /** Artifacts of an earlier server are of no use, because their ids are not known any more. */
  static async open(folder: string, disk: Disk): Promise<Artifacts> {
    const artifacts = new Artifacts(folder, disk);
    await disk.with(() => mkdir(artifacts.folder, { recursive: true, mode: 0o700 }));
    for (const name of await readdir(artifacts.folder)) await rm(join(artifacts.folder, name), { force: true });
    return artifacts;
  }

  /** Returns `undefined` when there is no room for it. */
  async keep(name: string, mediaType: string, content: Buffer): Promise<ArtifactHandle | undefined> {
    const id = randomBytes(16).toString('hex');
    const sha256 = createHash('sha256').update(content).digest('hex');
    try {
      await this.#disk.makeRoom(content.length);
      await writeFile(join(this.folder, id), content, { mode: 0o600, flag: 'wx' });
    } catch {
      await rm(join(this.folder, id), { force: true });
      return undefined;
    }
    const handle = { id, name, mediaType, size: content.length, sha256 };
    this.#kept.set(id, { handle, until: Date.now() + lifeMs });
    this.#bytes += content.length;
    await this.#removeOld();
    return handle;
  }

  /** Returns `undefined` for an id of another token, and for one that is too old. They cannot be distinguished. */
  find(id: string): { handle: ArtifactHandle; path: string } | undefined {
    const kept = this.#kept.get(id);
    if (kept === undefined || kept.until < Date.now()) return undefined;
    return { handle: kept.handle, path: join(this.folder, id) };
  }

  async #removeOld(): Promise<void> {
    for (const [id, { handle, until }] of this.#kept) {
      if (until >= Date.now() && this.#bytes <= mostBytes) return;
      this.#kept.delete(id);
      this.#bytes -= handle.size;
      await rm(join(this.folder, id), { force: true });
    }
  }
}
