import { throwIfAborted, within } from '@mustard-sandbox/protocol';

interface Bounds {
  signal: AbortSignal;
  timeout: { ms: number; error: () => Error };
}

/**
 * Like `within` of the client, for work that takes a signal. The signal is aborted when the call no longer waits, so
 * that a dialog can close.
 *
 * @throws {SandboxError} `cancelled` for an abort, `timeout.error()`, and the error of `work`
 */
export async function askWithin<T>(work: (signal: AbortSignal) => T | Promise<T>, bounds: Bounds): Promise<T> {
  throwIfAborted(bounds.signal);
  const controller = new AbortController();
  try {
    return await within(Promise.resolve(work(controller.signal)), bounds);
  } catch (error) {
    controller.abort(error);
    throw error;
  }
}
