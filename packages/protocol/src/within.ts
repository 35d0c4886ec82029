import type { CancelSignal } from './cancel-signal.ts';
import { SandboxError } from './errors.ts';

interface Bounds {
  /** An abort ends the wait at once, even if the work goes on. */
  signal?: CancelSignal | undefined;
  /** The message of the error after an abort. */
  cancelled?: string;
  timeout?: {
    ms: number;
    error: () => Error;
    /** Starts a timer in place of one of Node's. */
    start?: (ms: number, callback: () => void) => { stop(): void };
  };
}

/** @throws {SandboxError} `cancelled`, with this message, when the signal is aborted */
export function throwIfAborted(signal: CancelSignal | undefined, message?: string): void {
  if (signal?.aborted === true) throw cancelled(signal, message);
}

/**
 * Settles like `work`, unless the signal or the timeout ends the wait first. The work then goes on, and its outcome is
 * ignored.
 *
 * @throws {SandboxError} `cancelled` after an abort; the error of `timeout.error()`; and whatever `work` rejects with
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
  // A host's `AbortSignal` says why it was aborted.
  return new SandboxError('cancelled', message, { cause: (signal as Partial<AbortSignal> | undefined)?.reason });
}
