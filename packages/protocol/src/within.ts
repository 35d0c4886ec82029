import type { CancelSignal } from './cancel-signal.ts';
import { SandboxError } from './errors.ts';

interface Bounds {
  /** An abort ends the wait at once, whether or not the work stops. */
  signal?: CancelSignal | undefined;
  /** The message of the error for an abort. */
  cancelled?: string;
  timeout?: {
    ms: number;
    error: () => Error;
    /** Starts another timer than one of Node's. */
    start?: (ms: number, callback: () => void) => { stop(): void };
  };
}

/** @throws {SandboxError} `cancelled`, with this message, when the signal is aborted */
export function throwIfAborted(signal: CancelSignal | undefined, message?: string): void {
  if (signal?.aborted === true) throw cancelled(signal, message);
}

/**
 * Settles as `work` does, unless the signal or the time ends the wait first. The work then goes on, and its outcome is
 * ignored.
 *
 * @throws {SandboxError} `cancelled` for an abort; `timeout.error()`; and what `work` rejects with
 */
export function within<T>(work: PromiseLike<T>, { signal, timeout, cancelled: message }: Bounds): Promise<T> {
  return new Promise((resolve, reject) => {
    const over = (settle: () => void): void => {
      timer?.stop();
      signal?.removeEventListener('abort', abort);
      settle();
    };
    const { ms = 0, start = startTimer } = timeout ?? {};
    const timer = timeout && start(ms, () => over(() => reject(timeout.error())));
    const abort = (): void => over(() => reject(cancelled(signal, message)));
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted === true) abort();
    work.then(
      (value) => over(() => resolve(value)),
      (error: unknown) => over(() => reject(error)),
    );
  });
}

function startTimer(ms: number, callback: () => void): { stop(): void } {
  const timer = setTimeout(callback, ms);
  return { stop: () => clearTimeout(timer) };
}

function cancelled(signal: CancelSignal | undefined, message = 'The run was cancelled.'): SandboxError {
  // An `AbortSignal` of the host says why it was aborted.
  return new SandboxError('cancelled', message, { cause: (signal as Partial<AbortSignal> | undefined)?.reason });
}
