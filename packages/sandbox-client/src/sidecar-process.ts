import type { Socket } from 'node:net';
import { basename } from 'node:path';
import { problemOfRuntime, quote, SandboxError } from '@mustard-sandbox/protocol';
import { StderrTail, type Exit } from './exit-cause.ts';
import {
  computedMs,
  endInside,
  endJail,
  exitInside,
  processesInside,
  standsStill,
  type Inside,
} from './isolation/bubblewrap.ts';
import type { Isolation } from './isolation/isolation.ts';
import type { Jail } from './isolation/jail.ts';
import { daemonMain } from './isolation/own-files.ts';
import { launch, type Subprocess } from './launch.ts';
import type { ResolvedOptions } from './options.ts';
import { parentDeathPrefix } from './parent-death.ts';

/** The most bytes that an idle sidecar may write to stderr. It needs room for its last log lines only. */
const maxIdleStderr = 1024 * 1024;

interface ProcessEvents {
  /** It is gone, and its pipes are closed. */
  onGone: (exit: Exit) => void;
  /** It is idle and has written too much to stderr. */
  onFlood: () => void;
}

/** How long the pipes of a process that is gone may stay open. */
const drainMs = 100;
/** How long a process may take to end when told to. */
export const stopMs = 1_000;

/** A sidecar got ready: the fuse `runAsNode` is on, and so it stays. */
let electronRanAsNode = false;

/** Whether the sidecar's Node is Electron's own binary. */
export function startsElectron({ command }: Pick<ResolvedOptions, 'command'>): boolean {
  return process.versions['electron'] !== undefined && command === undefined;
}

/** The process of one sidecar, in a jail or not: how it is started, told to end, and found to be gone. */
export class SidecarProcess {
  /** The pid of the sidecar itself. In a jail it is known once the sidecar is ready. */
  pid: number | undefined;
  /** It could not be started, and the next one could not be either. */
  hopeless = false;
  readonly #options: ResolvedOptions;
  readonly #isolation: Isolation;
  readonly #stderr = new StderrTail();
  readonly #gone: Promise<void>;
  #markGone = (): void => {};
  #subprocess: Subprocess | undefined;
  #isIdle = false;
  /** Bytes that it wrote to stderr since it was idle. */
  #idleStderr = 0;
  #jail: Jail | undefined;
  #prefix: readonly string[] = [];
  /** Known once the sidecar is ready. */
  #inside: Inside | undefined;
  /** The roots as the jail holds them. */
  #rootsInJail: string | undefined;

  constructor(options: ResolvedOptions, isolation: Isolation) {
    this.#options = options;
    this.#isolation = isolation;
    this.#gone = new Promise((resolve) => (this.#markGone = resolve));
  }

  get wasStarted(): boolean {
    return this.#subprocess !== undefined;
  }

  get isolation(): 'process' | 'jail' {
    return this.#jail === undefined ? 'process' : 'jail';
  }

  /** Whether the host is its parent: neither a jail nor a command of the caller's stands between. */
  get isChild(): boolean {
    return this.#options.command === undefined && !this.#jail?.monitored;
  }

