import { CancellationReceiverStrategy, type CancellationStrategy, type CancellationToken } from 'vscode-jsonrpc';
import type { CancelSignal } from './cancel-signal.ts';
import { cancelMethod } from './envelope.ts';

/** How the library cancels our requests. The peer's requests do not reach it. */
export const cancellationStrategy: CancellationStrategy = {
  receiver: CancellationReceiverStrategy.Message,
  sender: {
    // Async: `sendNotification` throws at once on a connection that has ended. That would throw in a listener of the
    // caller's signal.
    sendCancellation: async (connection, id) => await connection.sendNotification(cancelMethod, { id }),
    cleanup() {},
  },
};

/** `signal` as the library wants it. */
export function tokenOf(signal: CancelSignal): CancellationToken {
  return {
    get isCancellationRequested() {
      return signal.aborted;
    },
    onCancellationRequested(listener: (event: unknown) => void) {
      const abort = (): void => listener(undefined);
      signal.addEventListener('abort', abort, { once: true });
      return { dispose: () => signal.removeEventListener('abort', abort) };
    },
  };
}
