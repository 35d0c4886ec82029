import { closeSync, writeSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderFiles } from '@mustard-sandbox/paths';
import { BashError } from '../../errors.ts';
import type { Ended, Machine, RunContext, WriteOptions } from '../../machine.ts';
import type { Sink } from '../../output/output.ts';
import type { Disk } from './disk.ts';
import { CannotHold, HeldBack } from './held-back.ts';
import { inside, type Folders } from './toolchain.ts';

/** A workspace whose files are on this machine, whatever runs its commands. */
export abstract class FolderMachine implements Machine {
  readonly folder = inside.files;
  readonly hostFolder: string;
  readonly hostHome: string;
  protected folders: Folders;
  protected readonly disk: Disk;
  readonly #files: FolderFiles;
  readonly #withoutLinks: FolderFiles;

  constructor(folders: Folders, disk: Disk) {
    this.folders = folders;
    this.hostFolder = folders.files;
    this.hostHome = folders.home;
    // A copy was made without secrets, but a folder of the user holds them. So the guard of scripts is the guard of
    // these tools too.
    const refuseSecrets = folders.isUsers === true;
    this.#files = new FolderFiles(folders.files, { refuseSecrets });
    this.#withoutLinks = new FolderFiles(folders.files, { refuseSecrets, refuseLinks: true });
    this.disk = disk;
  }

  abstract run(command: string, context: RunContext): Promise<Ended>;

  whyNotHeld(): string | undefined {
    try {
      this.holdBack(true);
      return undefined;
    } catch (error) {
      if (error instanceof CannotHold) return error.message;
      throw error;
    }
  }

  /**
   * Holds back changes of a command that no person was asked about, in a folder of the user.
   *
   * @throws {CannotHold}
   */
  protected holdBack(wanted = false): HeldBack | undefined {
    return wanted && this.folders.isUsers === true ? new HeldBack(this.folders.files, this.folders.home) : undefined;
  }

  async readFile(path: string, maxBytes: number): Promise<{ bytes: Buffer; size: number }> {
    return this.#files.read(path, maxBytes, 'readFile');
  }

  async writeFile(path: string, content: string | Uint8Array, { noLinks }: WriteOptions = {}): Promise<void> {
    const { before, isFull } = await this.disk.allowance();
    if (isFull) throw new BashError('workspace_full', `writeFile(): ${this.disk.describeFull(before)}`);
    (noLinks === true ? this.#withoutLinks : this.#files).write(path, content, 'writeFile');
  }

  async whereIs(path: string): Promise<string> {
    return this.#files.whereIs(path, 'writeFile');
  }

  async removeFile(path: string): Promise<void> {
    this.#files.remove(path, 'bash');
  }

  keep(path: string): Sink {
    let room = this.disk.room;
    const fd = this.#files.create(path, 'bash');
    return {
      write: (bytes) => {
        room -= bytes.length;
        if (room < 0) throw Object.assign(new Error('The workspace is full.'), { code: 'EDQUOT' });
        for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      },
      close: async () => closeSync(fd),
    };
  }

  /** Clears /tmp. Links in it are removed and not followed. No command runs that could put one in the way. */
  async stop(): Promise<void> {
    const entries = await readdir(this.folders.tmp).catch(() => []);
    await Promise.all(entries.map((name) => rm(join(this.folders.tmp, name), { recursive: true, force: true })));
  }

  async dispose(): Promise<void> {
    await this.stop();
  }
}

/** Makes the folders of a workspace that are missing. */
export async function makeFolders(folder: string): Promise<Folders> {
  const folders = { files: join(folder, 'files'), home: join(folder, 'home'), tmp: join(folder, 'tmp') };
  for (const path of Object.values(folders)) await mkdir(path, { recursive: true, mode: 0o700 });
  return folders;
}
