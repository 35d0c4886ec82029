import type { CancelSignal, SandboxError } from '@mustard-sandbox/protocol';
import type { Ask } from './asks.ts';
import type { ResolvedOptions } from './options.ts';
import { cancelled, waitedTooLong } from './refusals.ts';
import type { Sidecar } from './sidecar.ts';

export interface Wanted {
  /** How many host functions of this sandbox the caller is nested in. */
  level: number;
  /** Whether the script took a sidecar down before. Then it should get a process that no script has used. */
  suspect?: boolean;
  /** Whether another sidecar was found to stand still. Then this one is asked whether it is alive. */
  doubted?: boolean;
  /** Whether a run that holds a sidecar waits for it. Then it waits for as long as it takes. */
  isAwaited?: boolean | undefined;
  /** Whether the run may read files. */
  reads?: boolean;
  signal?: CancelSignal | undefined;
  /** The question that may be sent ahead. */
  ask?: Ask<unknown> | undefined;
}

type Limits = Pick<ResolvedOptions, 'maxProcesses' | 'queueTimeoutMs'>;

interface Waiter extends Wanted {
  /** Ascending numbers: the caller who asked first has the lowest. */
  turn: number;
  resolve(sidecar: Sidecar): void;
  reject(error: SandboxError): void;
}

/** A waiting caller whose run was sent ahead. */
type Ahead = Waiter & { ask: Ask<unknown> };

interface Level {
  /** The sidecars in use. Each has the callers whose runs wait in it behind the present run. */
  leases: Map<Sidecar, Ahead[]>;
  /** All other waiting callers, in the order of asking. */
  waiters: Waiter[];
}

/**
 * Who has a sidecar, and who waits for one, in the order of asking. Level 0 is the program; a run that a host function
 * starts is one level deeper than the run that called the function. Each level has `most` sidecars of its own, because
 * the outer run waits for the inner one, so the inner one must not wait for a sidecar of the outer level.
 *
 * When all sidecars of a level are in use, the next runs are sent ahead to them. They still wait here: until they
 * begin, they can be cancelled, taken back, or lost with a sidecar without harm.
 */
export class Queue {
  readonly #most: number;
  readonly #limits: Limits;
  readonly #levels: Level[] = [];
  #turns = 0;

  constructor(limits: Limits) {
    this.#most = limits.maxProcesses;
    this.#limits = limits;
  }

  /** How many callers wait. */
  get length(): number {
    return this.#levels.reduce((sum, level) => sum + waiting(level), 0);
  }

  /** How many callers have a sidecar. */
  get leases(): number {
    return this.#levels.reduce((sum, { leases }) => sum + leases.size, 0);
  }

  /** How many of the waiting callers may have a sidecar now. */
  get demand(): number {
    return this.#levels.reduce((sum, level) => sum + Math.min(level.waiters.length, this.#free(level)), 0);
  }

  /** Whether `maxQueue` more callers wait on this level than can have a sidecar. */
  isFull(number: number, maxQueue: number): boolean {
    const level = this.#level(number);
    return waiting(level) >= maxQueue + this.#free(level);
  }

