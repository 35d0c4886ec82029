// Which call of a tool has its place in the message already.

/**
 * The AI SDK may run a tool before the reader of its stream has seen the words in front of the call. So a tool waits until
 * the reader came to its call: parts stand in the order in which the model made them.
 */
export class Calls {
  readonly #seen = new Set<string>();
  readonly #waiting = new Map<string, () => void>();

  /** The reader came to this call. */
  see(callId: string): void {
    this.#seen.add(callId);
    this.#waiting.get(callId)?.();
    this.#waiting.delete(callId);
  }

  /** Resolves once the reader came to this call. Rejects with the reason of the signal. */
  async seen(callId: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#seen.has(callId)) return;
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.#waiting.set(callId, resolve);
    });
  }
}
