import {
  isBrokenPipe,
  overrunMessage,
  SandboxError,
  toSandboxError,
  type EngineInfo,
} from '@mustard-sandbox/daemon/protocol';
import { PausableTimer } from './deadline.ts';
import type { Events } from './events.ts';
import { crashReason, type Exit } from './exit-cause.ts';
import { exitError, killError, type KillCause } from './exit-error.ts';
import type { Isolation } from './isolation/isolation.ts';
import { initialize } from './initialize.ts';
import type { Subprocess } from './launch.ts';
import type { ResolvedOptions } from './options.ts';
import { SidecarProcess, stopMs } from './sidecar-process.ts';
import type { SandboxEvents, SidecarState } from './types.ts';
import { Wire } from './wire.ts';

type RetireCause = SandboxEvents['retired']['why'];

/** More time to start for each root, because a jail mounts each: a thousand took 11 s on a busy machine. */
const startMsOfRoot = 20;

/**
 * A sidecar from its start to its end: its process and the wire to it. Every end of the process is noticed in `#end`, and
 * the first reason given counts.
 */
export class SidecarLife {
  readonly id: number;
  state: SidecarState = 'starting';
  idleSince = 0;
  /** Why the client ended it, if it did. */
  killedFor: KillCause | undefined;
  /** The host stood still while it waited. So the host may have been late, and not the sidecar. */
  isInDoubt = false;
  /** Why it ended at start-up or while idle. The installation caused that, not a script. */
  failure: SandboxError | undefined;
  /** Settles when `initialize` has been answered. */
  readonly ready: Promise<EngineInfo>;
  /** Settles when the process is gone; never rejects. */
  readonly exited: Promise<void>;
  protected readonly options: ResolvedOptions;
  readonly #events: Events;
  readonly #roots: readonly string[] | undefined;
  protected readonly process: SidecarProcess;
  #markExited = (): void => {};
  protected readonly wire: Wire;
  #violation: SandboxError | undefined;
  /** Its pipe is broken, so it is gone or about to be, even if its exit has not been noticed yet. */
  #pipeBroke = false;
  #refusedByJail = false;
  /** It refused `initialize`; a new process would refuse too. */
  #saidNo = false;

