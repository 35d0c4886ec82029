import { createHash, randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openFlags } from '@mustard-sandbox/paths';
import { SandboxError, throwIfAborted, type CancelSignal } from '@mustard-sandbox/protocol';
import type { ArtifactHandle } from '../wire/artifact.ts';
import { errorOf, NetworkError, type Http } from './http.ts';
import { Headway, leastBytesPerSecond } from './headway.ts';
import type { ResolvedConnectOptions } from './options.ts';

/** The run is over and must not run again for its result, so a slow link gets more time than a connection. */
const patienceOf = (connectTimeoutMs: number): number => Math.max(1_000, 6 * connectTimeoutMs);

/**
 * Results that runs left at the server, fetched and checked. They are kept by hash, so that the same content is fetched
 * once, whatever its name.
 */
export class ArtifactCache {
  readonly #options: Pick<ResolvedConnectOptions, 'cacheDir' | 'cacheMs' | 'maxArtifactBytes' | 'connectTimeoutMs'>;
  readonly #http: Http;
  #swept = false;

  constructor(
    options: Pick<ResolvedConnectOptions, 'cacheDir' | 'cacheMs' | 'maxArtifactBytes' | 'connectTimeoutMs'>,
    http: Http,
  ) {
    this.#options = options;
    this.#http = http;
  }

  /**
   * The path of an artifact on this machine.
   *
   * @throws {SandboxError} `protocol_error` for content that does not match the handle; `limit_exceeded`;
   *   `invalid_request` when the server no longer has it; `connection_lost` when it cannot be fetched; `cancelled`
   */
  async materialize(handle: ArtifactHandle, signal?: CancelSignal): Promise<string> {
    const { size, sha256 } = handle;
    const { maxArtifactBytes, cacheDir } = this.#options;
    if (size > maxArtifactBytes) {
      throw new SandboxError(
        'limit_exceeded',
        `The server has a result of ${size} bytes for this run, over the limit of ${maxArtifactBytes} (maxArtifactBytes).`,
      );
    }
    await mkdir(cacheDir, { recursive: true, mode: 0o700 });
    await this.#sweep();
    const path = join(cacheDir, sha256);
    if (await isKept(path, size)) {
      const now = new Date();
      await utimes(path, now, now).catch(() => {});
      return path;
    }
    const partial = join(cacheDir, `.partial-${randomBytes(8).toString('hex')}`);
    try {
      await this.#fetch(handle, partial, signal);
      await rename(partial, path);
      return path;
    } finally {
      await rm(partial, { force: true });
    }
  }

  /**
   * The content of a small artifact.
   *
   * @param folder where artifacts lie at a server on this machine; one that is there is read in place and not copied
   */
  async read(
    handle: ArtifactHandle,
    { folder, signal }: { folder?: string | undefined; signal?: CancelSignal | undefined } = {},
  ): Promise<Buffer> {
    if (folder !== undefined && handle.size <= this.#options.maxArtifactBytes) {
      // A server that names a wrong folder learns nothing, because the file must match a hash that the server knows
      // already.
      const there = await readInPlace(join(folder, handle.id), handle.size);
      if (there !== undefined && createHash('sha256').update(there).digest('hex') === handle.sha256) return there;
    }
    const path = await this.materialize(handle, signal);
    const content = await readFile(path);
    if (createHash('sha256').update(content).digest('hex') === handle.sha256) return content;
    // Somebody wrote into the cache, so the file is of no use.
    await rm(path, { force: true });
    throw wrong('has changed since it was fetched');
  }

