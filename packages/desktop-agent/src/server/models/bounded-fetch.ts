// Requests to models: how much they may bring, and where they may go.

/** More than any answer: a megabyte of text is about 60 MB as a stream of single tokens. */
const maxResponseBytes = 96 * 1024 * 1024;

/**
 * Nothing listens at the address, or no answer came for five minutes. The error has neither code nor cause, because the SDK
 * would see from them that it may be temporary, and would try twice more.
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
 * `fetch` for providers. It follows no redirect, because the headers with the keys would be sent to the new address too. It
 * ends a response that grows beyond the limit.
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
