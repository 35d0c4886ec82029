import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { Client, JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { replaced, runCommandLine } from '../cli/in-process.ts';

/** Runs `mustard-sandbox mcp` in this process, until the test ends. */
export function startHere(args: string[]): {
  connect: (client: Client) => Promise<void>;
  pid: () => number;
  stderr: () => string;
} {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let said = '';
  stderr.on('data', (chunk) => (said += String(chunk)));
  return {
    async connect(client) {
      // The server takes its streams when it starts, and keeps them.
      using _streams = replaced(process, { stdin, stdout, stderr });
      const stop = { signal: new AbortController().signal, cause: undefined };
      const ended = runCommandLine(['mcp', ...args], stop);
      onTestFinished(async () => {
        stdin.end();
        await ended;
      });
      await client.connect(new LinesTransport(stdout, stdin));
    },
    pid: () => process.pid,
    stderr: () => said,
  };
}

/** Messages as lines, as on stdin and stdout of a server. */
class LinesTransport implements Transport {
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
