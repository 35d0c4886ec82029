import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { serveSandboxes, type SandboxServer } from '@mustard-sandbox/remote/server';
import { atProcessEnd } from '../process-end.ts';
import type { CliOptions, Ended } from './support.ts';

// Not a static import: the types of this file are checked before anything is built.
const built = new URL('../../packages/cli/dist/command-line.js', import.meta.url).href;
export const { runCommandLine } = (await import(built)) as typeof import('../../packages/cli/src/command-line.ts');

/** Runs a script that comes on stdin. */
export async function runScriptInProcess(script: string, ...args: string[]): Promise<Ended> {
  return await cliInProcess(['run', '-', ...args], { input: script });
}

let server: Promise<SandboxServer> | undefined;

/**
 * Options for scripts to run at a server of this process, whose sidecar other tests use too: for what is about the
 * command and not about where scripts run. Each sandbox of the command's own takes 0.15 s of processor time.
 */
export async function atServer(): Promise<string[]> {
  server ??= startServer();
  return ['--remote', (await server).url];
}

async function startServer(): Promise<SandboxServer> {
  const folder = mkdtempSync(join(tmpdir(), 'mustard-cli-server-'));
  atProcessEnd(() => rmSync(folder, { recursive: true, force: true }));
  return await serveSandboxes({
    listen: '127.0.0.1:0',
    store: join(folder, 'store'),
    tokens: [],
    logLevel: 'silent',
    sandbox: { maxProcesses: 1, spares: 0, maxTimeoutMs: 60_000, quarantineAfter: 1000 },
  });
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command line as the built command does, in this process: without the 0.15 s of processor time that a process
 * of its own takes. Signals, terminals, closed pipes and whether the process ends are for `cli()`.
 */
export function cliInProcess(args: string[], options: Omit<CliOptions, 'nodeArgs' | 'main'> = {}): Promise<Ended> {
  // One after another: they share the streams, the folder and the environment of this process.
  const ended = last.then(() => runHere(args, options));
  last = ended.catch(() => {});
  return ended;
}

async function runHere(args: string[], { cwd, input = '', env = {} }: CliOptions): Promise<Ended> {
  const stdout = new Captured();
  const stderr = new Captured();
  using _streams = replaced(process, { stdin: Readable.from([Buffer.from(input)]), stdout, stderr });
  using _env = replaced(process, { env: { ...process.env, ...env } });
  const before = { cwd: process.cwd(), exitCode: process.exitCode };
  if (cwd !== undefined) process.chdir(cwd);
  try {
    const stop = { signal: new AbortController().signal, cause: undefined };
    const exitCode = await runCommandLine(args, stop);
    return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.chdir(before.cwd);
    process.exitCode = before.exitCode;
  }
}

class Captured extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}

/** Puts other values in the place of these properties, until it is disposed of. */
export function replaced(object: object, values: Record<string, unknown>): Disposable {
  const before = Object.keys(values).map((name) => [name, Object.getOwnPropertyDescriptor(object, name)] as const);
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(object, name, { value, configurable: true, writable: true, enumerable: true });
  }
  return {
    [Symbol.dispose]: () => {
      for (const [name, descriptor] of before) Object.defineProperty(object, name, descriptor as PropertyDescriptor);
    },
  };
}
