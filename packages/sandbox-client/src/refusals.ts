import { SandboxError } from '@mustard-sandbox/protocol';
import type { ResolvedOptions } from './options.ts';

/** The error of a run that did not begin, because the sandbox is closed. */

export function closed(): SandboxError {
  return new SandboxError('closed', 'The sandbox is closed. Create another one.');
}

export const cancelledBeforeBegin = 'The run was cancelled before it began.';

export function cancelled(): SandboxError {
  return new SandboxError('cancelled', cancelledBeforeBegin);
}

export function queueFull({ maxQueue, maxProcesses }: ResolvedOptions): SandboxError {
  return new SandboxError(
    'queue_full',
    `${maxQueue} runs already wait (maxQueue) for a process (maxProcesses: ${maxProcesses}). ` +
      'Wait for some of them to finish, or raise maxQueue or maxProcesses.',
    { details: { limit: 'queue', value: maxQueue, unit: 'runs' } },
  );
}

export function waitedTooLong(
  queueTimeoutMs: number,
  { maxProcesses }: Pick<ResolvedOptions, 'maxProcesses'>,
): SandboxError {
  return new SandboxError(
    'queue_full',
    `The run waited ${queueTimeoutMs} ms (queueTimeoutMs) for a process, and ${maxProcesses} (maxProcesses) were busy. ` +
      'Try again later.',
    { details: { limit: 'queue', value: queueTimeoutMs, unit: 'ms' } },
  );
}

/** @param waitMs how long until the next try */
export function unavailable(cause: SandboxError | undefined, waitMs: number): SandboxError {
  // No start will help, so the error must not tell anybody to try again.
  if (cause?.code === 'engine_unavailable') return cause;
  const seconds = Math.ceil(waitMs / 1000);
  return new SandboxError(
    'sidecar_unavailable',
    `No sidecar can be started; the next try is in ${seconds} s. Last cause: ${cause?.message ?? 'unknown'}`,
    { details: { ...cause?.details, causeCode: cause?.code }, cause },
  );
}