  async #fetch(handle: ArtifactHandle, partial: string, signal: CancelSignal | undefined): Promise<void> {
    const hash = createHash('sha256');
    const file = await open(partial, 'wx', 0o600);
    const headway = new Headway(patienceOf(this.#options.connectTimeoutMs), signal);
    let offset = 0;
    const take = async (): Promise<void> => {
      for await (const chunk of this.#chunks(handle, offset, headway.over)) {
        if (offset + chunk.length > handle.size) throw wrong(`is longer than ${handle.size} bytes`);
        hash.update(chunk);
        await file.write(chunk, 0, chunk.length, offset);
        offset += chunk.length;
        headway.came(chunk.length);
      }
      if (offset < handle.size) throw new NetworkError('The connection broke.');
    };
    try {
      let furthestAt = performance.now();
      for (let tries = 0; offset < handle.size || tries === 0;) {
        throwIfAborted(signal);
        const before = offset;
        try {
          await take();
          break;
        } catch (error) {
          if (headway.isTooSlow) throw lost(tooSlow(error));
          if (!(error instanceof NetworkError)) throw error;
          if (offset > before) furthestAt = performance.now();
          tries = offset > before ? 1 : tries + 1;
          if (performance.now() - furthestAt > this.#options.connectTimeoutMs) throw lost(error);
          await delay(100 * 2 ** Math.min(tries, 5));
        }
      }
    } finally {
      headway.stop();
      await file.close();
    }
    if (hash.digest('hex') !== handle.sha256) throw wrong('does not have the hash that was announced');
  }

  async *#chunks(handle: ArtifactHandle, offset: number, over: CancelSignal): AsyncGenerator<Buffer> {
    const headers = { range: `bytes=${offset}-` };
    const response = await this.#http.open('GET', `/v1/artifacts/${handle.id}`, { headers, signal: over });
    const status = response.statusCode ?? 0;
    const abort = (): void => void response.destroy(new SandboxError('cancelled', 'The run was cancelled.'));
    over.addEventListener('abort', abort, { once: true });
    if (over.aborted) abort();
    try {
      // 429 means too many requests at a time, or in a second.
      if (status >= 500 || status === 429) throw new NetworkError(`The server answered ${status}.`);
      if (status !== 206 && status !== 200) throw errorOf(status, undefined);
      // A proxy that does not support ranges sends everything again.
      let skip = status === 200 ? offset : 0;
      for await (const chunk of response as AsyncIterable<Buffer>) {
        const skipped = Math.min(skip, chunk.length);
        skip -= skipped;
        if (skipped < chunk.length) yield chunk.subarray(skipped);
      }
    } catch (error) {
      if (error instanceof SandboxError || error instanceof NetworkError) throw error;
      throw new NetworkError('The connection broke.', { cause: error });
    } finally {
      over.removeEventListener('abort', abort);
      response.destroy();
    }
  }

  /** Runs once for each client. Removes what has not been used for long, and what a killed process left. */
  async #sweep(): Promise<void> {
    if (this.#swept) return;
    this.#swept = true;
    const { cacheDir, cacheMs } = this.#options;
    for (const name of await readdir(cacheDir)) {
      if (!/^(?:[0-9a-f]{64}|\.partial-[0-9a-f]{16})$/.test(name)) continue;
      const path = join(cacheDir, name);
      const stats = await stat(path).catch(() => undefined);
      if (stats !== undefined && Date.now() - stats.mtimeMs > cacheMs) await rm(path, { force: true });
    }
  }
}

/** Returns `undefined` for anything but a regular file of this size, and for a file that cannot be read. */
async function readInPlace(path: string, size: number): Promise<Buffer | undefined> {
  const file = await open(path, openFlags).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat();
    return stats.isFile() && stats.size === size ? await file.readFile() : undefined;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

async function isKept(path: string, size: number): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() === true && stats.size === size;
}

function wrong(why: string): SandboxError {
  return new SandboxError('protocol_error', `What the server sent as a result ${why}.`);
}

function tooSlow(cause: unknown): Error {
  return new Error(`Less than ${leastBytesPerSecond} bytes of it came in a second.`, { cause });
}

function lost(cause: Error): SandboxError {
  return new SandboxError('connection_lost', `The result of the run cannot be fetched: ${cause.message}`, { cause });
}
