import { SandboxError } from '@mustard-sandbox/client';

/** @throws {SandboxError} `cancelled` as soon as the signal is aborted */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await promise;
  throwIfAborted(signal);
  let abort!: () => void;
  const aborted = new Promise<never>((_, reject) => (abort = () => reject(cancelled(signal))));
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** @throws {SandboxError} `cancelled` when the signal is aborted */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelled(signal);
}

function cancelled(signal: AbortSignal): SandboxError {
  return new SandboxError('cancelled', 'The attachment was not stored: the call was cancelled.', {
    cause: signal.reason,
  });
}
