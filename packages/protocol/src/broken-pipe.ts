const brokenPipeCodes = new Set<unknown>(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

/** Whether a message could not be written because the peer is gone. */
export function isBrokenPipe(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return brokenPipeCodes.has((cause as { code?: unknown } | undefined)?.code);
}
