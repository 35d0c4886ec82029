import { readdir, readFile, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { Writable } from 'node:stream';
import { SandboxError } from '@mustard-sandbox/client';
import type { Sandbox } from '@vercel/sandbox';
import type { BashLimits } from '../../limits.ts';
import { killedCode } from '../local/jail.ts';
import type { Ended, Machine, RunContext } from '../../machine.ts';
import type { Sink } from '../../output/output.ts';
import type { StreamName } from '../../output/output.ts';

/** What all machines elsewhere are made with. */
export interface VercelKit {
  sdk: typeof Sandbox;
  credentials: { token: string; teamId: string; projectId: string };
  limits: BashLimits;
  network: boolean;
  runtime: 'node22' | 'python3.13';
}

const folder = '/vercel/sandbox';
/** The machine has Python only under the name `python3`. */
const pythonShim = 'command -v python >/dev/null || ln -s "$(command -v python3)" /usr/local/bin/python';
/** How many bytes of files are sent together. */
const sentBytes = 16 * 1024 * 1024;

/** One workspace on a virtual machine of @vercel/sandbox. Its name finds it again after a restart. */
export class VercelMachine implements Machine {
  readonly folder = folder;
  readonly id: string;
  readonly #kit: VercelKit;
  readonly #seed: string;
  #machine: Promise<Sandbox> | undefined;

  /** @param seed a folder of this machine with the files for a new workspace */
  constructor(kit: VercelKit, id: string, seed: string) {
    this.#kit = kit;
    this.id = `mustard-${id}`;
    this.#seed = seed;
  }

  async run(command: string, { signal, output }: RunContext): Promise<Ended> {
    const controller = new AbortController();
    let killed: string | undefined;
    const abort = (): void => controller.abort();
    output.onFlood((why) => {
      killed = why;
      abort();
    });
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const into = (stream: StreamName): Writable =>
      new Writable({
        write(chunk: Buffer, _, done) {
          output.write(stream, Buffer.from(chunk));
          done();
        },
      });
    try {
      const machine = await this.#open();
      const { exitCode } = await machine.runCommand({
        cmd: 'bash',
        args: ['-c', command],
        cwd: folder,
        stdout: into('stdout'),
        stderr: into('stderr'),
        timeoutMs: this.#kit.limits.maxTimeoutMs,
        signal: controller.signal,
      });
      return killed === undefined ? { exitCode } : { exitCode: killedCode, killed };
    } catch (error) {
      if (!controller.signal.aborted) throw error;
      return { exitCode: killedCode, ...(killed !== undefined && { killed }) };
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async readFile(path: string, maxBytes: number): Promise<{ bytes: Buffer; size: number }> {
    const machine = await this.#open();
    const bytes = await machine.readFileToBuffer({ path: inWorkspace(path, 'readFile') });
    if (bytes !== null) return { bytes: bytes.subarray(0, maxBytes), size: bytes.length };
    throw new SandboxError('script_error', `readFile: No file ${JSON.stringify(path)} in the workspace.`, {
      details: { capability: 'readFile', path, name: 'NotFoundError' },
    });
  }

  async writeFile(path: string, content: string | Uint8Array): Promise<void> {
    const machine = await this.#open();
    await machine.writeFiles([{ path: inWorkspace(path, 'writeFile'), content }]);
  }

  async whereIs(path: string): Promise<string> {
    return posix.relative(folder, inWorkspace(path, 'writeFile'));
  }

  async removeFile(path: string): Promise<void> {
    await (await this.#open()).runCommand('rm', ['-f', '--', inWorkspace(path, 'bash')]);
  }

  keep(path: string): Sink {
    const chunks: Buffer[] = [];
    return {
      write: (bytes) => void chunks.push(bytes),
      close: () => this.writeFile(path, Buffer.concat(chunks)),
    };
  }

  async stop(): Promise<void> {
    const machine = await this.#machine?.catch(() => undefined);
    this.#machine = undefined;
    await machine?.stop();
  }

  async dispose(): Promise<void> {
    const machine = await this.#open();
    this.#machine = undefined;
    await machine.delete();
  }

  /** Finds the machine by its name, or makes it. A failed attempt is repeated at the next call. */
  #open(): Promise<Sandbox> {
    const { sdk, credentials, limits, network, runtime } = this.#kit;
    this.#machine ??= sdk.getOrCreate({
      ...credentials,
      name: this.id,
      runtime,
      persistent: true,
      timeout: limits.idleTtlMs + limits.maxTimeoutMs,
      networkPolicy: network ? 'allow-all' : 'deny-all',
      onCreate: (machine) => this.#fill(machine),
    });
    this.#machine.catch(() => (this.#machine = undefined));
    return this.#machine;
  }

  async #fill(machine: Sandbox): Promise<void> {
    if (this.#kit.runtime === 'python3.13') {
      await machine.runCommand({ cmd: 'sh', args: ['-c', pythonShim], sudo: true });
    }
    let files: { path: string; content: Buffer; mode: number }[] = [];
    let bytes = 0;
    for (const path of await readdir(this.#seed, { recursive: true })) {
      const stats = await stat(join(this.#seed, path));
      if (!stats.isFile()) continue;
      files.push({
        path: `${folder}/${path}`,
        content: await readFile(join(this.#seed, path)),
        mode: stats.mode & 0o777,
      });
      bytes += stats.size;
      if (bytes < sentBytes) continue;
      await machine.writeFiles(files);
      [files, bytes] = [[], 0];
    }
    if (files.length > 0) await machine.writeFiles(files);
  }
}

/** Checks the path by its text alone, because a link on that machine can only lead to files of that machine. */
function inWorkspace(path: string, tool: string): string {
  if (!path.startsWith('/') && !path.split('/').includes('..') && !path.includes('\0')) return `${folder}/${path}`;
  throw new SandboxError(
    'capability_denied',
    `${tool}: ${JSON.stringify(path)} is refused: it is outside of the workspace.`,
    {
      details: { capability: tool, path },
    },
  );
}
