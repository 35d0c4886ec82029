import type { Ended, RunContext } from '../../machine.ts';
import { countInJail } from './count.ts';
import { Disk } from './disk.ts';
import { FolderMachine } from './folder-machine.ts';
import { Jail, killedCode, type JailKit } from './jail.ts';
import type { Folders } from './toolchain.ts';
import { tooMuchMemory, Watch } from './watch.ts';

/** Commands of one workspace on this machine. Each runs in a jail of its own, with a spare ready for the next. */
export class LocalMachine extends FolderMachine {
  readonly #kit: JailKit;
  #spare: Jail | undefined;
  #running = 0;
  #wantsSpare = false;

  constructor(kit: JailKit, folders: Folders) {
    super(folders, new Disk(folders, kit.limits, () => countInJail(kit, folders)));
    this.#kit = kit;
  }

  async run(command: string, { signal, output, holdBack }: RunContext): Promise<Ended> {
    const held = this.holdBack(holdBack);
    const allowance = await this.disk.allowance();
    const { before, isFull } = allowance;
    const jail = held === undefined ? this.#takeSpare() : new Jail(this.#kit, this.folders, held.mounts());
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
      using _watch = new Watch({ jail, disk: this.disk, limits: this.#kit.limits, allowance, onExceeded: kill });
      // With this limit the kernel lets no file grow.
      const text = isFull ? `ulimit -f 0; ${command}` : command;
      const exitCode = await jail.run(text, (stream, chunk) => output.write(stream, chunk));
      if (jail.isOutOfMemory) killed ??= tooMuchMemory(this.#kit.limits);
      const notes = [...(isFull ? [this.disk.describeFull(before)] : []), ...((await held?.takeBack()) ?? [])];
      const note = notes.length > 0 ? { note: notes.join(' ') } : {};
      return killed === undefined ? { exitCode, ...note } : { exitCode: killedCode, killed, ...note };
    } finally {
      signal.removeEventListener('abort', abort);
      this.#running--;
      // Started now, so that the next command need not wait for it.
      this.disk.taken().catch(() => {});
      // This runs after the caller has got the answer.
      setImmediate(() => this.#makeSpare());
    }
  }

  override async stop(): Promise<void> {
    const spare = this.#spare;
    this.#spare = undefined;
    this.#wantsSpare = false;
    await spare?.kill();
    if (this.#running === 0) await super.stop();
  }

  /** Makes the spare, so that the next command finds one. */
  #makeSpare(): void {
    if (!this.#wantsSpare || this.#running > 0 || this.#spare?.isGone === false) return;
    this.#spare = new Jail(this.#kit, this.folders);
  }

  #takeSpare(): Jail {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare === undefined || spare.isGone ? new Jail(this.#kit, this.folders) : spare;
  }
}
