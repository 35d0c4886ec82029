import {
  isBrokenPipe,
  overrunMessage,
  SandboxError,
  spentByOverrun,
  toSandboxError,
  type EngineInfo,
} from '@mustard-sandbox/protocol';
import { ping, type Ask } from './asks.ts';
import { PausableTimer } from './deadline.ts';
import type { Events } from './events.ts';
import { crashReason, type Exit } from './exit-cause.ts';
import { exitError, killError, type KillCause } from './exit-error.ts';
import type { Isolation } from './isolation/isolation.ts';
import { initialization } from './initialize.ts';
import type { Subprocess } from './launch.ts';
import type { ResolvedOptions } from './options.ts';
import { cancelled } from './refusals.ts';
import { SidecarProcess, stopMs } from './sidecar-process.ts';
import type { SandboxEvents, SidecarState } from './types.ts';
import type { Task } from './task.ts';
import { Wire } from './wire.ts';

type RetireCause = SandboxEvents['retired']['why'];

/**
 * How much longer a start may take for each root, because a jail mounts each root: a thousand took 11 s on a busy
 * machine.
 */
const startMsOfRoot = 20;

/** A process that has sent nothing for this long, in ms, is pinged before it gets a script. */
const quietMs = 1_000;
/**
 * A sidecar whose last run took longer than this, in ms, gets its next run when it is free. Sending the run ahead would
 * save little.
 */
const shortMs = 5;

/**
 * One sidecar from its start to its end: its process, the wire to it, and what happens to both. Every end of the
 * process is noticed in `#end`, and the first reason counts.
 */
export class Sidecar {
  readonly id: number;
  state: SidecarState = 'starting';
  idleSince = 0;
  /** How many scripts it has begun. */
  runs = 0;
  /** Resident memory in bytes, as it reported last. */
  residentBytes = 0;
  /** Whether it answered a ping right before its present task. The pool resets this after the task. */
  wasThere = false;
  /** Why the client ended it, if it did. */
  killedFor: KillCause | undefined;
  /** Whether the host stood still while it waited. Then the host may have been late, and not the sidecar. */
  isInDoubt = false;
  /** Why it ended at start-up or while idle. The installation caused that, not a script. */
  failure: SandboxError | undefined;
  /** Settles when `initialize` has been answered. */
  readonly ready: Promise<EngineInfo>;
  /** Settles when the process is gone; never rejects. */
  readonly exited: Promise<void>;
  readonly wire: Wire;
  readonly #options: ResolvedOptions;
  readonly #events: Events;
  readonly #roots: readonly string[] | undefined;
  readonly #process: SidecarProcess;
  #markExited = (): void => {};
  #violation: SandboxError | undefined;
  #whenQuiet: (() => void) | undefined;
  /** Whether its pipe is broken. Then it is gone or about to be, even if its exit has not been noticed yet. */
  #pipeBroke = false;
  #refusedByJail = false;
  /** Whether it refused `initialize`. A new process would refuse too. */
  #saidNo = false;

