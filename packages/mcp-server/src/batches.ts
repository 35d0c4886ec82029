import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';

interface Batch {
  open: Set<RequestId>;
  answers: JSONRPCMessage[];
}

/** Batches of requests. The answers to a batch are sent together. */
export class Batches {
  readonly #byId = new Map<RequestId, Batch>();

  /**
   * Notes that a request was cancelled. It gets no answer, and the others of its batch do not wait for it.
   *
   * @returns what to send now: the answers of its batch, if it was the last open request
   */
  noteCancelled(message: object): JSONRPCMessage[] | undefined {
    const { method, params } = message as { method?: unknown; params?: { requestId?: RequestId } };
    if (method !== 'notifications/cancelled' || params?.requestId === undefined) return undefined;
    const batch = this.#byId.get(params.requestId);
    if (batch === undefined) return undefined;
    batch.open.delete(params.requestId);
    this.#byId.delete(params.requestId);
    return batch.open.size === 0 && batch.answers.length > 0 ? batch.answers : undefined;
  }

  begin(ids: readonly RequestId[]): void {
    const batch: Batch = { open: new Set(ids), answers: [] };
    for (const id of batch.open) this.#byId.set(id, batch);
  }

  /** What to send now: the message itself, the answers of a whole batch, or nothing yet. */
  answer(message: JSONRPCMessage): JSONRPCMessage | JSONRPCMessage[] | undefined {
    const isAnswer = 'result' in message || 'error' in message;
    const batch = isAnswer && message.id !== undefined ? this.#byId.get(message.id) : undefined;
    if (batch === undefined || !isAnswer || message.id === undefined) return message;
    this.#byId.delete(message.id);
    batch.open.delete(message.id);
    batch.answers.push(message);
    return batch.open.size === 0 ? batch.answers : undefined;
  }
}
