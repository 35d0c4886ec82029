type Listener = () => void;

/** The part of `AbortSignal` that is needed here. An `AbortSignal` and a `Cancellation` both have it. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: Listener, options?: { once: true }): void;
  removeEventListener(type: 'abort', listener: Listener): void;
}

/** The signal of a peer's request. An `AbortSignal` for each would double the cost of a small request. */
export class Cancellation implements CancelSignal {
  aborted = false;
  #listeners: Set<Listener> | undefined;

  addEventListener(_type: 'abort', listener: Listener): void {
    (this.#listeners ??= new Set()).add(listener);
  }

  removeEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners?.delete(listener);
  }

  cancel(): void {
    if (this.aborted) return;
    this.aborted = true;
    for (const listener of this.#listeners ?? []) listener();
  }
}

const shared = new WeakMap<AbortSignal, SharedSignal>();

/**
 * The signal, for any number of listeners. Node warns of a leak when an `AbortSignal` has more than ten listeners,
 * and a host may have more calls than that under way.
 */
export function sharedSignal(signal: AbortSignal): CancelSignal {
  const known = shared.get(signal) ?? new SharedSignal(signal);
  shared.set(signal, known);
  return known;
}

class SharedSignal implements CancelSignal {
  readonly #signal: AbortSignal;
  readonly #listeners = new Set<Listener>();
  readonly #abort = (): void => {
    for (const listener of this.#listeners) listener();
  };

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get aborted(): boolean {
    return this.#signal.aborted;
  }

  get reason(): unknown {
    return this.#signal.reason;
  }

  addEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners.add(listener);
    this.#signal.addEventListener('abort', this.#abort, { once: true });
  }

  removeEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) this.#signal.removeEventListener('abort', this.#abort);
  }
}
