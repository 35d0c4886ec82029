import { request as overHttp, type IncomingMessage } from 'node:http';
import { request as overHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';

interface Exchange {
  /** How long nothing may move. */
  stallMs: number;
  /** How much is put or got, in bytes. */
  size: number;
  /** What is put; without it, something is got. */
  send?: Readable;
}

/** A store that gives a byte now and then would hold up a run for ever. In bytes a second. */
const slowest = 50_000;

/**
 * One request to a store: to this address and no other, since a redirection is an error.
 *
 * @returns what the store answers
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
    // It stays: an error after the answer, such as of a connection that breaks, is an error of the answer too.
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
  // Not its text: it can be anything, and without end.
  throw new Error(`The store answered with status ${response.statusCode} and length ${length ?? 'unknown'}.`);
}
