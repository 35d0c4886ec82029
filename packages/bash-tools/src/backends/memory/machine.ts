import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { formatBytes } from '@mustard-sandbox/agent-tool';
import type { BashLimits } from '../../limits.ts';
import { killedCode } from '../local/jail.ts';
import { Disk } from '../local/disk.ts';
import { FolderMachine } from '../local/folder-machine.ts';
import type { Folders } from '../local/toolchain.ts';
import { Watch } from '../local/watch.ts';
import type { Ended, RunContext } from '../../machine.ts';
import type { WorkerAnswer, WorkerCommand, WorkerData } from './worker.ts';

/** How large a file may be to be opened. just-bash's own limit is 10 MB. */
const maxFileBytes = 128 * 1024 * 1024;
const MiB = 1024 * 1024;

/** Commands of one workspace in an interpreter of bash. No program of this machine runs. */
export class MemoryMachine extends FolderMachine {
  readonly #limits: BashLimits;
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(limits: BashLimits, folders: Folders) {
    super(folders, new Disk(folders, limits));
    this.#limits = limits;
  }

  async run(command: string, context: RunContext): Promise<Ended> {
    // Commands run one after the other, because the interpreter has one set of variables and files.
    const run = this.#last.then(() => this.#run(command, context));
    this.#last = run.catch(() => {});
    return await run;
  }

  override async stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    await super.stop();
  }

  async #run(command: string, { signal, output, holdBack }: RunContext): Promise<Ended> {
    const held = this.holdBack(holdBack);
    const allowance = await this.disk.allowance();
    const { before, isFull } = allowance;
    const worker = (this.#worker ??= this.#start());
    let killed: string | undefined;
    const kill = (why?: string): void => {
      killed ??= why;
      this.#worker = undefined;
      void worker.terminate();
    };
    const abort = (): void => kill();
    output.onFlood(kill);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    try {
      const watched = { jail: undefined, disk: this.disk, limits: this.#limits, allowance };
      using _watch = new Watch({ ...watched, onExceeded: kill });
      worker.ref();
      worker.postMessage({ command, isFull, holdsBack: held !== undefined } satisfies WorkerCommand);
      const answer = await answerOf(worker);
      const notes = [...(isFull ? [this.disk.describeFull(before)] : []), ...((await held?.takeBack()) ?? [])];
      const note = notes.length > 0 ? { note: notes.join(' ') } : {};
      if (answer === undefined) return { exitCode: killedCode, ...(killed !== undefined && { killed }), ...note };
      output.write('stdout', Buffer.from(answer.stdout));
      output.write('stderr', Buffer.from(answer.stderr));
      return killed === undefined ? { exitCode: answer.exitCode, ...note } : { exitCode: killedCode, killed, ...note };
    } catch (error) {
      // It ran out of memory, so the thread is gone.
      this.#worker = undefined;
      if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      const memory = formatBytes(this.#limits.memoryBytes);
      return { exitCode: killedCode, killed: `it took more than ${memory} of memory (memoryBytes)` };
    } finally {
      signal.removeEventListener('abort', abort);
      worker.unref();
      // Started now, so that the next command need not wait for it.
      this.disk.taken().catch(() => {});
    }
  }

  #start(): Worker {
    const { outputBytes, memoryBytes } = this.#limits;
    const workerData: WorkerData = { folders: this.folders, fileBytes: maxFileBytes, outputBytes };
    // It gets neither the host's environment nor the host's flags.
    const options = {
      workerData,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryBytes / MiB },
    };
    // The worker is in the folder beside the bundle, which has its parts.
    return new Worker(new URL('../backends/memory/worker.js', import.meta.url), options);
  }
}

/** Returns `undefined` when the thread was ended. */
async function answerOf(worker: Worker): Promise<WorkerAnswer | undefined> {
  const over = new AbortController();
  const { signal } = over;
  try {
    const [answer] = (await Promise.race([
      once(worker, 'message', { signal }),
      once(worker, 'exit', { signal }).then(() => [undefined]),
    ])) as [WorkerAnswer | undefined];
    return answer;
  } finally {
    over.abort();
  }
}
