import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { SandboxError, throwIfAborted, toSandboxError, within, type CancelSignal } from '@mustard-sandbox/protocol';
import { maxComparedBytes, missingFiles, type Missing } from '../wire/files.ts';
import { comparesInPlace } from '../wire/protocol.ts';
import type { FolderFile, PackedFolder } from './folder.ts';
import type { Http } from './http.ts';
import type { ServerPeer } from './link.ts';
import type { ResolvedConnectOptions } from './options.ts';
import { byHash, changed, contentOf, hashOf, readable, unhashed, type OpenFile, type Source } from './source.ts';
import { uploadFile } from './upload.ts';
import type { NamedFile, WrappedScope } from './wrap.ts';

/** How many files of a folder are sent at the same time. */
const atOnce = 4;
/** How many hashes are remembered. */
const mostHashes = 10_000;

/** What a server needs that has not run anything; `undefined` for any other error. */
export function missingOf(error: unknown): readonly Missing[] | undefined {
  if (!(error instanceof SandboxError)) return undefined;
  const { data = [] } = missingFiles.safeParse(error.details['missing']);
  return data.length === 0 ? undefined : data;
}

/** Sends what a server needs for a run, and remembers what it has sent. */
export class Transfer {
  readonly #options: ResolvedConnectOptions;
  readonly #http: Http;
  readonly #hashes = new Map<string, string>();
  /** Uploads in progress, by address. Runs that need the same file wait for one upload. */
  readonly #uploads = new Map<string, Promise<void>>();

  constructor(options: ResolvedConnectOptions, http: Http) {
    this.#options = options;
    this.#http = http;
  }

  /** The hash of a file that was read before and has not changed since. */
  readonly knownHash = (identity: string): string | undefined => this.#hashes.get(identity);

  /**
   * Sends the files of a run that the server has asked for. Only files that the run names are ever sent.
   *
   * @throws {SandboxError} `asked` itself when it cannot be met, as for a folder that may not be sent
   */
  async send(
    wrapped: WrappedScope,
    missing: readonly Missing[],
    { peer, asked, signal }: { peer: ServerPeer; asked: unknown; signal: CancelSignal | undefined },
  ): Promise<void> {
    const { files } = wrapped;
    peer.isExternal = true;
    const budget = { left: Math.min(peer.facts.maxInlineBytes, 32 * 1024 * 1024) };
    const ofFolder = missing.filter(({ target, kind }) => kind === 'directory' || target === 'tree');
    if (ofFolder.length > 0) await this.#sendOfFolder(wrapped, ofFolder, asked, signal);
    for (const { target } of missing.filter((one) => !ofFolder.includes(one))) {
      const file = files.find((one) => one.target === target);
      if (file === undefined) throw askedForUnnamed();
      wrapped.inlined += await this.#sendFile(file, budget, peer, signal);
    }
  }

  /**
   * Adds the hashes of files that a server may have in place, so that it does not take an older file for the client's.
   */
  async hashForComparison(
    files: readonly NamedFile[],
    peer: ServerPeer,
    signal: CancelSignal | undefined,
  ): Promise<void> {
    if (!peer.facts.capabilities.includes(comparesInPlace)) return;
    for (const file of files) {
      const { wrapper } = file;
      if (wrapper.sha256 !== undefined || wrapper.size > maxComparedBytes) continue;
      let sha256: string | undefined;
      const read = async (handle: FileHandle): Promise<void> => {
        sha256 = await hashOf({ handle, size: wrapper.size }, signal);
      };
      await this.#withOpen(file, read).catch(() => throwIfAborted(signal));
      // A file that cannot be read here may still be readable there.
      if (sha256 === undefined) continue;
      wrapper.sha256 = sha256;
      this.#remember(file.identity, sha256);
    }
  }

