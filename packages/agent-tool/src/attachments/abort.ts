import { throwIfAborted as throwCancelled, within } from '@mustard-sandbox/client';

const cancelled = 'The attachment was not stored: the call was cancelled.';

/** @throws {SandboxError} `cancelled` as soon as the signal is aborted */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return await within(work, { signal, cancelled });
}

/** @throws {SandboxError} `cancelled` when the signal is aborted */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  throwCancelled(signal, cancelled);
}
