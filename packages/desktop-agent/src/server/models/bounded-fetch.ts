// The requests of models: what they may bring, and where they may go.

/** More than any answer: a megabyte of text is about 60 MB as a stream of single tokens. */
const maxResponseBytes = 96 * 1024 * 1024;

/**
 * Nothing listens there, or nothing came for five minutes. Without code and cause: by those the SDK would take it for
 * something that passes, and try twice more.
 */
export class ConnectionFailed extends Error {
  override readonly name = 'ConnectionFailed';
  readonly reason: 'refused' | 'timeout';

  constructor(reason: 'refused' | 'timeout') {
    super(reason === 'refused' ? 'The connection was refused' : 'There was no answer in time');
    this.reason = reason;
  }
}

/**
 * `fetch` for providers. It follows no redirect, because keys go in headers that would go along; and it ends a response
 * that does not end.
 */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' }).catch((error: unknown) => {
    const { cause } = error as { cause?: { code?: unknown } };
    if (cause?.code === 'ECONNREFUSED') throw new ConnectionFailed('refused');
    if (cause?.code === 'UND_ERR_HEADERS_TIMEOUT') throw new ConnectionFailed('timeout');
    throw error;
  });
  if (response.body === null) return response;
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > maxResponseBytes) controller.error(new Error('The response is longer than 96 MB'));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted, { status: response.status, statusText: response.statusText, headers: response.headers });
};
