import { closeSync, writeSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderFiles } from '@mustard-sandbox/client/files';
import type { Ended, Machine, RunContext, Sink } from '../machine.ts';
import { Disk } from './disk.ts';
import { Jail, killedCode, type JailKit } from './jail.ts';
import { inside, type Folders } from './toolchain.ts';
import { Watch } from './watch.ts';

/** Commands of one workspace on this machine: each in a jail of its own, with a spare for the next. */
export class LocalMachine implements Machine {
  readonly folder = inside.files;
  readonly hostFolder: string;
  readonly #kit: JailKit;
  readonly #folders: Folders;
  readonly #files: FolderFiles;
  readonly #disk: Disk;
  #spare: Jail | undefined;
  #running = 0;
  #wantsSpare = false;

  constructor(kit: JailKit, folders: Folders) {
    this.#kit = kit;
    this.#folders = folders;
    this.hostFolder = folders.files;
    this.#files = new FolderFiles(folders.files);
    this.#disk = new Disk(folders);
  }

  async run(command: string, { signal, output }: RunContext): Promise<Ended> {
    const jail = this.#takeSpare();
    let killed: string | undefined;
    const kill = (why?: string): void => {
      killed ??= why;
      void jail.kill();
    };
    const abort = (): void => kill();
    output.onFlood(kill);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    this.#running++;
    this.#wantsSpare = true;
    try {
      using _watch = new Watch({ jail, disk: this.#disk, limits: this.#kit.limits, onExceeded: kill });
      const exitCode = await jail.run(command, (stream, chunk) => output.write(stream, chunk));
      return killed === undefined ? { exitCode } : { exitCode: killedCode, killed };
    } finally {
      signal.removeEventListener('abort', abort);
      this.#running--;
      // After whoever waits for this end has his answer.
      setImmediate(() => this.#makeSpare());
    }
  }

  async readFile(path: string, maxBytes: number): Promise<{ bytes: Buffer; size: number }> {
    return this.#files.read(path, maxBytes, 'readFile');
  }

  async writeFile(path: string, content: string | Uint8Array): Promise<void> {
    this.#files.write(path, content, 'writeFile');
  }

  async removeFile(path: string): Promise<void> {
    this.#files.remove(path, 'bash');
  }

  keep(path: string): Sink {
    const fd = this.#files.create(path, 'bash');
    return {
      write: (bytes) => {
        for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      },
      close: async () => closeSync(fd),
    };
  }

  async stop(): Promise<void> {
    const spare = this.#spare;
    this.#spare = undefined;
    this.#wantsSpare = false;
    await spare?.kill();
    if (this.#running > 0) return;
    // Links in it are removed, not followed, and no command is there to put one in the way.
    const entries = await readdir(this.#folders.tmp).catch(() => []);
    await Promise.all(entries.map((name) => rm(join(this.#folders.tmp, name), { recursive: true, force: true })));
  }

  async dispose(): Promise<void> {
    await this.stop();
  }

  /** Makes the spare, so that the first command finds one. */
  #makeSpare(): void {
    if (!this.#wantsSpare || this.#running > 0 || this.#spare?.isGone === false) return;
    this.#spare = new Jail(this.#kit, this.#folders);
  }

  #takeSpare(): Jail {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare === undefined || spare.isGone ? new Jail(this.#kit, this.#folders) : spare;
  }
}

/** Makes the folders of a workspace where they are missing. */
export async function makeFolders(folder: string): Promise<Folders> {
  const folders = { files: join(folder, 'files'), home: join(folder, 'home'), tmp: join(folder, 'tmp') };
  for (const path of Object.values(folders)) await mkdir(path, { recursive: true, mode: 0o700 });
  return folders;
}