  /** Its jail no longer holds what is at the roots, or it is in none where there could be one by now. */
  outdatedFor({ reads }: { reads: boolean }): 'roots' | 'jail' | undefined {
    if (this.#jail === undefined) return this.#isolation.couldBeJailed() ? 'jail' : undefined;
    // A look at each root is much beside a small run, and one that reads no file sees none of them.
    if (!reads) return undefined;
    return this.#isolation.identity(this.#jail) === this.#rootsInJail ? undefined : 'roots';
  }

  /** How much it has written to stdout. */
  get bytesRead(): number {
    return (this.#subprocess?.stdout as Socket | undefined)?.bytesRead ?? 0;
  }

  /** The end of what it wrote to stderr. */
  get stderr(): string {
    return this.#stderr.toString();
  }

  /**
   * Finds what to start it in.
   *
   * @throws {SandboxError} `sidecar_unavailable` where the daemon is not there, or a jail is wanted and cannot be;
   *   `engine_unavailable` in another runtime than Node
   */
  async prepare(): Promise<void> {
    try {
      const problem = problemOfRuntime();
      if (problem !== undefined) throw new SandboxError('engine_unavailable', problem);
      if (this.#options.command === undefined) daemonMain();
      this.#jail = await this.#isolation.jail();
      this.#prefix = await parentDeathPrefix();
    } catch (error) {
      // A shortage of the machine, which stands as the cause, may pass; a missing daemon will still be missing.
      this.hopeless = (error as Error).cause === undefined;
      throw error;
    }
    this.#rootsInJail = this.#isolation.identity(this.#jail);
  }

  /**
   * Starts it.
   *
   * @throws {SandboxError} `sidecar_unavailable`
   */
  launch(events: ProcessEvents): Promise<Subprocess> {
    return new Promise((resolve, reject) => {
      const confinement = { jail: this.#jail, roots: this.#isolation.roots, prefix: this.#prefix };
      const subprocess = launch(this.#options, confinement, (error: NodeJS.ErrnoException) => {
        // A shortage of the machine may pass; a missing command will still be missing.
        this.hopeless = error.code === 'ENOENT' || error.code === 'EACCES';
        // Only the name of the command, not its path: a model may read this message. `cause` has the path.
        const message = `The sidecar could not be started: ${error.code} for the command ${quote(basename(error.path ?? ''))}`;
        reject(new SandboxError('sidecar_unavailable', message, { cause: error }));
      });
      if (subprocess === undefined) return;
      // Set at once, so that a kill in the same turn of the event loop finds it.
      this.#subprocess = subprocess;
      this.#watch(subprocess, events);
      resolve(subprocess);
    });
  }

  /**
   * The failure of a start, with its likely cause where the sidecar is Electron's own binary. With the fuse `runAsNode`
   * off that is the application once more, with a window: no start is to follow.
   */
  explainFailedStart(failure: SandboxError): SandboxError {
    const isTold = !this.wasStarted || failure.code === 'closed';
    if (isTold || electronRanAsNode || !startsElectron(this.#options)) return failure;
    this.hopeless = true;
    return new SandboxError(
      'sidecar_unavailable',
      `${failure.message} If a second window of the application opened, its fuse runAsNode is off: turn it on, or give ` +
        'a Node of your own as `command`. docs/embedding.md, "Fuses", tells how.',
      { details: failure.details, cause: failure },
    );
  }

  /** It has answered: whatever it was started in works. */
  becameReady(): void {
    electronRanAsNode ||= startsElectron(this.#options);
    if (this.#jail?.monitored) {
      this.#inside = processesInside(this.#subprocess?.pid as number);
      this.pid = this.#inside.sidecar;
    }
    this.#isolation.proven(this.#jail);
    const { stdin, stdout, stderr } = this.#subprocess as Subprocess;
    for (const pipe of [stdin, stdout, stderr] as unknown as Socket[]) pipe.unref();
  }

  /** Whether its end before it was ready was its jail's doing: nobody's failure, the next one goes without. */
  wasRefusedByJail(exit: Exit): boolean {
    return this.#jail !== undefined && this.#isolation.refused(this.#jail, exit);
  }

  /** Whether somebody has stopped it. */
  get standsStill(): boolean {
    return this.pid !== undefined && standsStill(this.pid);
  }

  /** How much processor time it has used, in ms; `undefined` where the system does not tell. */
  get computedMs(): number | undefined {
    return this.pid === undefined ? undefined : computedMs(this.pid);
  }

  kill(): void {
    const subprocess = this.#subprocess;
    if (subprocess?.pid !== undefined && this.#jail?.monitored) void endJail(subprocess, subprocess.pid, this.#gone);
    else subprocess?.kill('SIGKILL');
  }

  endInput(): void {
    this.#subprocess?.stdin.end();
  }

  /**
   * An idle sidecar does not keep the host alive. It ends when its stdin does. Its pipes keep the host alive only until
   * it is ready: afterwards the process is enough, and this is called twice in each run.
   */
  keepHostAlive(busy: boolean): void {
    const subprocess = this.#subprocess;
    if (subprocess === undefined) return;
    this.#isIdle = !busy;
    if (busy) {
      this.#idleStderr = 0;
      subprocess.ref();
    } else subprocess.unref();
  }

  #watch(subprocess: Subprocess, { onGone, onFlood }: ProcessEvents): void {
    // In such a jail the started process is not the sidecar, so it must not get the signal.
    if (!this.#jail?.monitored) this.pid = subprocess.pid;
    const onStderr = (chunk: Buffer): void => {
      this.#stderr.push(chunk);
      this.#idleStderr += this.#isIdle ? chunk.length : 0;
      if (this.#idleStderr <= maxIdleStderr) return;
      subprocess.stderr.off('data', onStderr).resume();
      onFlood();
    };
    subprocess.stderr.on('data', onStderr).on('error', () => {});
    let timer: NodeJS.Timeout | undefined;
    subprocess.on('exit', () => {
      // The end of its stderr may still be on its way. Wait only briefly, because a child of it may hold the pipes open.
      timer = setTimeout(() => {
        for (const stream of [subprocess.stdin, subprocess.stdout, subprocess.stderr]) stream.destroy();
      }, drainMs);
    });
    subprocess.on('close', (exitCode, signal) => {
      clearTimeout(timer);
      const exit = { exitCode: exitCode ?? undefined, signal: signal ?? undefined, stderr: this.stderr };
      const end = (): void => {
        this.#markGone();
        onGone(this.#jail?.monitored ? exitInside(exit) : exit);
      };
      if (this.#inside?.init === undefined) end();
      else void endInside(this.#inside.init).then(end);
    });
  }
}
