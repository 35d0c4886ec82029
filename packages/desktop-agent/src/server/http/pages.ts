import { AgentError, events, type Broadcast } from '../../shared/contract/index.ts';
import type { Connection } from './connection.ts';

/** The most notices that are kept while no page is open. */
const maxUnsaid = 50;

/**
 * The pages that are open. An event without a page is dropped, because a new page asks for everything. A notice is stored
 * nowhere else, so it waits for the next page.
 */
export class Pages {
  #unsaid: string[] = [];
  readonly #connections = new Set<Connection>();

  readonly broadcast: Broadcast = (name, data) => {
    if (!Object.hasOwn(events, name)) throw new AgentError('unknown_channel', `There is no event ${name}.`);
    const parsed = events[name].safeParse(data);
    if (!parsed.success)
      throw new AgentError('internal', `The event ${name} breaks the contract: ${parsed.error.message}`);
    const frame = JSON.stringify({ type: 'event', event: name, data: parsed.data });
    const open = [...this.#connections].filter(({ isReady }) => isReady);
    for (const connection of open) connection.tell(frame);
    if (open.length === 0 && name === 'notice') this.#unsaid = [...this.#unsaid, frame].slice(-maxUnsaid);
  };

  /** Gives the waiting notices to a page that has just given the token. */
  greet(connection: Connection): void {
    for (const frame of this.#unsaid.splice(0)) connection.tell(frame);
  }

  /** How many pages have given the token. */
  get known(): number {
    return [...this.#connections].filter(({ isReady }) => isReady).length;
  }

  /**
   * Makes room for one more socket that has not given the token, by ending the oldest of them. Any page or user of this
   * machine can open such sockets, and must not keep the person out.
   */
  keepStrangersBelow(most: number): void {
    const strangers = [...this.#connections].filter(({ isReady }) => !isReady);
    for (const stranger of strangers.slice(0, Math.max(0, strangers.length - most + 1))) stranger.end();
  }

  add(connection: Connection): void {
    this.#connections.add(connection);
  }

  remove(connection: Connection): void {
    this.#connections.delete(connection);
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }
}
