import { SandboxError } from './errors.ts';

const brokenPipeCodes = new Set<unknown>(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

/** Whether a message could not be written because the peer is gone. */
export function isBrokenPipe(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return brokenPipeCodes.has((cause as { code?: unknown } | undefined)?.code);
}

/** The error of a request on a connection that has ended. It counts as a broken pipe. */
export function connectionClosed(): SandboxError {
  const cause = Object.assign(new Error('The connection is closed.'), { code: 'ERR_STREAM_DESTROYED' });
  return new SandboxError('protocol_error', cause.message, { cause });
}