  /**
   * Takes a sidecar from `free` at once, if there is one and no waiting caller could have it. Nearly every run gets its
   * sidecar here.
   */
  takeNow({ level: number, suspect }: Wanted, free: Sidecar[]): Sidecar | undefined {
    const level = this.#level(number);
    if (free.length === 0 || level.waiters.length > 0 || this.#free(level) <= 0) return undefined;
    return this.#lease(free, level, suspect);
  }

  /** @throws {SandboxError} `cancelled`; `queue_full` after the longest wait */
  wait(wanted: Wanted): Promise<Sidecar> {
    const { signal } = wanted;
    const level = this.#level(wanted.level);
    return new Promise((resolve, reject) => {
      const giveUp = (error: SandboxError): void => {
        leave(level, waiter);
        waiter.reject(error);
      };
      const abort = (): void => giveUp(cancelled());
      const { queueTimeoutMs } = this.#limits;
      const timer =
        queueTimeoutMs === undefined || wanted.isAwaited === true
          ? undefined
          : setTimeout(() => giveUp(waitedTooLong(queueTimeoutMs, this.#limits)), queueTimeoutMs).unref();
      const settled = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const waiter: Waiter = {
        ...wanted,
        turn: this.#turns++,
        resolve: (sidecar) => (settled(), resolve(sidecar)),
        reject: (error) => (settled(), reject(error)),
      };
      signal?.addEventListener('abort', abort, { once: true });
      level.waiters.push(waiter);
    });
  }

  /** Gives sidecars from `free` to waiting callers while there are both. */
  serve(free: Sidecar[]): void {
    while (free.length > 0) {
      const level = this.#nextLevel();
      if (level === undefined) return;
      const waiter = level.waiters.shift() as Waiter;
      waiter.resolve(this.#lease(free, level, waiter.suspect));
    }
  }

  /**
   * Sends runs ahead when no sidecar is free for them.
   *
   * @param fits whether a sidecar can take one more run
   * @returns whether it sent a run
   */
  sendAhead(fits: (sidecar: Sidecar, wanted: Wanted) => boolean): boolean {
    let sent = false;
    for (const { waiters, leases } of this.#levels) {
      if (waiters.length === 0 || leases.size < this.#most) continue;
      for (;;) {
        const [first] = waiters;
        // No run overtakes the first one.
        if (!mayGoAhead(first)) break;
        const sidecar = emptiest(leases, (each) => each.room > 0 && fits(each, first));
        if (sidecar === undefined) break;
        waiters.shift();
        leases.get(sidecar)?.push(first);
        sidecar.wire.sendAhead(first.ask);
        sent = true;
      }
    }
    return sent;
  }

  /**
   * Takes back the runs that have waited behind another one for `longestMs`, so that they can go to any sidecar that
   * becomes free.
   *
   * @returns whether more runs wait that were sent ahead
   */
  takeBack(longestMs: number): boolean {
    let others = false;
    for (const level of this.#levels) {
      for (const [sidecar, ahead] of level.leases) {
        if (sidecar.blocksMs < longestMs) others ||= ahead.length > 0;
        else {
          for (const waiter of [...ahead]) {
            leave(level, waiter);
            putBack(level, waiter);
          }
        }
      }
    }
    return others;
  }

  has(sidecar: Sidecar): boolean {
    return this.#levels.some(({ leases }) => leases.has(sidecar));
  }

  /**
   * Call this when a run is over. If the next run was sent ahead and has begun, its caller gets the sidecar. Returns
   * whether that is so.
   */
  passOn(sidecar: Sidecar): boolean {
    const level = this.#levels.find(({ leases }) => leases.has(sidecar));
    const ahead = level?.leases.get(sidecar);
    const [next] = ahead ?? [];
    if (level === undefined || ahead === undefined || next === undefined) return false;
    if (sidecar.wire.hasBegun(next.ask)) {
      ahead.shift();
      next.resolve(sidecar);
      return true;
    }
    for (const waiter of ahead.splice(0)) putBack(level, waiter);
    return false;
  }

  release(sidecar: Sidecar): void {
    for (const { leases } of this.#levels) leases.delete(sidecar);
  }

  rejectAll(error: SandboxError): void {
    for (const level of this.#levels) {
      for (const waiter of [...level.leases.values(), level.waiters].flat()) {
        leave(level, waiter);
        waiter.reject(error);
      }
    }
  }

  #level(number: number): Level {
    // A run of level 2 may be the first one that this sandbox sees, because its callers may be runs of another sandbox.
    while (this.#levels.length <= number) this.#levels.push({ leases: new Map(), waiters: [] });
    return this.#levels[number] as Level;
  }

  /** Of the callers that may have a sidecar, the one that has waited longest decides the level. */
  #nextLevel(): Level | undefined {
    let next: Level | undefined;
    for (const level of this.#levels) {
      if (level.waiters.length === 0 || this.#free(level) <= 0) continue;
      if (next === undefined || turnOf(level) < turnOf(next)) next = level;
    }
    return next;
  }

  #free({ leases }: Level): number {
    return this.#most - leases.size;
  }

  /** The last sidecar is the warmest. */
  #lease(free: Sidecar[], level: Level, fresh = false): Sidecar {
    const index = fresh ? free.findIndex(({ runs }) => runs === 0) : -1;
    const sidecar = (index === -1 ? free.pop() : free.splice(index, 1)[0]) as Sidecar;
    level.leases.set(sidecar, []);
    return sidecar;
  }
}

function waiting({ leases, waiters }: Level): number {
  let count = waiters.length;
  for (const ahead of leases.values()) count += ahead.length;
  return count;
}

function turnOf({ waiters: [first] }: Level): number {
  return first?.turn ?? Infinity;
}

function mayGoAhead(waiter: Waiter | undefined): waiter is Ahead {
  return waiter?.ask !== undefined;
}

/** Of the sidecars that will do, the one in which the fewest runs wait. */
function emptiest(leases: Level['leases'], willDo: (sidecar: Sidecar) => boolean): Sidecar | undefined {
  let best: Sidecar | undefined;
  let fewest = Infinity;
  for (const [sidecar, { length }] of leases) {
    if (length >= fewest || !willDo(sidecar)) continue;
    best = sidecar;
    fewest = length;
  }
  return best;
}

function leave({ leases, waiters }: Level, waiter: Waiter): void {
  const at = waiters.indexOf(waiter);
  if (at !== -1) return void waiters.splice(at, 1);
  for (const [sidecar, ahead] of leases) {
    const place = ahead.findIndex((each) => each === waiter);
    if (place === -1) continue;
    const [{ ask }] = ahead.splice(place, 1) as [Ahead];
    sidecar.wire.withdraw(ask);
  }
}

/** Puts the caller back in its old place, before all callers that asked later. */
function putBack({ waiters }: Level, waiter: Waiter): void {
  const at = waiters.findIndex(({ turn }) => turn > waiter.turn);
  waiters.splice(at === -1 ? waiters.length : at, 0, waiter);
}
