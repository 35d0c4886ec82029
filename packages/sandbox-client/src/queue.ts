import type { CancelSignal, SandboxError } from '@mustard-sandbox/protocol';
import type { Ask } from './asks.ts';
import type { ResolvedOptions } from './options.ts';
import { cancelled, waitedTooLong } from './refusals.ts';
import type { Sidecar } from './sidecar.ts';

export interface Wanted {
  /** How deep in host functions of this sandbox the caller is. */
  level: number;
  /** The script took a sidecar down before, so it should get a process that no script has used. */
  suspect?: boolean;
  /** Another one was found to stand still, so it is asked whether it is there. */
  doubted?: boolean;
  /** The run may read files. */
  reads?: boolean;
  signal?: CancelSignal | undefined;
  /** What may be sent ahead. */
  ask?: Ask<unknown> | undefined;
}

type Limits = Pick<ResolvedOptions, 'maxProcesses' | 'queueTimeoutMs'>;

interface Waiter extends Wanted {
  /** Who asked first has the lowest. */
  turn: number;
  resolve(sidecar: Sidecar): void;
  reject(error: SandboxError): void;
}

/** One whose run was sent ahead. */
type Ahead = Waiter & { ask: Ask<unknown> };

interface Level {
  /** The sidecars in use, each with those whose runs wait in it behind the run that is under way. */
  leases: Map<Sidecar, Ahead[]>;
  /** All others who wait, in the order of asking. */
  waiters: Waiter[];
}

/**
 * Who has a sidecar, and who waits for one, in the order of asking. Level 0 is the program; a run that a host function
 * starts is one level deeper than the run that called it. Each level has `most` sidecars of its own: the outer run waits
 * for the inner one, so that must not wait for the outer one's.
 *
 * Where all sidecars of a level are in use, the next runs are sent ahead to them. They still wait here: until they begin,
 * they can be cancelled, taken back, or lost with a sidecar without harm.
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

  /** How many wait. */
  get length(): number {
    return this.#levels.reduce((sum, level) => sum + waiting(level), 0);
  }

  /** How many have one. */
  get leases(): number {
    return this.#levels.reduce((sum, { leases }) => sum + leases.size, 0);
  }

  /** How many of those that wait may have one now. */
  get demand(): number {
    return this.#levels.reduce((sum, level) => sum + Math.min(level.waiters.length, this.#free(level)), 0);
  }

  /** Whether so many more wait on this level than can have one. */
  isFull(number: number, maxQueue: number): boolean {
    const level = this.#level(number);
    return waiting(level) >= maxQueue + this.#free(level);
  }

  /** Takes a sidecar from `free` at once, if there is one and nobody waits who could have it; nearly every run does. */
  takeNow({ level: number, suspect }: Wanted, free: Sidecar[]): Sidecar | undefined {
    const level = this.#level(number);
    if (free.length === 0 || level.waiters.length > 0 || this.#free(level) <= 0) return undefined;
    return this.#lease(free, level, suspect);
  }

  /** @throws {SandboxError} `cancelled`, `queue_full` after the longest wait */
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
        queueTimeoutMs === undefined
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

  /** Takes the next sidecar from `free` as long as there is one, and somebody who may have it. */
  serve(free: Sidecar[]): void {
    while (free.length > 0) {
      const level = this.#nextLevel();
      if (level === undefined) return;
      const waiter = level.waiters.shift() as Waiter;
      waiter.resolve(this.#lease(free, level, waiter.suspect));
    }
  }

  /**
   * Sends runs ahead, where no sidecar is free for them.
   *
   * @param fits whether a sidecar will do for one more run
   * @returns whether it sent one
   */
  sendAhead(fits: (sidecar: Sidecar, wanted: Wanted) => boolean): boolean {
    let sent = false;
    for (const { waiters, leases } of this.#levels) {
      if (waiters.length === 0 || leases.size < this.#most) continue;
      for (;;) {
        const [first] = waiters;
        // Nobody overtakes the first.
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
   * Takes back the runs that another one has kept waiting for so long: a sidecar that becomes free is for them too.
   *
   * @returns whether other runs wait that were sent ahead
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

  /** A run is over. Whoever sent the next one ahead has the sidecar from now on, if that one has begun; returns whether so. */
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
    // A run of level 2 may be the first that this sandbox sees: its callers are in another one's.
    while (this.#levels.length <= number) this.#levels.push({ leases: new Map(), waiters: [] });
    return this.#levels[number] as Level;
  }

  /** The level of whoever has waited longest of those that may have a sidecar. */
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

  /** The last is the warmest. */
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

/** The sidecar in which the fewest wait, of those that will do. */
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

/** To its old place: before everybody who asked later. */
function putBack({ waiters }: Level, waiter: Waiter): void {
  const at = waiters.findIndex(({ turn }) => turn > waiter.turn);
  waiters.splice(at === -1 ? waiters.length : at, 0, waiter);
}