  constructor(id: number, options: ResolvedOptions, events: Events, isolation: Isolation) {
    this.id = id;
    this.options = options;
    this.#events = events;
    this.#roots = isolation.roots;
    this.process = new SidecarProcess(options, isolation);
    this.wire = new Wire({
      graceMs: options.graceMs,
      bytesRead: () => this.process.bytesRead,
      onViolation: (error) => this.violated(error),
      onBroken: () => this.#noticeBrokenPipe(),
    });
    this.exited = new Promise((resolve) => (this.#markExited = resolve));
    this.ready = this.#start();
    this.ready.catch(() => {});
  }

  /** Whether it can be given something to do. */
  get isFree(): boolean {
    return this.state === 'ready' && !this.#pipeBroke;
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /** Another start would fail in the same way. */
  get hopeless(): boolean {
    return this.process.hopeless || this.#saidNo;
  }

  /** Why another one should be started in its place, if so. `reads`: for a run that may read files. */
  outdatedFor(run: { reads: boolean }): 'roots' | 'jail' | undefined {
    return this.process.outdatedFor(run);
  }

  /** Ends the process now. What is under way fails at once, before the process is gone. */
  kill(why: KillCause): void {
    if (this.state === 'exited' || this.killedFor !== undefined) return;
    this.killedFor = why;
    const { task } = this.wire;
    this.isInDoubt = task?.isInDoubt ?? false;
    // It broke the protocol while idle. That counts like a death while idle.
    if (this.state === 'ready' && why === 'protocol_error') this.failure ??= this.#killError(0);
    this.state = 'stopping';
    task?.lose(this.#killError(task.timeoutMs));
    this.#events.emit('killed', { sidecar: this.id, pid: this.pid, why });
    this.process.kill();
    // Keeps the host alive until `exited` settles, because somebody may await it.
    this.process.keepHostAlive(true);
  }

  /** Asks an idle process to end, and sees to it. */
  stop(why?: RetireCause): void {
    if (this.state === 'exited' || this.state === 'stopping') return;
    this.state = 'stopping';
    if (why !== undefined) this.#events.emit('retired', { sidecar: this.id, pid: this.pid, why });
    this.wire.sendExit();
    this.process.endInput();
    const timer = setTimeout(() => this.process.kill(), stopMs);
    void this.exited.then(() => clearTimeout(timer));
  }

  async #start(): Promise<EngineInfo> {
    const startedAt = performance.now();
    const timer = new PausableTimer(this.#startTimeoutMs, () => this.kill('start_timeout'));
    try {
      await this.process.prepare();
      // It was killed meanwhile, so nothing may be started any more.
      if (this.killedFor !== undefined) throw this.#killError(0);
      this.#attach(
        await this.process.launch({
          onGone: (exit) => this.#end(exit),
          onFlood: () => this.violated(new SandboxError('protocol_error', 'The idle sidecar flooded its stderr.')),
        }),
      );
      const engine = await this.#initialize();
      this.process.becameReady();
      this.#events.emit('ready', { sidecar: this.id, pid: this.pid, startMs: performance.now() - startedAt });
      return engine;
    } catch (error) {
      const failure = this.process.explainFailedStart(toSandboxError(error, 'sidecar_unavailable'));
      if (!this.#refusedByJail) this.failure = failure;
      // It answered with an error, such as another protocol version. The next process would answer the same.
      if (this.state === 'starting' && this.process.wasStarted) this.#saidNo = true;
      if (!this.process.wasStarted) this.#neverWas();
      else this.kill('protocol_error');
      throw failure;
    } finally {
      timer.stop();
    }
  }

  get #startTimeoutMs(): number {
    return this.options.startTimeoutMs + startMsOfRoot * (this.#roots?.length ?? 0);
  }

  #neverWas(): void {
    this.state = 'stopping';
    this.#end({ exitCode: undefined, signal: undefined, stderr: '' });
  }

  #attach(subprocess: Subprocess): void {
    this.#events.emit('spawned', { sidecar: this.id, pid: this.pid, isolation: this.process.isolation });
    this.wire.open(subprocess);
  }

  async #initialize(): Promise<EngineInfo> {
    const engine = await this.wire.perform({ timeoutMs: Infinity, onOverdue: () => {} }, (connection) =>
      initialize(connection, { options: this.options, roots: this.#roots, isChild: this.process.isChild }),
    );
    this.state = 'ready';
    this.process.keepHostAlive(false);
    return engine;
  }

  /** A process that ends closes its pipes first. One that only closed its output has no more use. */
  #noticeBrokenPipe(): void {
    if (this.#pipeBroke) return;
    this.#pipeBroke = true;
    const timer = new PausableTimer(stopMs, () => this.kill('protocol_error'));
    void this.exited.then(() => timer.stop());
  }

  /** It did what no sidecar may do. */
  protected violated(error: SandboxError): void {
    if (isBrokenPipe(error)) return this.#noticeBrokenPipe();
    this.#violation ??= error;
    this.kill('protocol_error');
  }

  /** The process is gone. */
  #end(exit: Exit): void {
    if (this.state === 'exited') return;
    const outOfRun = this.state === 'starting' || this.state === 'ready';
    this.#refusedByJail = this.state === 'starting' && this.process.wasRefusedByJail(exit);
    this.#noticeOverrun(exit);
    const { timeoutMs = 0 } = this.wire.task ?? {};
    const byItself = this.state !== 'stopping' && this.killedFor !== 'deadline';
    const error = this.killedFor === undefined ? exitError(exit, this.state === 'busy') : this.#killError(timeoutMs);
    this.state = 'exited';
    if (this.#refusedByJail) this.#events.emit('retired', { sidecar: this.id, pid: this.pid, why: 'no_jail' });
    else if (outOfRun || this.killedFor === 'start_timeout') this.failure ??= error;
    if (byItself && !this.#refusedByJail) {
      const { message } = error;
      this.#events.emit('crashed', {
        sidecar: this.id,
        pid: this.pid,
        reason: crashReason(exit),
        duringRun: !outOfRun,
        message,
      });
    }
    this.wire.close(error);
    this.#markExited();
  }

  /** A sidecar ends itself when a script is inside of one operation for too long. That is the same as being killed for it. */
  #noticeOverrun({ stderr }: Exit): void {
    if (this.killedFor !== undefined || this.state !== 'busy' || !stderr.endsWith(overrunMessage)) return;
    this.killedFor = 'deadline';
    this.isInDoubt = this.wire.task?.isInDoubt ?? false;
    this.#events.emit('killed', { sidecar: this.id, pid: this.pid, why: 'deadline' });
  }

  #killError(timeoutMs: number): SandboxError {
    const startTimeoutMs = this.#startTimeoutMs;
    const { stderr } = this.process;
    return this.#violation ?? killError(this.killedFor as KillCause, { timeoutMs, startTimeoutMs, stderr });
  }
}
