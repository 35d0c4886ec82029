import type { AbstractCancellationTokenSource, CancellationToken, Disposable } from 'vscode-jsonrpc';
import { Cancellation, type CancelSignal } from './cancel-signal.ts';
import { malformed } from './envelope.ts';
import { quote } from './text.ts';

/** A listener in the form in which the library passes it. */
export type Listener = (event: unknown) => void;

/** Calls `listener` when `signal` is aborted. */
export function listen(signal: CancelSignal, listener: Listener): Disposable {
  const abort = (): void => listener(undefined);
  signal.addEventListener('abort', abort, { once: true });
  return { dispose: () => signal.removeEventListener('abort', abort) };
}

/** A request of the peer: our signal, the library's token and the source of that token in one object. */
export class PeerRequest extends Cancellation implements AbstractCancellationTokenSource, CancellationToken {
  get token(): this {
    return this;
  }

  get isCancellationRequested(): boolean {
    return this.aborted;
  }

  onCancellationRequested(listener: Listener): Disposable {
    return listen(this, listener);
  }

  dispose(): void {}
}

/**
 * The requests in both directions that have no answer yet. No two have the same id, and every answer must match one.
 */
export class OpenRequests {
  readonly #ours = new Set<unknown>();
  /** The key is the id as text, so `1` and `"1"` are the same id. */
  readonly #theirs = new Map<string, PeerRequest>();
  /** How many requests the peer has made. It may cancel each of them once, including one that was just answered. */
  #requests = 0;
  #cancellations = 0;

  /** We sent a request. */
  asked(id: unknown): void {
    this.#ours.add(id);
  }

  /**
   * The peer answered a request.
   *
   * @throws {SandboxError} `protocol_error` when none with this id is open
   */
  wasAnswered(id: unknown): void {
    if (!this.#ours.delete(id)) throw malformed('answers no request that is open');
  }

  /**
   * The peer sent a request.
   *
   * @throws {SandboxError} `protocol_error` when one with this id is open
   */
  wasAsked(id: string | number, method: string): void {
    const key = String(id);
    if (this.#theirs.has(key)) throw malformed(`to ${quote(method)} has the id of a request that is still open`);
    this.#theirs.set(key, new PeerRequest());
    this.#requests++;
  }

  /**
   * The peer cancelled a request, which we may have answered in the meantime.
   *
   * @throws {SandboxError} `protocol_error` when it cancelled more requests than it made
   */
  wasCancelled(id: string | number): void {
    if (++this.#cancellations > this.#requests) throw malformed('cancels more requests than were made');
    this.ofPeer(id)?.cancel();
  }

  /** We answered a request. */
  answered(id: unknown): void {
    this.#theirs.delete(String(id));
  }

  /** The open request of the peer with this id, if any. */
  ofPeer(id: unknown): PeerRequest | undefined {
    return this.#theirs.get(String(id));
  }
}
