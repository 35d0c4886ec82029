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

/** The most bytes that an idle sidecar may write to stderr. That is room for its last log lines. */
const maxIdleStderr = 1024 * 1024;

interface ProcessEvents {
  /** Called when the process is gone and its pipes are closed. */
  onGone: (exit: Exit) => void;
  /** Called when the idle process has written too much to stderr. */
  onFlood: () => void;
}

/** How long the pipes of a process that is gone may stay open, in ms. */
const drainMs = 100;
/** How long a process may take to end after it was told to, in ms. */
export const stopMs = 1_000;

/** Whether a sidecar has become ready. If so, the fuse `runAsNode` is on, and stays on. */
let electronRanAsNode = false;

/** Whether the sidecar's Node is Electron's own binary. */
export function startsElectron({ command }: Pick<ResolvedOptions, 'command'>): boolean {
  return process.versions['electron'] !== undefined && command === undefined;
}

/**
 * The process of one sidecar, in a jail or not: how it is started, how it is told to end, and how its end is noticed.
 */
export class SidecarProcess {
  /** The pid of the sidecar itself. In a jail it is known once the sidecar is ready. */
  pid: number | undefined;
  /** Whether it could not be started for a reason that will keep the next one from starting too. */
  hopeless = false;
  readonly #options: ResolvedOptions;
  readonly #isolation: Isolation;
  readonly #stderr = new StderrTail();
  readonly #gone: Promise<void>;
  #markGone = (): void => {};
  #subprocess: Subprocess | undefined;
  #isIdle = false;
  /** Bytes that it has written to stderr since it became idle. */
  #idleStderr = 0;
  #jail: Jail | undefined;
  #prefix: readonly string[] = [];
  /** The processes in its jail. Known once the sidecar is ready. */
  #inside: Inside | undefined;
  /** The identity of the roots that the jail holds. */
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

  /** Whether the host is its parent. It is not when a jail or a command of the caller is between them. */
  get isChild(): boolean {
    return this.#options.command === undefined && !this.#jail?.monitored;
  }

  /**
   * Why the process is out of date: its jail no longer holds what is at the roots, or it has no jail although one is
   * possible by now. `undefined` when it is not.
   */
  outdatedFor({ reads }: { reads: boolean }): 'roots' | 'jail' | undefined {
    if (this.#jail === undefined) return this.#isolation.couldBeJailed() ? 'jail' : undefined;
    // Checking each root takes long compared with a small run, and a run that reads no file sees none of them.
    if (!reads) return undefined;
    return this.#isolation.identity(this.#jail) === this.#rootsInJail ? undefined : 'roots';
  }

  /** How many bytes it has written to stdout. */
  get bytesRead(): number {
    return (this.#subprocess?.stdout as Socket | undefined)?.bytesRead ?? 0;
  }

  /** The end of what it wrote to stderr. */
  get stderr(): string {
    return this.#stderr.toString();
  }

  /**
   * Finds the command and the jail to start it in.
   *
   * @throws {SandboxError} `sidecar_unavailable` when the daemon is missing, or when a jail is required and not
   * possible;
   *   `engine_unavailable` in a runtime other than Node
   */
  async prepare(): Promise<void> {
    try {
      const problem = problemOfRuntime();
      if (problem !== undefined) throw new SandboxError('engine_unavailable', problem);
      if (this.#options.command === undefined) daemonMain();
      this.#jail = await this.#isolation.jail();
      this.#prefix = await parentDeathPrefix();
    } catch (error) {
      // A shortage of the machine is the cause of the error, and may pass. A missing daemon will still be missing.
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
        // A shortage of the machine may pass. A missing command will still be missing.
        this.hopeless = error.code === 'ENOENT' || error.code === 'EACCES';
        // The message has the name of the command without its path, because a model may read it. `cause` has the path.
        const message = `The sidecar could not be started: ${error.code} for the command ${quote(basename(error.path ?? ''))}`;
        reject(new SandboxError('sidecar_unavailable', message, { cause: error }));
      });
      if (subprocess === undefined) return;
      // This is set at once, so that a kill in the same turn of the event loop finds the process.
      this.#subprocess = subprocess;
      this.#watch(subprocess, events);
      resolve(subprocess);
    });
  }

  /**
   * Adds the likely cause to the error of a failed start when the sidecar is Electron's own binary. With the fuse
   * `runAsNode` off, that binary is the application once more, with a window, so no further start may follow.
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

  /** Call this when it has answered, which proves that its jail works. */
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

  /**
   * Whether the jail is the reason why it ended before it was ready. Then nobody is blamed, and the next one starts
   * without a jail.
   */
  wasRefusedByJail(exit: Exit): boolean {
    return this.#jail !== undefined && this.#isolation.refused(this.#jail, exit);
  }

  /** Whether somebody has stopped the process. */
  get standsStill(): boolean {
    return this.pid !== undefined && standsStill(this.pid);
  }

  /** Processor time that it has used, in ms; `undefined` when the system does not report it. */
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
   * it is ready: after that the process is enough, and this function is called twice in each run.
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
    // In such a jail the process that was started is not the sidecar, so it must not get the signal.
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
      // The end of its stderr may still arrive. The wait is short, because a child of the process may hold the pipes
      // open.
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
