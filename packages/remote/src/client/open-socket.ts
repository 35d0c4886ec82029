import type { SandboxError } from '@mustard-sandbox/protocol';
import type { WebSocket } from 'ws';
import { errorOf } from './http.ts';

/** What is read of the answer of a server that refuses the connection. */
const mostErrorText = 64 * 1024;

/** No connection now; there may be one later. */
export class Unreachable extends Error {
  /** What a server said that can be reached and does not take it now. */
  readonly refusal: SandboxError | undefined;

  constructor(message: string, { cause, refusal }: { cause?: unknown; refusal?: SandboxError } = {}) {
    super(message, { cause });
    this.refusal = refusal;
  }
}

/** @throws {Unreachable} @throws {SandboxError} what a server answered that refuses the connection */
export function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', (error) => reject(new Unreachable(codeOf(error), { cause: error })));
    socket.once('unexpected-response', (_, response) => {
      const status = response.statusCode ?? 0;
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        // Enough for any error. A server may go on without end.
        if (text.length > mostErrorText) done();
      });
      const done = (): void => {
        socket.terminate();
        // It may pass: a proxy whose server is away, a server that ends or is busy.
        const refusal = errorOf(status, parseJson(text));
        const mayPass = status >= 500 || status === 429;
        reject(mayPass ? new Unreachable(`It answered ${status}.`, { refusal }) : refusal);
      };
      response.once('end', done).once('error', done);
    });
  });
}

function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return code ?? error.message.slice(0, 200);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
