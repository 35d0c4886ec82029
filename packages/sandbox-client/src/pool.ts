import { within, type EngineInfo, type SandboxError } from '@mustard-sandbox/protocol';
import { SendingAhead } from './ahead.ts';
import type { Events } from './events.ts';
import type { Isolation } from './isolation/isolation.ts';
import type { ResolvedOptions } from './options.ts';
import { Queue, type Wanted } from './queue.ts';
import { cancelled, cancelledBeforeBegin, closed, queueFull, unavailable } from './refusals.ts';
import { RestartPolicy } from './restart-policy.ts';
import { startsElectron } from './sidecar-process.ts';
import { Sidecar } from './sidecar.ts';
import type { SupervisorState } from './types.ts';

const minIdleCheckMs = 100;
/**
 * The delay before the first spare starts, in ms. A host that has ended by then, like many commands and most tests,
 * needs no spare.
 */
const firstSpareMs = 250;

/**
 * The processes, and the queue for them. A sidecar is leased to one caller at a time, in the order of asking. At most
 * `maxProcesses` are leased on each level of nested runs, and `spares` more stand ready to replace a loss.
 */
export class Pool {
  engine: EngineInfo | undefined;
  readonly sidecars = new Set<Sidecar>();
  readonly #options: ResolvedOptions;
  readonly #events: Events;
  readonly #isolation: Isolation;
  readonly #policy: RestartPolicy;
  /**
   * Ready sidecars that are not leased. The most recently used one is last, and is leased first because its caches are
   * warm.
   */
  readonly #idle: Sidecar[] = [];
  readonly #queue: Queue;
  readonly #ahead: SendingAhead;
  #nextId = 1;
  #starting = 0;
  #closed = false;
  /** Whether a sidecar was asked for lately. Only then does the pool keep spares. */
  #inUse = false;
  /** The timer for the first spares of a pool that came into use. */
  #firstSpares: NodeJS.Timeout | 'started' | undefined;
  #lastFailure: SandboxError | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: ResolvedOptions, events: Events, isolation: Isolation, now: () => number) {
    this.#options = options;
    this.#events = events;
    this.#isolation = isolation;
    this.#policy = new RestartPolicy(options, now);
    this.#queue = new Queue(options);
    this.#ahead = new SendingAhead(this.#queue, {
      maxProcesses: options.maxProcesses,
      fits: (sidecar, { reads = false }) =>
        this.#wear(sidecar) === undefined && sidecar.outdatedFor({ reads }) === undefined,
      onTakenBack: () => this.#pump(),
    });
  }

  get queued(): number {
    return this.#queue.length;
  }

  get state(): SupervisorState {
    if (this.#closed) return 'closed';
    const { state } = this.#policy.current();
    if (state !== 'running') return state;
    return this.sidecars.size === 0 ? 'idle' : 'running';
  }

  /**
   * Leases a sidecar to the caller until `release`. The sidecar is alive and sees what is at the roots now. A suspect
   * script gets a sidecar that no other script has used.
   *
   * @throws {SandboxError} `closed`, `queue_full`, `cancelled`, `sidecar_unavailable`
   */
  async acquire(wanted: Wanted): Promise<Sidecar> {
    for (;;) {
      const refusal = this.#refusal(wanted);
      if (refusal !== undefined) throw refusal;
      this.#inUse = true;
      let sidecar = this.#queue.takeNow(wanted, this.#idle);
      const waiting = sidecar === undefined ? this.#queue.wait(wanted) : undefined;
      this.#pump();
      sidecar ??= await waiting!;
      if (wanted.ask !== undefined && sidecar.wire.hasBegun(wanted.ask)) return sidecar;
      if (this.#isFit(sidecar, wanted)) {
        const mustAnswer = wanted.suspect === true || wanted.doubted === true || sidecar.isSilent;
        if (!mustAnswer || (await this.#answers(sidecar, wanted))) return sidecar;
      }
      this.release(sidecar);
    }
  }

  /** A sidecar that is not free died between two turns of the event loop, before it got anything to do. */
  #isFit(sidecar: Sidecar, { suspect = false, reads = false }: Wanted): boolean {
    if (!sidecar.isFree) return false;
    const outdated = sidecar.outdatedFor({ reads }) ?? (suspect && sidecar.runs > 0 ? 'suspect' : undefined);
    if (outdated !== undefined) sidecar.stop(outdated);
    return outdated === undefined;
  }

  /**
   * Whether the sidecar answers a ping. A caller that gives up does not wait for the answer, and does not keep the
   * sidecar.
   */
  async #answers(sidecar: Sidecar, { signal }: Wanted): Promise<boolean> {
    const answer = sidecar.answersPing();
    return await within(answer, { signal, cancelled: cancelledBeforeBegin }).catch((error: unknown) => {
      void answer.then(() => this.release(sidecar));
      throw error;
    });
  }

  /** Call this when the sidecar has got the run for which it was leased. */
  began(): void {
    this.#ahead.send();
  }

  release(sidecar: Sidecar): void {
    sidecar.wasThere = false;
    if (this.#queue.passOn(sidecar)) return this.#pump();
    // The sidecar may still have to answer a run that was taken back.
    sidecar.onceQuiet(() => {
      this.#queue.release(sidecar);
      if (sidecar.isFree) this.#putBack(sidecar);
      this.#pump();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#idleTimer);
    this.#ahead.stop();
    if (this.#firstSpares !== 'started') clearTimeout(this.#firstSpares);
    this.#queue.rejectAll(closed());
    for (const sidecar of this.sidecars) {
      if (sidecar.isFree && !this.#queue.has(sidecar)) sidecar.stop();
      else sidecar.kill('closed');
    }
    await Promise.all([...this.sidecars].map((sidecar) => sidecar.exited));
  }

  #refusal({ level, signal, isAwaited = false }: Wanted): SandboxError | undefined {
    if (this.#closed) return closed();
    if (signal?.aborted) return cancelled();
    if (this.#isDown()) return this.#unavailable();
    if (isAwaited) return undefined;
    return this.#queue.isFull(level, this.#options.maxQueue) ? queueFull(this.#options) : undefined;
  }

  /** Starts are then made one at a time, because Electron without its fuse `runAsNode` opens a window for each. */
  get #isUntried(): boolean {
    return this.engine === undefined && startsElectron(this.#options);
  }

  /** Whether no process can be started, and none is alive that could serve a run. */
  #isDown(): boolean {
    return this.#policy.current().state === 'unavailable' && this.#idle.length + this.#queue.leases === 0;
  }

  /** Leases the free sidecars to the waiting callers, and starts the sidecars that are missing. */
  #pump(): void {
    if (this.#closed) return;
    const { maxProcesses } = this.#options;
    this.#queue.serve(this.#idle);
    this.#ahead.send();
    const restart = this.#policy.current();
    if (restart.state === 'backing_off') return this.#retryAt(restart.until);
    if (restart.state === 'unavailable') return this.#isDown() ? this.#queue.rejectAll(this.#unavailable()) : undefined;
    const { demand } = this.#queue;
    // While starts fail, only one is made at a time. Otherwise one failure of eight starts would count eight times.
    const atOnce = restart.suspect || this.#isUntried ? 1 : maxProcesses;
    for (let missing = Math.min(demand, atOnce) - this.#starting; missing > 0; missing--) this.#start();
    if (this.#inUse && demand === 0) this.#keepSpares();
  }

  /** Starts no spare soon after the first run, so that the first result does not share the processor with the start. */
  #keepSpares(): void {
    if (this.#firstSpares === 'started') return this.#startSpares(this.#options.spares);
    if (this.#options.spares > 0)
      this.#firstSpares ??= setTimeout(() => this.#startFirstSpares(), firstSpareMs).unref();
  }

  /** The sidecar that served the first run may be idle again, so the spares come in addition to it. */
  #startFirstSpares(): void {
    this.#firstSpares = 'started';
    if (this.#policy.current().state === 'running' && this.#queue.demand === 0)
      this.#startSpares(this.#options.spares + (this.#queue.leases === 0 ? 1 : 0));
  }

  #startSpares(wanted: number): void {
    for (let missing = wanted - this.#idle.length - this.#starting; missing > 0; missing--) this.#start();
  }

  #start(): void {
    const sidecar = new Sidecar(this.#nextId++, this.#options, this.#events, this.#isolation);
    this.sidecars.add(sidecar);
    this.#starting++;
    void sidecar.ready
      .then(
        (engine) => this.#started(sidecar, engine),
        () => this.#starting--,
      )
      .then(() => sidecar.exited)
      .then(() => this.#exited(sidecar));
  }

  #started(sidecar: Sidecar, engine: EngineInfo): void {
    this.#starting--;
    this.engine = engine;
    if (this.#policy.succeeded()) this.#events.emit('recovered', {});
    if (sidecar.isFree) this.#putBack(sidecar);
    this.#pump();
  }

  #exited(sidecar: Sidecar): void {
    this.sidecars.delete(sidecar);
    const index = this.#idle.indexOf(sidecar);
    if (index !== -1) this.#idle.splice(index, 1);
    if (sidecar.failure !== undefined && !this.#closed) this.#failed(sidecar.failure, sidecar.hopeless);
    // The callers have waited long enough, so they fail now. The next call tries again, until the circuit opens.
    const alone = this.#idle.length + this.#queue.leases === 0;
    if (sidecar.killedFor === 'start_timeout' && alone) this.#queue.rejectAll(sidecar.failure as SandboxError);
    this.#pump();
  }

  /** Call this when a process died outside of a run. */
  #failed(failure: SandboxError, hopeless: boolean): void {
    this.#lastFailure = failure;
    const next = this.#policy.failed(hopeless);
    if (next.state === 'running') return;
    const waitMs = Math.max(0, next.until - performance.now());
    if (next.state === 'unavailable') {
      this.#events.emit('unavailable', { untilMs: waitMs, message: failure.message });
      return;
    }
    const { failures } = next;
    this.#events.emit('backing_off', { delayMs: waitMs, failures, message: failure.message });
  }

  /** A timer may fire a moment early. Then `#pump` finds that it is too early and comes here again. */
  #retryAt(until: number): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => this.#pump(), Math.max(1, until - performance.now()));
    // No caller waits, so this timer must not keep the host alive.
    if (this.#queue.length === 0) this.#retryTimer.unref();
  }

  #putBack(sidecar: Sidecar): void {
    const wear = this.#wear(sidecar);
    if (wear !== undefined) return sidecar.stop(wear);
    sidecar.idleSince = performance.now();
    this.#idle.push(sidecar);
    this.#idleTimer ??= setTimeout(() => this.#retireIdle(), this.#options.idleTimeoutMs).unref();
  }

  /** Why a sidecar has to be replaced; `undefined` when it need not be. */
  #wear({ promisedRuns, residentBytes }: Sidecar): 'runs' | 'memory' | undefined {
    const { recycleRuns, recycleBytes } = this.#options;
    if (promisedRuns >= recycleRuns) return 'runs';
    return residentBytes > recycleBytes ? 'memory' : undefined;
  }

  #retireIdle(): void {
    this.#idleTimer = undefined;
    const { idleTimeoutMs, spares } = this.#options;
    const oldest = performance.now() - idleTimeoutMs;
    const active =
      this.#queue.leases > 0 || this.#idle.some((sidecar) => sidecar.runs > 0 && sidecar.idleSince > oldest);
    this.#inUse = active;
    if (!active && this.#firstSpares === 'started') this.#firstSpares = undefined;
    const retired = this.#idle.filter((sidecar) => sidecar.idleSince <= oldest);
    for (const sidecar of retired) {
      if (active && this.#idle.length <= spares) break;
      this.#idle.splice(this.#idle.indexOf(sidecar), 1);
      sidecar.stop('idle');
    }
    if (this.#idle.length === 0) return;
    const next = Math.min(...this.#idle.map((sidecar) => sidecar.idleSince)) + idleTimeoutMs - performance.now();
    // The delay is never 0 ms: a spare of a pool in use stays after its time is up, and the timer would fire in a loop.
    this.#idleTimer = setTimeout(() => this.#retireIdle(), Math.max(next, idleTimeoutMs / 4, minIdleCheckMs)).unref();
  }

  #unavailable(): SandboxError {
    const current = this.#policy.current();
    return unavailable(this.#lastFailure, current.state === 'running' ? 0 : current.until - performance.now());
  }
}
