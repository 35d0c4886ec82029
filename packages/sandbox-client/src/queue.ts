import { SandboxError, type CancelSignal } from '@mustard-sandbox/daemon/protocol';
import type { ResolvedOptions } from './options.ts';
import type { Sidecar } from './sidecar.ts';

export interface Wanted {
  /** How deep in host functions of this sandbox the caller is. */
  level: number;
  /** The script took a sidecar down before, so it should get a process that no script has used. */
  suspect?: boolean;
  /** The run may read files. */
  reads?: boolean;
  signal?: CancelSignal | undefined;
}

interface Waiter extends Wanted {
  resolve(sidecar: Sidecar): void;
  reject(error: SandboxError): void;
}

/**
 * Who has a sidecar, and who waits for one, in the order of asking. Level 0 is the program; a run that a host function
 * starts is one level deeper than the run that called it. Each level has `most` sidecars of its own: the outer run waits
 * for the inner one, so that must not wait for the outer one's.
 */
export class Queue {
  readonly #most: number;
  readonly #timeoutMs: number | undefined;
  readonly #waiters: Waiter[] = [];
  readonly #levels = new Map<Sidecar, number>();

  constructor({ maxProcesses, queueTimeoutMs }: Pick<ResolvedOptions, 'maxProcesses' | 'queueTimeoutMs'>) {
    this.#most = maxProcesses;
    this.#timeoutMs = queueTimeoutMs;
  }

  /** How many wait. */
  get length(): number {
    return this.#waiters.length;
  }

  /** How many have one. */
  get leases(): number {
    return this.#levels.size;
  }

  /** How many of those that wait may have one now. */
  get demand(): number {
    // Asked for twice in every run, and nearly always nobody waits.
    if (this.#waiters.length === 0) return 0;
    const waiting = new Map<number, number>();
    for (const { level } of this.#waiters) waiting.set(level, (waiting.get(level) ?? 0) + 1);
    return [...waiting].reduce((sum, [level, count]) => sum + Math.min(count, this.#free(level)), 0);
  }

  /** Whether so many more wait on this level than can have one. */
  isFull(level: number, maxQueue: number): boolean {
    return this.#waiters.filter((waiter) => waiter.level === level).length >= maxQueue + this.#free(level);
  }

  /** Takes a sidecar from `free` at once, if there is one and nobody waits who could have it; nearly every run does. */
  takeNow({ level, suspect }: Wanted, free: Sidecar[]): Sidecar | undefined {
    if (free.length === 0 || this.#waiters.length > 0 || this.#free(level) <= 0) return undefined;
    return this.#lease(free, level, suspect);
  }

  /** @throws {SandboxError} `cancelled`, `queue_full` after the longest wait */
  wait(wanted: Wanted): Promise<Sidecar> {
    const { signal } = wanted;
    return new Promise((resolve, reject) => {
      const giveUp = (error: SandboxError): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        waiter.reject(error);
      };
      const abort = (): void => giveUp(new SandboxError('cancelled', 'The run was cancelled before it began.'));
      const { timer } = this.#whenTooLong(giveUp);
      const settled = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const waiter: Waiter = {
        ...wanted,
        resolve: (sidecar) => (settled(), resolve(sidecar)),
        reject: (error) => (settled(), reject(error)),
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiters.push(waiter);
    });
  }

  /** Takes the next sidecar from `free` as long as there is one, and somebody who may have it. */
  serve(free: Sidecar[]): void {
    while (free.length > 0) {
      const index = this.#waiters.findIndex(({ level }) => this.#free(level) > 0);
      if (index === -1) return;
      const [waiter] = this.#waiters.splice(index, 1) as [Waiter];
      waiter.resolve(this.#lease(free, waiter.level, waiter.suspect));
    }
  }

  has(sidecar: Sidecar): boolean {
    return this.#levels.has(sidecar);
  }

  release(sidecar: Sidecar): void {
    this.#levels.delete(sidecar);
  }

  rejectAll(error: SandboxError): void {
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
  }

  #whenTooLong(giveUp: (error: SandboxError) => void): { timer: NodeJS.Timeout | undefined } {
    const value = this.#timeoutMs;
    if (value === undefined) return { timer: undefined };
    const why = `The run waited ${value} ms (queueTimeoutMs) for a process, and ${this.#most} (maxProcesses) were busy.`;
    const details = { limit: 'queue', value, unit: 'ms' } as const;
    const end = (): void => giveUp(new SandboxError('queue_full', `${why} Try again later.`, { details }));
    return { timer: setTimeout(end, value).unref() };
  }

  #free(level: number): number {
    let leases = 0;
    for (const each of this.#levels.values()) if (each === level) leases++;
    return this.#most - leases;
  }

  /** The last is the warmest. */
  #lease(free: Sidecar[], level: number, fresh = false): Sidecar {
    const index = fresh ? free.findIndex(({ runs }) => runs === 0) : -1;
    const sidecar = (index === -1 ? free.pop() : free.splice(index, 1)[0]) as Sidecar;
    this.#levels.set(sidecar, level);
    return sidecar;
  }
}
