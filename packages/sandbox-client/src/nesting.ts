import { AsyncLocalStorage } from 'node:async_hooks';
import { SandboxError } from '@mustard-sandbox/daemon/protocol';

/** How deep the present code is in runs of each sandbox. One storage for all, because Node 20 never frees a storage. */
const levels = new AsyncLocalStorage<ReadonlyMap<Nesting, number>>();

/** How deep the runs of one sandbox nest: a host function may start runs in the sandbox that called it. */
export class Nesting {
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * The level of a run that is started here: 0 outside of every host function of this sandbox.
   *
   * @throws {SandboxError} `limit_exceeded` past the most
   */
  level(): number {
    const level = levels.getStore()?.get(this) ?? 0;
    if (level <= this.#most) return level;
    throw new SandboxError(
      'limit_exceeded',
      `A run within a host function within a run, ${level} deep: over the limit of ${this.#most} (maxNesting). ` +
        'Let the outer script do more itself, or raise it.',
      { details: { limit: 'nested_runs', value: this.#most, unit: 'runs', actual: level } },
    );
  }

  /** Calls `make` so that what is started in its context is one level deeper. */
  deeper<T>(level: number, make: () => T): T {
    return levels.run(new Map(levels.getStore()).set(this, level + 1), make);
  }
}
