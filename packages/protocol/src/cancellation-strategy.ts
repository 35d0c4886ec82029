import type { CancellationStrategy, CancellationToken, Disposable } from 'vscode-jsonrpc';
import type { CancelSignal } from './cancel-signal.ts';
import { cancelMethod } from './envelope.ts';
import { listen, PeerRequest, type Listener, type OpenRequests } from './open-requests.ts';

/** How the library cancels. For a peer's request it takes the token that the reader made when the request arrived. */
export function cancellationStrategy(open: OpenRequests): CancellationStrategy {
  return {
    receiver: {
      kind: 'request',
      createCancellationTokenSource: ({ id }) => open.ofPeer(id) ?? new PeerRequest(),
    },
    sender: {
      // `async`, because `sendNotification` throws at once on a connection that has ended, and would throw inside a
      // listener of the caller's signal.
      sendCancellation: async (connection, id) => await connection.sendNotification(cancelMethod, { id }),
      cleanup() {},
    },
  };
}

/** Wraps `signal` in a token of the library. */
export function tokenOf(signal: CancelSignal): CancellationToken {
  return signal instanceof PeerRequest ? signal : new SignalToken(signal);
}

class SignalToken implements CancellationToken {
  readonly #signal: CancelSignal;

  constructor(signal: CancelSignal) {
    this.#signal = signal;
  }

  get isCancellationRequested(): boolean {
    return this.#signal.aborted;
  }

  onCancellationRequested(listener: Listener): Disposable {
    return listen(this.#signal, listener);
  }
}
