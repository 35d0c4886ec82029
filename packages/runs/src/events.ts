import type { Tell } from './drive.ts';
import type { RunEvent } from './types.ts';

/** How many events are kept for a slow reader. After that the oldest are dropped. */
const mostWaiting = 10_000;
const endings = new Set(['completed', 'failed', 'cancelled', 'expired']);

interface Reader {
  events: RunEvent[];
  wake: () => void;
}

/** Reports to readers what happens to runs on this host. */
export class Events {
  readonly #readers = new Map<string, Set<Reader>>();
  #isClosed = false;

  tell(run: string, event: Tell): void {
    for (const reader of this.#readers.get(run) ?? []) {
      reader.events.push({ ...event, run, at: new Date() });
      if (reader.events.length > mostWaiting) reader.events.shift();
      reader.wake();
    }
  }

  /** Listens from now on, and not only after the first event is asked for. */
  of(run: string): AsyncIterable<RunEvent> {
    const reader: Reader = { events: [], wake() {} };
    const readers = this.#readers.get(run) ?? new Set();
    this.#readers.set(run, readers.add(reader));
    return this.#read(run, readers, reader);
  }

  close(): void {
    this.#isClosed = true;
    for (const readers of this.#readers.values()) for (const { wake } of readers) wake();
  }

  async *#read(run: string, readers: Set<Reader>, reader: Reader): AsyncGenerator<RunEvent> {
    try {
      for (;;) {
        const event = reader.events.shift();
        if (event !== undefined) {
          yield event;
          if (event.type === 'state' && endings.has(event.state)) return;
        } else if (this.#isClosed) return;
        else await new Promise<void>((resolve) => (reader.wake = resolve));
      }
    } finally {
      readers.delete(reader);
      if (readers.size === 0) this.#readers.delete(run);
    }
  }
}
