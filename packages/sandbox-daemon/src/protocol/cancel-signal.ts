type Listener = () => void;

/** As much of an `AbortSignal` as is needed here, so that both fit. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: Listener, options?: { once: true }): void;
  removeEventListener(type: 'abort', listener: Listener): void;
}

/** The signal of a peer's request. Making an `AbortSignal` for each would cost as much as all else about a small one. */
export class Cancellation implements CancelSignal {
  aborted = false;
  readonly #listeners = new Set<Listener>();

  addEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners.delete(listener);
  }

  cancel(): void {
    if (this.aborted) return;
    this.aborted = true;
    for (const listener of this.#listeners) listener();
  }
}
