// Knows which calls of tools already have their place in the message.

/**
 * The AI SDK may run a tool before the reader of its stream has seen the words before the call. So a tool waits until the
 * reader has reached its call. Then the parts are in the model's order.
 */
export class Calls {
  readonly #seen = new Set<string>();
  readonly #waiting = new Map<string, () => void>();

  /** Tells that the reader has reached this call. */
  see(callId: string): void {
    this.#seen.add(callId);
    this.#waiting.get(callId)?.();
    this.#waiting.delete(callId);
  }

  /** Resolves once the reader has reached this call. Rejects with the reason of the signal. */
  async seen(callId: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#seen.has(callId)) return;
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.#waiting.set(callId, resolve);
    });
  }
}
