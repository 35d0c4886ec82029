// The thread in which just-bash runs. It can be ended at any moment, and a loop in it blocks nothing else.
import { parentPort, workerData } from 'node:worker_threads';
import { Bash, InMemoryFs, MountableFs, ReadWriteFs } from 'just-bash';
import { isHeldBack } from '@mustard-sandbox/paths';
import { isRunningPart, repositoryMark } from '../local/git-folders.ts';
import { inside, type Folders } from '../local/toolchain.ts';

/** The data that the thread starts with. */
export interface WorkerData {
  folders: Folders;
  /** The most bytes of a file that is read, and of a file that a command writes. */
  fileBytes: number;
  outputBytes: number;
}

/** How a command ended. */
export interface WorkerAnswer {
  stdout: Uint8Array;
  stderr: Uint8Array;
  exitCode: number;
}

/** The command for the thread. */
export interface WorkerCommand {
  command: string;
  /** Nothing may be written, because the workspace has all that it may have. */
  isFull: boolean;
  /** Files that run by themselves must stay unchanged. */
  holdsBack: boolean;
}

let isFull = false;
let holdsBack = false;

/**
 * The files of the workspace. No command can make one run as its owner or unreadable, and none can be written while the
 * workspace is full.
 */
class Files extends ReadWriteFs {
  override async writeFile(...args: Parameters<ReadWriteFs['writeFile']>): Promise<void> {
    if (args[1].length > 0) assertRoom(args[0]);
    await this.#assertFree(args[0]);
    await super.writeFile(...args);
  }

  override async appendFile(...args: Parameters<ReadWriteFs['appendFile']>): Promise<void> {
    assertRoom(args[0]);
    await this.#assertFree(args[0]);
    await super.appendFile(...args);
  }

  override async cp(...args: Parameters<ReadWriteFs['cp']>): Promise<void> {
    assertRoom(args[1]);
    await this.#assertFree(args[1]);
    await super.cp(...args);
  }

  override async mv(...args: Parameters<ReadWriteFs['mv']>): Promise<void> {
    for (const path of args) await this.#assertFree(path);
    await super.mv(...args);
  }

  override async rm(...args: Parameters<ReadWriteFs['rm']>): Promise<void> {
    await this.#assertFree(args[0]);
    await super.rm(...args);
  }

  override async mkdir(...args: Parameters<ReadWriteFs['mkdir']>): Promise<void> {
    await this.#assertFree(args[0]);
    await super.mkdir(...args);
  }

  override async symlink(...args: Parameters<ReadWriteFs['symlink']>): Promise<void> {
    await this.#assertFree(args[1]);
    await super.symlink(...args);
  }

  override async link(...args: Parameters<ReadWriteFs['link']>): Promise<void> {
    for (const path of args) await this.#assertFree(path);
    await super.link(...args);
  }

  /** Refuses a path by its text, and by where its links lead. */
  async #assertFree(path: string): Promise<void> {
    if (!holdsBack) return;
    const real = await this.realpath(path).catch(() => path);
    for (const one of new Set([path, real])) {
      if (await this.#isHeld(one)) throw new Error(`EROFS: read-only without a person's answer, write '${path}'`);
    }
  }

  async #isHeld(path: string): Promise<boolean> {
    const names = path.split('/');
    for (const [at, name] of names.entries()) {
      const isFolder = at < names.length - 1 || (await this.#isFolder(path));
      if (isHeldBack(name, isFolder)) return true;
      if (isRunningPart(name) && (await this.exists([...names.slice(0, at), repositoryMark].join('/')))) return true;
    }
    return false;
  }

  async #isFolder(path: string): Promise<boolean> {
    return await this.stat(path).then(
      (stat) => stat.isDirectory,
      () => false,
    );
  }

  override async chmod(path: string, mode: number): Promise<void> {
    if ((mode & 0o6000) !== 0) throw new Error(`EPERM: operation not permitted, chmod '${path}'`);
    const { isDirectory } = await this.stat(path);
    await super.chmod(path, isDirectory ? mode | 0o700 : mode);
  }
}

function assertRoom(path: string): void {
  if (isFull) throw new Error(`ENOSPC: the workspace is full, write '${path}'`);
}

const { folders, fileBytes, outputBytes } = workerData as WorkerData;
const mounts = (Object.keys(inside) as (keyof typeof inside)[]).map((name) => ({
  mountPoint: inside[name],
  filesystem: new Files({ root: folders[name], maxFileReadSize: fileBytes, maxCopySize: fileBytes }),
}));
const bash = new Bash({
  fs: new MountableFs({ base: new InMemoryFs(), mounts }),
  cwd: inside.files,
  env: { HOME: inside.home, TMPDIR: inside.tmp, USER: 'agent' },
  // The time is limited outside, by ending the thread. A build with many loops must not end before that.
  executionLimits: {
    maxOutputSize: outputBytes,
    maxStringLength: fileBytes,
    maxInputBytes: 8 * fileBytes,
    maxLiveBytes: 8 * fileBytes,
    maxCommandCount: 10_000_000,
    maxLoopIterations: 10_000_000,
    maxAwkIterations: 10_000_000,
    maxSedIterations: 10_000_000,
  },
});

parentPort?.on('message', ({ command, ...told }: WorkerCommand) => {
  ({ isFull, holdsBack } = told);
  void bash.exec(command, { rawScript: true }).then(
    ({ stdout, stderr, exitCode, stdoutKind }) => {
      const bytes = Buffer.from(stdout, stdoutKind === 'bytes' ? 'latin1' : 'utf8');
      answer({ stdout: bytes, stderr: Buffer.from(stderr), exitCode });
      return undefined;
    },
    (error: unknown) => answer({ stdout: Buffer.alloc(0), stderr: Buffer.from(String(error)), exitCode: 126 }),
  );
});

function answer(result: WorkerAnswer): void {
  parentPort?.postMessage(result);
}
