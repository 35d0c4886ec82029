import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isErrorCode, SandboxError, type CancelSignal } from '@mustard-sandbox/protocol';
import type { ResolvedConnectOptions } from './options.ts';

/** The most bytes of an answer to a request about files, which is always short. */
const maxAnswerBytes = 1024 * 1024;
/**
 * How long a server may be silent before it counts as gone, in ms. A short answer must also be complete within this
 * time.
 */
const quietMs = 60_000;

/** How many interim responses, such as `100 Continue`, are accepted. A server may send them without end. */
const mostInterim = 16;

/** The network failed and not the request, so the request may be made again. */
export class NetworkError extends Error {}

interface Asked {
  headers?: Record<string, string | number>;
  /** A chunk is reused once the next but one is asked for. */
  body?: AsyncIterable<Buffer>;
  signal?: CancelSignal | undefined;
}

/** HTTP requests to the server. */
export class Http {
  readonly #options: Pick<ResolvedConnectOptions, 'url' | 'unixPath' | 'token' | 'ca'>;
  readonly #agent: HttpAgent;

  constructor(options: Pick<ResolvedConnectOptions, 'url' | 'unixPath' | 'token' | 'ca'>) {
    this.#options = options;
    const settings = { keepAlive: true, maxSockets: 4 };
    const ca = options.ca === undefined ? {} : { ca: options.ca };
    this.#agent = options.url.protocol === 'https:' ? new HttpsAgent({ ...settings, ...ca }) : new HttpAgent(settings);
  }

  get headers(): Record<string, string> {
    const { token } = this.#options;
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  /** The address of a resource at the server, which may be below the path of a proxy. */
  urlOf(path: string): URL {
    const { url } = this.#options;
    return new URL(url.pathname.replace(/\/$/, '') + path, url);
  }

  /**
   * @throws {NetworkError} when the connection failed
   * @throws {SandboxError} the error that the server answered, with `details.status`
   */
  async ask(method: string, path: string, asked: Asked = {}): Promise<Record<string, unknown>> {
    const response = await this.open(method, path, asked);
    const chunks: Buffer[] = [];
    let length = 0;
    // A server that sends one byte at a time is never silent, so this timer bounds the whole answer.
    const timer = setTimeout(() => response.destroy(new Error('The answer does not end.')), quietMs);
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        length += chunk.length;
        if (length > maxAnswerBytes) throw new SandboxError('protocol_error', 'The server answered without end.');
        chunks.push(chunk);
      }
    } catch (error) {
      throw error instanceof SandboxError ? error : new NetworkError('The connection broke.', { cause: error });
    } finally {
      clearTimeout(timer);
      response.destroy();
    }
    return readAnswer(response.statusCode ?? 0, Buffer.concat(chunks).toString());
  }

  /** Returns the head of an answer. The caller reads the body. */
  async open(method: string, path: string, { headers, body, signal }: Asked): Promise<IncomingMessage> {
    const { url, unixPath } = this.#options;
    const options: RequestOptions = {
      method,
      agent: this.#agent,
      headers: { ...this.headers, ...headers },
      timeout: quietMs,
      ...(unixPath !== undefined && { socketPath: unixPath }),
    };
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(this.urlOf(path), options);
    const abort = (): void => void request.destroy(new SandboxError('cancelled', 'The run was cancelled.'));
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted === true) abort();
    try {
      return await new Promise<IncomingMessage>((resolve, reject) => {
        const fail = (error: unknown): void =>
          reject(error instanceof SandboxError ? error : new NetworkError('The connection broke.', { cause: error }));
        request.on('response', resolve).on('error', fail);
        request.on('timeout', () => request.destroy(new Error('The server is quiet.')));
        let interim = 0;
        request.on('information', () => {
          if (++interim > mostInterim) request.destroy(new Error('The server sends interim responses, but no answer.'));
        });
        if (body === undefined) request.end();
        else sendBody(body, request).catch(fail);
      });
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Sends a body. An answer may come before all of it is sent; the rest is then not needed, which is not an error. */
async function sendBody(body: AsyncIterable<Buffer>, request: ClientRequest): Promise<void> {
  request.once('response', (response) => {
    response.once('close', () => {
      if (!request.writableEnded) request.destroy();
    });
  });
  let written: Promise<void> = Promise.resolve();
  for await (const chunk of body) {
    await written;
    written = write(request, chunk);
    written.catch(() => {});
  }
  await written;
  request.end();
}

function write(request: ClientRequest, chunk: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    request.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

function readAnswer(status: number, text: string): Record<string, unknown> {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    answer = undefined;
  }
  if (status >= 200 && status < 300 && isObject(answer)) return answer;
  if (status === 502 || status === 503 || status === 504) throw new NetworkError(`The server answered ${status}.`);
  throw errorOf(status, answer);
}

/** The error in an answer. If there is none, as from a proxy, the error names the status. */
export function errorOf(status: number, answer: unknown): SandboxError {
  const error = isObject(answer) && isObject(answer['error']) ? answer['error'] : {};
  const { code, message, details } = error;
  return new SandboxError(
    isErrorCode(code) ? code : 'invalid_request',
    typeof message === 'string' ? message.slice(0, 2_000) : `The server answered ${status}.`,
    { details: { ...(isObject(details) && details), status } },
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
