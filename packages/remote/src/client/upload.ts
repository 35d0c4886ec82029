import { setTimeout as delay } from 'node:timers/promises';
import { SandboxError, throwIfAborted, type CancelSignal } from '@mustard-sandbox/protocol';
import { NetworkError, type Http } from './http.ts';
import type { Source } from './source.ts';

const MiB = 1024 * 1024;
/**
 * The size of one request. Proxies bound a request, and after a break only the bytes that the server lacks go again.
 */
const partBytes = 64 * MiB;
/** Up to this size a file is sent without asking how much of it the server has. */
const smallBytes = MiB;
const firstWaitMs = 100;

interface UploadOptions {
  signal?: CancelSignal | undefined;
  /** How long it tries when nothing gets through. */
  patienceMs: number;
  onProgress: (sent: number) => void;
}

/**
 * Sends a file, from the point up to which the server has it. A broken connection is made again as long as bytes get
 * through.
 *
 * @throws {SandboxError} the error that the server answered; `sidecar_unavailable` when nothing gets through;
 * `cancelled`
 */
export async function uploadFile(
  http: Http,
  source: Source,
  { signal, patienceMs, onProgress }: UploadOptions,
): Promise<void> {
  const { size } = source;
  let furthest = -1;
  let furthestAt = performance.now();
  for (let tries = 0; ;) {
    throwIfAborted(signal);
    try {
      // Asking is not worth it for a small file.
      const isKnown = size > smallBytes || tries > 0;
      let { done, offset } = isKnown ? await askStatus(http, source, signal) : { done: false, offset: 0 };
      while (!done) {
        if (offset > furthest) {
          tries = 0;
          furthest = offset;
          furthestAt = performance.now();
        }
        onProgress(offset);
        ({ done, offset } = readStatus(await sendPart(http, source, offset, signal)));
      }
      onProgress(size);
      return;
    } catch (error) {
      // 409 means that the last part has arrived after all, or somebody else sends the same file. 429 means too many
      // requests.
      const status = error instanceof SandboxError ? error.details['status'] : undefined;
      const again = error instanceof NetworkError || status === 409 || status === 429;
      if (!again) throw error;
      tries++;
      if (performance.now() - furthestAt > patienceMs) throw stuck(error as Error);
      await delay(firstWaitMs * 2 ** Math.min(tries, 5));
    }
  }
}

interface Status {
  done: boolean;
  offset: number;
}

async function askStatus(
  http: Http,
  { address, size, hash }: Source,
  signal: CancelSignal | undefined,
): Promise<Status> {
  const ask = async (path: string): Promise<Status> =>
    readStatus(await http.ask('GET', path, { headers: { 'upload-length': size }, signal }));
  // If the answer to the last part was lost, the temporary name no longer exists.
  if (hash?.known !== undefined && (await ask(`/v1/blobs/${hash.known}`)).done) return { done: true, offset: size };
  return await ask(address);
}

/** With the last part, a source without a hash in its address sends the hash that the content must have. */
async function sendPart(
  http: Http,
  { address, read, size, hash }: Source,
  offset: number,
  signal: CancelSignal | undefined,
): Promise<Record<string, unknown>> {
  const end = Math.min(size, offset + partBytes);
  const headers = { 'upload-length': size, 'upload-offset': offset, 'content-length': end - offset };
  if (end === offset) {
    const named = hash === undefined ? headers : { ...headers, 'upload-sha256': await hash.digest() };
    return await http.ask('PATCH', address, { headers: named, signal });
  }
  return await http.ask('PATCH', address, { headers, body: read(offset, end), signal });
}

function readStatus(answer: Record<string, unknown>): Status {
  const { done, offset } = answer;
  if (typeof done === 'boolean' && Number.isSafeInteger(offset) && (offset as number) >= 0) {
    return { done, offset: offset as number };
  }
  throw new SandboxError('protocol_error', 'The answer of the server to an upload is malformed.');
}

function stuck(cause: Error): SandboxError {
  return new SandboxError('sidecar_unavailable', `A file cannot be sent: ${cause.message}`, { cause });
}
