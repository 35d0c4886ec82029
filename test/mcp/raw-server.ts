import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { onTestFinished, vi } from 'vitest';
import { startHere } from './in-process.ts';
import { main } from './support.ts';
import type { OnEnd } from './in-process.ts';

interface Message {
  id?: number | string;
  method?: string;
  result?: unknown;
  error?: { code: number; message: string };
}

/** A server without a client: lines go in and come out. */
export class RawServer {
  stdout = '';
  stderr = '';
  readonly #stdin: Writable;

  constructor(stdin: Writable, stdout: Readable, stderr: Readable) {
    this.#stdin = stdin;
    stdout.on('data', (chunk) => (this.stdout += String(chunk)));
    stderr.on('data', (chunk) => (this.stderr += String(chunk)));
    stdin.on('error', () => {});
  }

  /** In this process, which saves the start of one; it ends with the test. */
  static async here(args: string[], version?: string, onEnd: OnEnd = onTestFinished): Promise<RawServer> {
    return await new Promise((resolve, reject) => {
      startHere(args, onEnd, async ({ stdin, stdout, stderr }) => {
        const server = new RawServer(stdin, stdout, stderr);
        await server.initialize(version);
        resolve(server);
      }).catch(reject);
    });
  }

  send(message: object | string): void {
    this.#stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  }

  request(id: number, method: string, params: object = {}): void {
    this.send({ jsonrpc: '2.0', id, method, params });
  }

  /** Every message on stdout; a line that is none, nor a batch of them, fails the test. */
  messages(): Message[] {
    return this.#lines().flatMap((line) => {
      const message = JSON.parse(line) as (Message & { jsonrpc: string }) | Message[];
      if (Array.isArray(message)) return message;
      if (message.jsonrpc !== '2.0') throw new Error(`No message: ${line}`);
      return message;
    });
  }

  /** The first batch of answers. */
  async batch(): Promise<Message[]> {
    const line = await vi.waitUntil(() => this.#lines().find((line) => line.startsWith('[')));
    return JSON.parse(line) as Message[];
  }

  async answer(id: number | string): Promise<Message> {
    return await this.#until((message) => message.id === id);
  }

  async initialize(protocolVersion = '2025-06-18'): Promise<void> {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    this.request(0, 'initialize', params);
    await this.answer(0);
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  /** Starts a script that does not end, and waits until it runs. */
  async runForLong(id: number): Promise<void> {
    const _meta = { progressToken: 'p' };
    this.request(id, 'tools/call', { name: 'execute_sandbox_script', arguments: { script: 'while (true) {}' }, _meta });
    await this.#until(({ method }) => method === 'notifications/progress');
  }

  #lines(): string[] {
    return this.stdout.split('\n').slice(0, -1);
  }

  async #until(isIt: (message: Message) => boolean): Promise<Message> {
    const find = (): Message => {
      const found = this.messages().find(isIt);
      if (found === undefined) throw new Error(`Not among these: ${this.stdout}`);
      return found;
    };
    return await vi.waitFor(find);
  }
}

/** The built command as a process of its own, killed with the test. */
export class RawProcess extends RawServer {
  readonly process: ChildProcessWithoutNullStreams;
  readonly ended: Promise<{ code: unknown; signal: unknown }>;

  constructor(args: string[]) {
    const started = spawn(process.execPath, [main, 'mcp', ...args]);
    super(started.stdin, started.stdout, started.stderr);
    this.process = started;
    this.ended = once(started, 'exit').then(([code, signal]) => ({ code, signal }));
    onTestFinished(() => void started.kill('SIGKILL'));
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }
}
