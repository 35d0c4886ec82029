import { AsyncLocalStorage } from 'node:async_hooks';
import { SandboxError } from '@mustard-sandbox/protocol';

/** For each sandbox, how many runs of it the code is nested in. */
type Levels = ReadonlyMap<Nesting, number>;

/** The levels of code that a host function started. All sandboxes share one storage, because Node 20 never frees one. */
const storage = new AsyncLocalStorage<Levels>();
/** Runs under way that may call host functions. */
let runs = 0;

/** Calls a host function of a run, so that the runs which it starts are one level deeper. */
export type Below = <T>(make: () => T) => T;

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
    const level = storage.getStore()?.get(this) ?? 0;
    if (level <= this.#most) return level;
    throw new SandboxError(
      'limit_exceeded',
      `A run within a host function within a run, ${level} deep: over the limit of ${this.#most} (maxNesting). ` +
        'Let the outer script do more itself, or raise it.',
      { details: { limit: 'nested_runs', value: this.#most, unit: 'runs', actual: level } },
    );
  }

  /** Calls the host functions of a run on `level`. */
  below(level: number): Below {
    const levels = new Map(storage.getStore()).set(this, level + 1);
    return (make) => storage.run(levels, make);
  }
}

/** Call it when a run begins that may call host functions. */
export function enterRun(): void {
  runs++;
}

/**
 * Call it when a run of `enterRun` is over. The storage is disabled after the last one, because while it is in use, Node 20
 * and 22 take 0.3 µs more for every promise of the process.
 */
export function leaveRun(): void {
  if (--runs === 0) storage.disable();
}
