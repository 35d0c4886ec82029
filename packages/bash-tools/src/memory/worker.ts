// The thread in which just-bash runs: it can be ended at any moment, and a loop in it holds up nobody else.
import { parentPort, workerData } from 'node:worker_threads';
import { Bash, InMemoryFs, MountableFs, ReadWriteFs } from 'just-bash';
import { inside, type Folders } from '../local/toolchain.ts';

/** What the thread is started with. */
export interface WorkerData {
  folders: Folders;
  /** The most bytes of a file that is read, and of what a command writes. */
  fileBytes: number;
  outputBytes: number;
}

/** How a command ended. */
export interface WorkerAnswer {
  stdout: Uint8Array;
  stderr: Uint8Array;
  exitCode: number;
}

/** Files that no command makes run as their owner. */
class Files extends ReadWriteFs {
  override async chmod(path: string, mode: number): Promise<void> {
    if ((mode & 0o6000) !== 0) throw new Error(`EPERM: operation not permitted, chmod '${path}'`);
    await super.chmod(path, mode);
  }
}

const { folders, fileBytes, outputBytes } = workerData as WorkerData;
const mounts = (Object.keys(inside) as (keyof Folders)[]).map((name) => ({
  mountPoint: inside[name],
  filesystem: new Files({ root: folders[name], maxFileReadSize: fileBytes, maxCopySize: fileBytes }),
}));
const bash = new Bash({
  fs: new MountableFs({ base: new InMemoryFs(), mounts }),
  cwd: inside.files,
  env: { HOME: inside.home, TMPDIR: inside.tmp, USER: 'agent' },
  // The time is kept outside: the thread is ended. A build of loops is no reason to end it before.
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

parentPort?.on('message', (command: string) => {
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
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  parentPort?.postMessage(result);
}
