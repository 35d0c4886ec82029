import type { EventFacts } from '../events.ts';
import type { MediaFolder } from './folder.ts';
import { withLock } from './lock.ts';
import { readManifest, writeManifest, type ManifestEntry } from './manifest.ts';
import { rebuildManifest, sizesOfBlobs } from './rebuild.ts';

/** What an update gets: the present entries, and a function that replaces them. */
export interface Update {
  entries: readonly ManifestEntry[];
  save: (entries: readonly ManifestEntry[]) => Promise<void>;
}

/**
 * The manifest of one media folder. Readers always see a complete manifest, and only one process at a time changes it.
 */
export class Catalog {
  readonly #folder: MediaFolder;
  readonly #lockWaitMs: number;
  readonly #tell: (facts: EventFacts) => void;

  constructor(folder: MediaFolder, lockWaitMs: number, tell: (facts: EventFacts) => void) {
    this.#folder = folder;
    this.#lockWaitMs = lockWaitMs;
    this.#tell = tell;
  }

  /** Reads without the lock, unless the manifest has to be rebuilt. @throws {AttachmentError} */
  async read(): Promise<readonly ManifestEntry[]> {
    if (!(await this.#folder.exists())) return [];
    const state = await readManifest(this.#folder.path);
    if (state.kind === 'valid') return state.entries;
    if (state.kind === 'missing' && (await sizesOfBlobs(this.#folder.path)).size === 0) return [];
    return await this.update(undefined, async ({ entries }) => entries);
  }

  /**
   * Makes the folder if it is missing, and runs `change` while nobody else changes anything in it.
   *
   * @throws {AttachmentError} `locked`, and the error of `change`
   * @throws {SandboxError} `cancelled` when the signal is aborted before `change` begins
   */
  async update<T>(signal: AbortSignal | undefined, change: (update: Update) => Promise<T>): Promise<T> {
    await this.#folder.make();
    const { path } = this.#folder;
    return await withLock(path, { waitMs: this.#lockWaitMs, signal }, async () => {
      const entries = await this.#load();
      return await change({ entries, save: (changed) => writeManifest(path, changed) });
    });
  }

  async #load(): Promise<readonly ManifestEntry[]> {
    const { path } = this.#folder;
    const state = await readManifest(path);
    if (state.kind === 'valid') return state.entries;
    const rebuilt = await rebuildManifest(path, state.kind === 'malformed' ? state.salvaged : undefined);
    if (rebuilt === undefined) {
      // Written before the first file, so that stored files without a manifest always mean that the manifest was lost.
      await writeManifest(path, []);
      return [];
    }
    const { entries, named, setAside } = rebuilt;
    this.#tell({
      type: 'attachment.manifest_rebuilt',
      attachments: entries.length,
      renamed: entries.length - named,
      ...(setAside !== undefined && { setAside }),
    });
    return entries;
  }
}
