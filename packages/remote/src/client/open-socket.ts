import type { SandboxError } from '@mustard-sandbox/protocol';
import type { WebSocket } from 'ws';
import { errorOf } from './http.ts';

/** How much is read of the answer with which a server refuses the connection, in bytes. */
const mostErrorText = 64 * 1024;

/** There is no connection now, but there may be one later. */
export class Unreachable extends Error {
  /** The error of a server that can be reached but does not accept the connection now. */
  readonly refusal: SandboxError | undefined;

  constructor(message: string, { cause, refusal }: { cause?: unknown; refusal?: SandboxError } = {}) {
    super(message, { cause });
    this.refusal = refusal;
  }
}

/** @throws {Unreachable} @throws {SandboxError} the error with which a server refuses the connection */
export function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', (error) => reject(new Unreachable(codeOf(error), { cause: error })));
    socket.once('unexpected-response', (_, response) => {
      const status = response.statusCode ?? 0;
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        // This is enough for any error, and a server may go on without end.
        if (text.length > mostErrorText) done();
      });
      const done = (): void => {
        socket.terminate();
        // It may pass: the server behind a proxy may be away, or the server may be ending or busy.
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
