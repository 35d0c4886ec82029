import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { messageOf } from '@mustard-sandbox/protocol';
import type { SavedOutput } from '@mustard-sandbox/client';
import { outputPrefix } from '@mustard-sandbox/paths';
import { AttachmentStore, type Attachment, type AttachmentSource } from '@mustard-sandbox/agent-tool';
import { listedFiles, listOutputs, removeOldOutputs } from '@mustard-sandbox/agent-tool/host';
import type { ClientLog } from './log.ts';

/** Outputs are removed after a week, in ms. A conversation that goes on after that makes them again. */
const outputLifeMs = 7 * 24 * 60 * 60_000;

interface FilesOptions {
  /** Files that the user named. */
  attachments: readonly { name: string; path: string }[];
  /** The folder with the media folder in it. */
  root: string | undefined;
  mediaDir: string;
  log: ClientLog;
}

/**
 * The attachments of one folder: files that the user named to the server, files that are stored in the folder for no
 * chat of a host, and outputs of scripts. Outputs go beside the stored files. If that is not possible, they go to a
 * temporary folder until the end.
 */
export class Files implements AttachmentSource, AsyncDisposable {
  readonly #attached: AttachmentSource;
  readonly #store: AttachmentStore | undefined;
  readonly #temporary: string | undefined;
  readonly #log: ClientLog;
  readonly #saved = new Map<string, string>();
  /** The last problem of the store that the user was told. */
  #problem: string | undefined;

  private constructor({ attachments, log }: FilesOptions, store: AttachmentStore | undefined, temporary?: string) {
    this.#attached = listedFiles(attachments);
    this.#store = store;
    this.#temporary = temporary;
    this.#log = log;
  }

  /** @throws {SandboxError} `invalid_request` for names or a media folder that cannot be used */
  static async open(options: FilesOptions): Promise<Files> {
    const { root, mediaDir, log } = options;
    const store = root === undefined ? undefined : new AttachmentStore(root, { mediaDir, events: log.events });
    if (store !== undefined && (await isUsable(store))) {
      await removeOldOutputs(store.directory, outputLifeMs);
      return new Files(options, store);
    }
    // Without this folder, long answers are only cut.
    const temporary = await mkdtemp(join(tmpdir(), 'mustard-sandbox-')).catch(() => undefined);
    return new Files(options, store, temporary);
  }

  /** The folder that other processes may put attachments into, absolute. Scripts reach it only by names. */
  get directory(): string | undefined {
    return this.#store?.directory;
  }

  /** Where attachments can be stored; `undefined` when they cannot be. */
  get store(): AttachmentStore | undefined {
    return this.#store;
  }

  /** The folder that holds it, absolute. From there on no link may lead to it. */
  get appPath(): string | undefined {
    return this.#store?.appPath;
  }

  /** The temporary folder for outputs, absolute. */
  get temporary(): string | undefined {
    return this.#temporary;
  }

  /** Adds files that a script has saved. */
  keep(outputs: readonly SavedOutput[]): void {
    for (const { name, path } of outputs) this.#saved.set(outputPrefix + name, path);
  }

  /** A file that the user named to the server comes before a stored one with the same name. */
  async list(): Promise<Attachment[]> {
    const files: readonly (readonly Attachment[])[] = await Promise.all([
      this.#attached.list(),
      this.#stored(),
      this.#temporary === undefined ? [] : listOutputs(this.#temporary).then(withoutLinks),
    ]);
    const byName = new Map<string, Attachment>();
    const saved = [...this.#saved].map(([name, path]) => ({ name, path, size: 0, noLinks: true }));
    for (const file of [...files.flat(), ...saved]) if (!byName.has(file.name)) byName.set(file.name, file);
    return [...byName.values()];
  }

  /** A store that cannot be read must not keep scripts from the folder and from the files that the user named. */
  async #stored(): Promise<readonly Attachment[]> {
    try {
      return withoutLinks((await this.#store?.list()) ?? []);
    } catch (error) {
      const problem = `Stored attachments cannot be listed: ${messageOf(error)}`;
      if (problem !== this.#problem) this.#log.note('warning', problem);
      this.#problem = problem;
      return [];
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#temporary !== undefined) await rm(this.#temporary, { recursive: true, force: true });
  }
}

/**
 * Whether the folder can be listed and written. A folder behind a link cannot, because a cloned project may contain
 * such a link.
 */
async function isUsable(store: AttachmentStore): Promise<boolean> {
  const isReadable = await store.list().then(
    () => true,
    () => false,
  );
  return isReadable && (await isWritable(store.directory));
}

/** Marks files that nobody named by path. Nobody chose a link among them, so it is refused. */
function withoutLinks(files: readonly Attachment[]): Attachment[] {
  return files.map((file) => ({ ...file, noLinks: true }));
}

/** Whether files can be made in a folder, which need not exist yet. */
async function isWritable(folder: string): Promise<boolean> {
  for (let path = folder; ; path = dirname(path)) {
    try {
      await access(path, constants.W_OK | constants.X_OK);
      return true;
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (!isMissing || path === dirname(path)) return false;
    }
  }
}
