import type { Ended, RunContext } from '../../machine.ts';
import { countInJail } from './count.ts';
import { CommandProxy } from '../../network/proxy.ts';
import { Disk } from './disk.ts';
import { FolderMachine } from './folder-machine.ts';
import { Jail, killedCode, type JailKit } from './jail.ts';
import { prepareProject, stampOfProject, type ProjectParts } from './project.ts';
import type { Folders } from './toolchain.ts';
import { tooMuchMemory, Watch } from './watch.ts';

/** Commands of one workspace on this machine. Each runs in a jail of its own, with a spare ready for the next. */
export class LocalMachine extends FolderMachine {
  readonly reachesDomains = true;
  readonly #kit: JailKit;
  #spare: Jail | undefined;
  #running = 0;
  #wantsSpare = false;
  #project: { stamp: string; parts: ProjectParts } | undefined;
  /** Whether the last command had a proxy, because the next one probably has one too. */
  #hadDoor = false;

  constructor(kit: JailKit, folders: Folders) {
    super(folders, new Disk(folders, kit.limits, () => countInJail(kit, folders)));
    this.#kit = kit;
  }

  async run(command: string, { signal, output, holdBack, domains = [] }: RunContext): Promise<Ended> {
    const proxy = this.#proxyFor(domains);
    const held = this.holdBack(holdBack);
    const allowance = await this.disk.allowance();
    const { before, isFull } = allowance;
    const jail = held === undefined ? await this.#takeSpare(proxy) : this.#makeJail(proxy, held.mounts());
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
      const exitCode = await jail.run(text, (stream, chunk) => output.write(stream, chunk), { proxy });
      if (jail.isOutOfMemory) killed ??= tooMuchMemory(this.#kit.limits);
      const notes = [...(isFull ? [this.disk.describeFull(before)] : []), ...((await held?.takeBack()) ?? [])];
      const more = {
        ...(notes.length > 0 && { note: notes.join(' ') }),
        ...(proxy !== undefined && { reached: proxy.reached }),
      };
      return killed === undefined ? { exitCode, ...more } : { exitCode: killedCode, killed, ...more };
    } finally {
      proxy?.close();
      signal.removeEventListener('abort', abort);
      this.#running--;
      // Started now, so that the next command need not wait for it.
      this.disk.taken().catch(() => {});
      // This runs after the caller has got the answer.
      setImmediate(() => this.#makeSpare());
    }
  }

  /** Commands begin with it only after it was prepared, because they could be in the way. */
  async useProject(project: string, signal?: AbortSignal): Promise<ProjectParts> {
    if (this.#project?.stamp === stampOfProject(this.folders, project)) return this.#project.parts;
    const parts = await prepareProject(this.#kit, this.folders, project, signal);
    this.#project = { stamp: stampOfProject(this.folders, project), parts };
    const spare = this.#spare;
    this.#spare = undefined;
    this.folders = { ...this.folders, project };
    await spare?.kill();
    return parts;
  }

  override async stop(): Promise<void> {
    const spare = this.#spare;
    this.#spare = undefined;
    this.#wantsSpare = false;
    await spare?.kill();
    if (this.#running === 0) await super.stop();
  }

  #proxyFor(domains: readonly string[]): CommandProxy | undefined {
    // With the network of the machine there is nothing to open.
    if (domains.length === 0 || this.#kit.network) return undefined;
    return new CommandProxy({ domains, maxBytes: this.#kit.limits.networkBytes, outside: this.#kit.outside });
  }

  /** Makes the spare, so that the next command finds one. */
  #makeSpare(): void {
    if (!this.#wantsSpare || this.#running > 0 || this.#spare?.isGone === false) return;
    this.#spare = new Jail(this.#kit, this.folders, { door: this.#hadDoor });
  }

  async #takeSpare(proxy: CommandProxy | undefined): Promise<Jail> {
    const spare = this.#spare;
    this.#spare = undefined;
    this.#hadDoor = proxy !== undefined;
    if (spare !== undefined && !spare.isGone && spare.hasDoor === this.#hadDoor) return spare;
    await spare?.kill();
    return this.#makeJail(proxy);
  }

  #makeJail(proxy: CommandProxy | undefined, mounts: readonly string[] = []): Jail {
    return new Jail(this.#kit, this.folders, { mounts, door: proxy !== undefined });
  }
}
