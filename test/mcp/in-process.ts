import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { replaced, runCommandLine } from '../cli/in-process.ts';

export type OnEnd = (end: () => void | Promise<void>) => void;

export type Streams = Record<'stdin' | 'stdout' | 'stderr', PassThrough>;

/**
 * Runs `mustard-sandbox mcp` in this process.
 *
 * @param greet waits for an answer of the server: it takes its streams when it starts, and keeps them
 */
export async function startHere(
  args: string[],
  onEnd: OnEnd,
  greet: (streams: Streams) => Promise<void>,
): Promise<void> {
  const streams: Streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  using _streams = replaced(process, streams);
  const stop = { signal: new AbortController().signal, cause: undefined };
  const ended = runCommandLine(['mcp', ...args], stop);
  onEnd(async () => {
    streams.stdin.end();
    await ended;
  });
  await greet(streams);
}

/** Messages as lines, as on stdin and stdout of a server. */
export class LinesTransport implements Transport {
  onclose?: () => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #from: Readable;
  readonly #to: Writable;

  constructor(from: Readable, to: Writable) {
    this.#from = from;
    this.#to = to;
  }

  async start(): Promise<void> {
    createInterface({ input: this.#from }).on('line', (line) => this.onmessage?.(JSON.parse(line) as JSONRPCMessage));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#to.write(`${JSON.stringify(message)}\n`)) await once(this.#to, 'drain');
  }

  async close(): Promise<void> {
    this.#to.end();
    this.onclose?.();
  }
}
