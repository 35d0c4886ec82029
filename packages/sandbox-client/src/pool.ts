import { SandboxError, type EngineInfo } from '@mustard-sandbox/daemon/protocol';
import type { Events } from './events.ts';
import type { Isolation } from './isolation/isolation.ts';
import type { ResolvedOptions } from './options.ts';
import { Queue, type Wanted } from './queue.ts';
import { RestartPolicy } from './restart-policy.ts';
import { startsElectron } from './sidecar-process.ts';
import { Sidecar } from './sidecar.ts';
import type { SupervisorState } from './types.ts';

export type { Wanted };

const minIdleCheckMs = 100;
/** A host that is over by then, as many a command and most tests, does without the start of a spare. */
const firstSpareMs = 250;

/**
 * The processes, and the queue before them. A sidecar is leased to one caller at a time, in the order of
 * asking. At most `maxProcesses` are leased on each level of nested runs; `spares` more stand ready to replace a loss.
 */
export class Pool {
  engine: EngineInfo | undefined;
  readonly sidecars = new Set<Sidecar>();
  readonly #options: ResolvedOptions;
  readonly #events: Events;
  readonly #isolation: Isolation;
  readonly #policy: RestartPolicy;
  /** Ready and not leased. The most recently used is the last, and is leased first because its caches are warm. */
  readonly #idle: Sidecar[] = [];
  readonly #queue: Queue;
  #nextId = 1;
  #starting = 0;
  #closed = false;
  /** Whether a sidecar was asked for lately. Only a pool that is in use keeps spares. */
  #inUse = false;
  /** The wait for the start of the first spares of a pool that came into use. */
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
   * Leases a sidecar to the caller until `release`: at once where one is free, as for nearly every run.
   *
   * @throws {SandboxError} `closed`, `queue_full`, `cancelled`, `sidecar_unavailable`
   */
  acquire(wanted: Wanted): Promise<Sidecar> | Sidecar {
    const refusal = this.#refusal(wanted);
    if (refusal !== undefined) throw refusal;
    this.#inUse = true;
    const sidecar = this.#queue.takeNow(wanted, this.#idle) ?? this.#queue.wait(wanted);
    this.#pump();
    return sidecar;
  }

  release(sidecar: Sidecar): void {
    this.#queue.release(sidecar);
    if (sidecar.isFree) this.#putBack(sidecar);
    this.#pump();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#idleTimer);
    if (this.#firstSpares !== 'started') clearTimeout(this.#firstSpares);
    this.#queue.rejectAll(closed());
    for (const sidecar of this.sidecars) {
      if (sidecar.isFree && !this.#queue.has(sidecar)) sidecar.stop();
      else sidecar.kill('closed');
    }
    await Promise.all([...this.sidecars].map((sidecar) => sidecar.exited));
  }

  #refusal({ level, signal }: Wanted): SandboxError | undefined {
    if (this.#closed) return closed();
    if (signal?.aborted) return cancelled();
    if (this.#isDown()) return this.#unavailable();
    const { maxQueue, maxProcesses } = this.#options;
    if (!this.#queue.isFull(level, maxQueue)) return undefined;
    return new SandboxError(
      'queue_full',
      `${maxQueue} runs are waiting already (maxQueue) for a process (maxProcesses: ${maxProcesses}). ` +
        'Wait for some to finish, or raise either.',
      { details: { limit: 'queue', value: maxQueue, unit: 'runs' } },
    );
  }

  /** Electron without its fuse `runAsNode` opens a window for each start. */
  get #isUntried(): boolean {
    return this.engine === undefined && startsElectron(this.#options);
  }

  /** No process can be started, and none is alive that could serve a run. */
  #isDown(): boolean {
    return this.#policy.current().state === 'unavailable' && this.#idle.length + this.#queue.leases === 0;
  }

  /** Leases the free sidecars to the waiting callers, and starts the missing ones. */
  #pump(): void {
    if (this.#closed) return;
    const { maxProcesses } = this.#options;
    this.#queue.serve(this.#idle);
    const restart = this.#policy.current();
    if (restart.state === 'backing_off') return this.#retryAt(restart.until);
    if (restart.state === 'unavailable') return this.#isDown() ? this.#queue.rejectAll(this.#unavailable()) : undefined;
    const { demand } = this.#queue;
    // While starts fail, only one at a time: eight starts at once would count one failure eight times.
    const atOnce = restart.suspect || this.#isUntried ? 1 : maxProcesses;
    for (let missing = Math.min(demand, atOnce) - this.#starting; missing > 0; missing--) this.#start();
    if (this.#inUse && demand === 0) this.#keepSpares();
  }

  /** No spare soon after the first run was served, so that the first result does not share the processor with its start. */
  #keepSpares(): void {
    if (this.#firstSpares === 'started') return this.#startSpares(this.#options.spares);
    if (this.#options.spares > 0)
      this.#firstSpares ??= setTimeout(() => this.#startFirstSpares(), firstSpareMs).unref();
  }

  /** Beside the sidecar that served the first run: it may be idle again. */
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

  /** A process died outside of a run. */
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

  /** A timer may fire a moment early: then `#pump` finds it is not time yet and comes here again. */
  #retryAt(until: number): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => this.#pump(), Math.max(1, until - performance.now()));
    // Nobody waits, so this timer must not keep the host alive.
    if (this.#queue.length === 0) this.#retryTimer.unref();
  }

  #putBack(sidecar: Sidecar): void {
    const { recycleRuns, recycleBytes, idleTimeoutMs } = this.#options;
    if (sidecar.runs >= recycleRuns) return sidecar.stop('runs');
    if (sidecar.residentBytes > recycleBytes) return sidecar.stop('memory');
    sidecar.idleSince = performance.now();
    this.#idle.push(sidecar);
    this.#idleTimer ??= setTimeout(() => this.#retireIdle(), idleTimeoutMs).unref();
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
    // Never 0 ms: a spare of a pool in use is past its time but stays, and the timer would fire in a loop.
    this.#idleTimer = setTimeout(() => this.#retireIdle(), Math.max(next, idleTimeoutMs / 4, minIdleCheckMs)).unref();
  }

  #unavailable(): SandboxError {
    const cause = this.#lastFailure;
    // No start will help, so nobody is told to try again.
    if (cause?.code === 'engine_unavailable') return cause;
    const current = this.#policy.current();
    const seconds = current.state === 'running' ? 0 : Math.ceil((current.until - performance.now()) / 1000);
    return new SandboxError(
      'sidecar_unavailable',
      `No sidecar can be started; the next try is in ${seconds} s. Last cause: ${cause?.message ?? 'unknown'}`,
      { details: { ...cause?.details, causeCode: cause?.code }, cause },
    );
  }
}

function closed(): SandboxError {
  return new SandboxError('closed', 'The sandbox is closed. Create another one.');
}

function cancelled(): SandboxError {
  return new SandboxError('cancelled', 'The run was cancelled before it began.');
}
