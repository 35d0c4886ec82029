import { request as overHttp, type IncomingMessage } from 'node:http';
import { request as overHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';

interface Exchange {
  /** How long a transfer may stand still, in ms. */
  stallMs: number;
  /** How many bytes are put or got. */
  size: number;
  /** The content to put. Without it, something is got. */
  send?: Readable;
}

/** In bytes a second. A store that gives a byte from time to time would otherwise block a run for ever. */
const slowest = 50_000;

/**
 * Makes one request to a store. It goes only to this address, because a redirection is an error.
 *
 * @returns the response of the store
 */
export async function exchange(url: URL, { stallMs, size, send }: Exchange): Promise<IncomingMessage> {
  const start = url.protocol === 'https:' ? overHttps : overHttp;
  const request = start(url, {
    ...(send === undefined ? { method: 'GET' } : { method: 'PUT', headers: { 'content-length': size } }),
    signal: AbortSignal.timeout(stallMs + Math.ceil((1_000 * size) / slowest)),
  });
  request.setTimeout(stallMs, () => request.destroy(new Error(`Nothing moved for ${stallMs} ms.`)));
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    // The listener stays, because an error after the response, such as a broken connection, is also an error of the
    // response.
    request.on('error', reject);
  });
  if (send === undefined) request.end();
  else pipeline(send, request).catch(() => {});
  const response = await answered;
  const length = response.headers['content-length'];
  const isRight =
    response.statusCode === 200 && (send !== undefined || length === undefined || Number(length) === size);
  if (isRight) return response;
  request.destroy();
  // The text of the response is left out, because it can be anything, of any length.
  throw new Error(`The store answered with status ${response.statusCode} and length ${length ?? 'unknown'}.`);
}
