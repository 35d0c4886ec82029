import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

interface Kept {
  session: string;
  stream: string;
  message: JSONRPCMessage;
  bytes: number;
}

/** The most bytes that are kept of one user's streams. A client that was away for longer asks again. */
const mostBytes = 16 * 1024 * 1024;
const mostEvents = 10_000;

/**
 * The last messages of the streams of one user, so that a client whose connection broke gets the messages that it
 * missed.
 */
export class RecentEvents {
  /** The key is the id; the oldest comes first. */
  readonly #events = new Map<string, Kept>();
  #bytes = 0;
  #last = 0;

  /** The events of one session. Other sessions cannot name them. */
  of(session: string): EventStore {
    return {
      storeEvent: async (stream, message) => this.#keep({ session, stream, message, bytes: sizeOf(message) }),
      getStreamIdForEventId: async (id) => this.#find(session, id)?.stream,
      replayEventsAfter: async (id, { send }) => {
        const stream = this.#find(session, id)?.stream ?? '';
        for (const [later, event] of this.#after(session, stream, id)) await send(later, event.message);
        return stream;
      },
    };
  }

  forget(session: string): void {
    for (const [id, event] of this.#events) if (event.session === session) this.#drop(id, event);
  }

  #keep(event: Kept): string {
    const id = String(++this.#last);
    this.#events.set(id, event);
    this.#bytes += event.bytes;
    for (const [oldest, old] of this.#events) {
      if (this.#bytes <= mostBytes && this.#events.size <= mostEvents) break;
      this.#drop(oldest, old);
    }
    return id;
  }

  #drop(id: string, { bytes }: Kept): void {
    this.#events.delete(id);
    this.#bytes -= bytes;
  }

  #find(session: string, id: string): Kept | undefined {
    const event = this.#events.get(id);
    return event?.session === session ? event : undefined;
  }

  /** The events after this one, without the event that begins a stream, which is not a message. */
  #after(session: string, stream: string, id: string): [string, Kept][] {
    return [...this.#events].filter(
      ([later, event]) =>
        event.session === session &&
        event.stream === stream &&
        Number(later) > Number(id) &&
        'jsonrpc' in event.message,
    );
  }
}

function sizeOf(message: JSONRPCMessage): number {
  return JSON.stringify(message).length;
}
