import { SandboxError } from '@mustard-sandbox/client';

interface Bounds {
  signal: AbortSignal;
  timeout?: { ms: number; error: () => Error };
}

/**
 * Settles as `work` does, or rejects when the signal or the time, if there is one, ends it first. Then the signal that `work` got is
 * aborted as well, so that a dialog which nobody waits for any more can close.
 *
 * @throws {SandboxError} `cancelled` for an abort, `timeout.error()`, and what `work` throws
 */
export async function within<T>(
  work: (signal: AbortSignal) => T | Promise<T>,
  { signal, timeout }: Bounds,
): Promise<T> {
  if (signal.aborted) throw cancelled();
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let abort = (): void => {};
  const ended = new Promise<never>((_, reject) => {
    const end = (error: Error): void => {
      reject(error);
      controller.abort(error);
    };
    abort = () => end(cancelled());
    signal.addEventListener('abort', abort, { once: true });
    if (timeout !== undefined) timer = setTimeout(() => end(timeout.error()), timeout.ms);
  });
  try {
    return await Promise.race([work(controller.signal), ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

function cancelled(): SandboxError {
  return new SandboxError('cancelled', 'The run was cancelled.');
}