  async #sendOfFolder(
    wrapped: WrappedScope,
    missing: readonly Missing[],
    asked: unknown,
    signal: CancelSignal | undefined,
  ): Promise<void> {
    if (wrapped.folder === undefined || !this.#options.uploadDirectories) throw asked;
    if (wrapped.packed === undefined) await this.pack(wrapped, signal);
    const packed = wrapped.packed as PackedFolder;
    const left = [...missing];
    const sendNext = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        await this.#sendFromFolder(packed, next.sha256, signal);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, sendNext));
  }

  /** Returns how many of its bytes will be sent inline. */
  async #sendFile(
    file: NamedFile,
    budget: { left: number },
    peer: ServerPeer,
    signal: CancelSignal | undefined,
  ): Promise<number> {
    const { wrapper } = file;
    const most = Math.min(this.#options.inlineBytes, budget.left, peer.inlineLeft);
    const isSmall = wrapper.size <= most;
    if (wrapper.size > peer.facts.maxFileBytes) {
      throw new SandboxError(
        'limit_exceeded',
        `${file.name} has ${wrapper.size} bytes, over the ${peer.facts.maxFileBytes} that the server accepts.`,
        { details: { limit: 'attachment_bytes', value: peer.facts.maxFileBytes, unit: 'bytes', actual: wrapper.size } },
      );
    }
    await this.#withOpen(file, async (handle) => {
      const open = { handle, size: wrapper.size };
      if (isSmall) {
        budget.left -= wrapper.size;
        peer.inlineLeft -= wrapper.size;
        wrapper.content = (await contentOf(open)).toString('base64');
      }
      // Over loopback, sending takes less time than hashing. Elsewhere the hash may show that nothing has to be sent.
      const sendsFirst = !isSmall && this.#options.isLocal && peer.facts.capabilities.includes('unhashed_uploads');
      if (sendsFirst && wrapper.sha256 === undefined) {
        wrapper.sha256 = await this.#uploadUnhashed(file, open, signal);
        return;
      }
      wrapper.sha256 ??= await hashOf(open, signal);
      if (!isSmall) await this.#uploadHashed(wrapper.sha256, open, wrapper.path, signal);
    });
    this.#remember(file.identity, wrapper.sha256 as string);
    return isSmall ? wrapper.size : 0;
  }

  /** Opens the file, and makes sure that it is the one that was checked, before and after it is used. */
  async #withOpen(
    file: Pick<NamedFile, 'name' | 'wrapper' | 'noLinks'>,
    use: (handle: FileHandle) => Promise<void>,
  ): Promise<void> {
    const { wrapper, noLinks } = file;
    // Loaded only when something is sent, because it is half of the agent tool.
    const { openAttachment } = await import('@mustard-sandbox/agent-tool/host');
    const handle = await openAttachment({ path: wrapper.path, noLinks }).catch((error: unknown) => {
      throw new SandboxError('invalid_request', `${file.name} cannot be read any more.`, { cause: error });
    });
    try {
      await assertSame(handle, wrapper);
      await use(handle);
      await assertSame(handle, wrapper);
    } finally {
      await handle.close();
    }
  }

  async #uploadHashed(sha256: string, open: OpenFile, path: string, signal: CancelSignal | undefined): Promise<void> {
    const source = byHash(sha256, readable(open));
    await this.#once(source.address, signal, () => this.#upload(source, path, signal));
  }

  /** Hashes a file while it is sent. Its name until then comes from the file, so that a new client continues. */
  async #uploadUnhashed(
    { identity, wrapper: { path } }: NamedFile,
    open: OpenFile,
    signal: CancelSignal | undefined,
  ): Promise<string> {
    const source = unhashed(createHash('sha256').update(`${path}\n${identity}`).digest('hex'), open);
    await this.#once(source.address, signal, () => this.#upload(source, path, signal));
    // This run may have waited for the upload of another one, which has the hash.
    return await source.hash.digest();
  }

  /** Makes one upload for all runs that need it. */
  async #once(address: string, signal: CancelSignal | undefined, upload: () => Promise<void>): Promise<void> {
    for (;;) {
      const underWay = this.#uploads.get(address);
      if (underWay === undefined) break;
      try {
        return await within(underWay, { signal });
      } catch (error) {
        throwIfAborted(signal);
        // The run that sent it was cancelled, but this one was not.
        if (toSandboxError(error).code !== 'cancelled') throw error;
      }
    }
    const own = upload();
    this.#uploads.set(address, own);
    try {
      await own;
    } finally {
      this.#uploads.delete(address);
    }
  }

  async #upload(source: Source, path: string, signal: CancelSignal | undefined): Promise<void> {
    const onProgress = (sent: number): void => this.#options.onUpload?.({ path, sent, total: source.size });
    await uploadFile(this.#http, source, { signal, patienceMs: this.#options.connectTimeoutMs, onProgress });
  }

  /**
   * Makes the manifest of a folder that is sent, and puts its hash into the wrapper.
   *
   * @param deny patterns of the run in addition to the denylist
   */
  async pack(wrapped: WrappedScope, signal: CancelSignal | undefined): Promise<void> {
    const { folder, scope } = wrapped;
    if (folder === undefined || !this.#options.uploadDirectories) return;
    const { packFolder } = await import('./folder.ts');
    wrapped.packed = await packFolder(folder.path, {
      deny: scope.deny ?? [],
      hashOf: (file) => this.#hashInFolder(file, signal),
      signal,
    });
    folder.tree = wrapped.packed.sha256;
  }

  async #hashInFolder(file: FolderFile, signal: CancelSignal | undefined): Promise<string> {
    const known = this.#hashes.get(file.identity);
    if (known !== undefined) return known;
    let hash = '';
    await this.#withOpen(
      inFolder(file),
      async (handle) => void (hash = await hashOf({ handle, size: file.size }, signal)),
    );
    this.#remember(file.identity, hash);
    return hash;
  }

  /** Sends the manifest, or one of the files that it names. */
  async #sendFromFolder(
    { sha256, content, files }: PackedFolder,
    wanted: string | undefined,
    signal: CancelSignal | undefined,
  ): Promise<void> {
    const patienceMs = this.#options.connectTimeoutMs;
    if (wanted === undefined || wanted === sha256) {
      const source = {
        read: (start: number, end: number) => oneChunk(content.subarray(start, end)),
        size: content.length,
      };
      return await uploadFile(this.#http, byHash(sha256, source), { signal, patienceMs, onProgress: () => {} });
    }
    const file = files.get(wanted);
    if (file === undefined) throw askedForUnnamed();
    await this.#withOpen(inFolder(file), (handle) =>
      this.#uploadHashed(wanted, { handle, size: file.size }, file.path, signal),
    );
  }

  #remember(identity: string, hash: string): void {
    if (this.#hashes.size >= mostHashes) this.#hashes.clear();
    this.#hashes.set(identity, hash);
  }
}

async function* oneChunk(chunk: Buffer): AsyncGenerator<Buffer> {
  yield chunk;
}

/** The error for a server that asks for files which the run does not have. */
export function askedForUnnamed(): SandboxError {
  return new SandboxError('protocol_error', 'The server asked for files that the run does not name.');
}

async function assertSame(handle: FileHandle, { size, mtimeMs }: { size: number; mtimeMs: number }): Promise<void> {
  const stats = await handle.stat();
  if (stats.size !== size || stats.mtimeMs !== mtimeMs) throw changed();
}

function inFolder({ path, size, mtimeMs }: FolderFile): Pick<NamedFile, 'name' | 'wrapper' | 'noLinks'> {
  return { name: basename(path), wrapper: { path, size, mtimeMs }, noLinks: true };
}