  constructor(id: number, options: ResolvedOptions, events: Events, isolation: Isolation) {
    this.id = id;
    this.#options = options;
    this.#events = events;
    this.#roots = isolation.roots;
    this.#process = new SidecarProcess(options, isolation);
    this.wire = new Wire({
      graceMs: options.graceMs,
      bytesRead: () => this.#process.bytesRead,
      computedMs: () => this.#process.computedMs,
      onViolation: (error) => this.#violated(error),
      onOverdue: (task) => this.kill(this.#isToBlame(task) ? 'deadline' : 'unresponsive'),
      onUnheeded: () => this.kill('cancelled'),
      onBroken: () => this.#noticeBrokenPipe(),
      onQuiet: () => this.#becameQuiet(),
      onMemory: (residentBytes) => (this.residentBytes = residentBytes),
    });
    this.exited = new Promise((resolve) => (this.#markExited = resolve));
    this.ready = this.#start();
    this.ready.catch(() => {});
  }

  /** Whether it can take a run now. */
  get isFree(): boolean {
    return this.state === 'ready' && !this.#pipeBroke;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Whether another start would fail in the same way. */
  get hopeless(): boolean {
    return this.#process.hopeless || this.#saidNo;
  }

  /**
   * Why another one should be started in its place; `undefined` when none should. `reads` is true for a run that may
   * read files.
   */
  outdatedFor(run: { reads: boolean }): 'roots' | 'jail' | undefined {
    return this.#process.outdatedFor(run);
  }

  /** Whether its present script is the first that it got. */
  get isFresh(): boolean {
    return this.runs <= 1;
  }

  /** How many scripts it will have run when it has answered everything. */
  get promisedRuns(): number {
    return this.runs + this.wire.waiting;
  }

  /** How many more runs may be sent ahead to it. It is 0 behind a long run. */
  get room(): number {
    const { lastMs, task, room } = this.wire;
    const isShort = lastMs < shortMs && task !== undefined && task.ageMs < shortMs;
    return this.state === 'busy' && !this.#pipeBroke && isShort ? room : 0;
  }

  /** The longest time that the present run has kept another one waiting, in ms. */
  get blocksMs(): number {
    return this.wire.waiting === 0 ? 0 : (this.wire.task?.ageMs ?? 0);
  }

  /**
   * Asks the sidecar, or waits for the answer to a question that was sent ahead. Settles exactly once: for a run, at
   * the latest a grace period after the deadline or an abort.
   *
   * @throws {SandboxError} everything that can go wrong
   */
  perform<T>(ask: Ask<T>): Promise<T> {
    const { request } = ask;
    if (request !== undefined) this.runs++;
    const ahead = this.wire.answerTo(ask);
    if (ahead !== undefined) return ahead;
    // The abort may have come between the lease and this line. An aborted signal calls no new listener.
    if (request?.signal?.aborted === true) return Promise.reject(cancelled());
    this.state = 'busy';
    this.#process.keepHostAlive(true);
    return this.wire.perform(ask);
  }

  /**
   * Whether it has answered nothing for a second, so that it should be pinged. Otherwise a sidecar that was stopped
   * while idle would use up the time of a script, and the script would be blamed.
   */
  get isSilent(): boolean {
    return performance.now() - this.wire.answeredAt >= quietMs;
  }

  /** Whether it answers a ping. A sidecar that does not is killed. */
  async answersPing(): Promise<boolean> {
    try {
      this.wasThere = await this.perform(ping);
    } catch {
      this.wasThere = false;
    }
    return this.wasThere;
  }

  /** Ends the process now. The present task fails at once, before the process is gone. */
  kill(why: KillCause): void {
    if (this.state === 'exited' || this.killedFor !== undefined) return;
    this.killedFor = why;
    const { task } = this.wire;
    this.isInDoubt = task?.isInDoubt ?? false;
    // It broke the protocol while idle, which counts as a death while idle.
    if (this.state === 'ready' && why === 'protocol_error') this.failure ??= this.#killError(0);
    this.state = 'stopping';
    if (task !== undefined) this.wire.lose(this.#killError(task.ask.timeoutMs));
    this.#events.emit('killed', { sidecar: this.id, pid: this.pid, why });
    this.#process.kill();
    // Keeps the host alive until `exited` settles, because somebody may await it.
    this.#process.keepHostAlive(true);
  }

  /** Calls back when it has answered everything, or is gone. */
  onceQuiet(callback: () => void): void {
    if (this.wire.task === undefined) callback();
    else this.#whenQuiet = callback;
  }

  #becameQuiet(): void {
    if (this.state === 'busy') this.state = 'ready';
    this.#process.keepHostAlive(this.killedFor !== undefined);
    const callback = this.#whenQuiet;
    this.#whenQuiet = undefined;
    callback?.();
  }

  /** Asks an idle process to end, and makes sure that it does. */
  stop(why?: RetireCause): void {
    if (this.state === 'exited' || this.state === 'stopping') return;
    this.state = 'stopping';
    if (why !== undefined) this.#events.emit('retired', { sidecar: this.id, pid: this.pid, why });
    this.wire.sendExit();
    this.#process.endInput();
    const timer = setTimeout(() => this.#process.kill(), stopMs);
    void this.exited.then(() => clearTimeout(timer));
  }

  async #start(): Promise<EngineInfo> {
    const startedAt = performance.now();
    const timer = new PausableTimer(this.#startTimeoutMs, () => this.kill('start_timeout'));
    try {
      await this.#process.prepare();
      // It was killed meanwhile, so nothing may be started.
      if (this.killedFor !== undefined) throw this.#killError(0);
      this.#attach(
        await this.#process.launch({
          onGone: (exit) => this.#end(exit),
          onFlood: () => this.#violated(new SandboxError('protocol_error', 'The idle sidecar flooded its stderr.')),
        }),
      );
      const engine = await this.#initialize();
      this.#process.becameReady();
      this.#events.emit('ready', { sidecar: this.id, pid: this.pid, startMs: performance.now() - startedAt });
      return engine;
    } catch (error) {
      const failure = this.#process.explainFailedStart(toSandboxError(error, 'sidecar_unavailable'));
      if (!this.#refusedByJail) this.failure = failure;
      // It answered with an error, such as another protocol version. The next process would answer the same.
      if (this.state === 'starting' && this.#process.wasStarted) this.#saidNo = true;
      if (!this.#process.wasStarted) this.#neverWas();
      else this.kill('protocol_error');
      throw failure;
    } finally {
      timer.stop();
    }
  }

  get #startTimeoutMs(): number {
    return this.#options.startTimeoutMs + startMsOfRoot * (this.#roots?.length ?? 0);
  }

  #neverWas(): void {
    this.state = 'stopping';
    this.#end({ exitCode: undefined, signal: undefined, stderr: '' });
  }

  #attach(subprocess: Subprocess): void {
    this.#events.emit('spawned', { sidecar: this.id, pid: this.pid, isolation: this.#process.isolation });
    this.wire.open(subprocess);
  }

  async #initialize(): Promise<EngineInfo> {
    const facts = { options: this.#options, roots: this.#roots, isChild: this.#process.isChild };
    const engine = await this.wire.perform(initialization(facts));
    this.state = 'ready';
    this.#process.keepHostAlive(false);
    return engine;
  }

  /**
   * Ends a process whose pipe broke. A process that ends closes its pipes first, and one that only closed its output is
   * of no use.
   */
  #noticeBrokenPipe(): void {
    if (this.#pipeBroke) return;
    this.#pipeBroke = true;
    const timer = new PausableTimer(stopMs, () => this.kill('protocol_error'));
    void this.exited.then(() => timer.stop());
  }

  /** Call this when the sidecar did what no sidecar may do. */
  #violated(error: SandboxError): void {
    if (isBrokenPipe(error)) return this.#noticeBrokenPipe();
    this.#violation ??= error;
    this.kill('protocol_error');
  }

  /** Call this when the process is gone. */
  #end(exit: Exit): void {
    if (this.state === 'exited') return;
    const outOfRun = this.state === 'starting' || this.state === 'ready';
    this.#refusedByJail = this.state === 'starting' && this.#process.wasRefusedByJail(exit);
    this.#noticeOverrun(exit);
    const { timeoutMs = 0 } = this.wire.task?.ask ?? {};
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
    this.wire.close(error, this.killedFor === 'deadline' ? spentByOverrun(exit.stderr, timeoutMs) : undefined);
    this.#markExited();
  }

  /**
   * Whether its task can be the reason why it does not answer. It cannot if the process was stopped before the task
   * began, less than a second after its last message. A ping before each run would prevent that case, but make a small
   * run a tenth longer.
   */
  #isToBlame({ ask, incoming }: Task): boolean {
    if (ask === ping) return false;
    if (ask.request !== undefined && incoming?.isHeardOf !== false) return true;
    return !this.#process.standsStill;
  }

  /**
   * A sidecar ends itself when a script is inside one operation for too long. That counts as a kill for the same
   * reason.
   */
  #noticeOverrun({ stderr }: Exit): void {
    if (this.killedFor !== undefined || this.state !== 'busy' || !stderr.endsWith(overrunMessage)) return;
    this.killedFor = 'deadline';
    this.isInDoubt = this.wire.task?.isInDoubt ?? false;
    this.#events.emit('killed', { sidecar: this.id, pid: this.pid, why: 'deadline' });
  }

  #killError(timeoutMs: number): SandboxError {
    const startTimeoutMs = this.#startTimeoutMs;
    const { stderr } = this.#process;
    return this.#violation ?? killError(this.killedFor as KillCause, { timeoutMs, startTimeoutMs, stderr });
  }
}
