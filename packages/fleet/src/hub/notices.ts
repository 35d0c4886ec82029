import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Client } from 'pg';
import { patiently } from './patience.ts';

/** Notices of PostgreSQL, on a separate connection that is made again when it breaks. */
export class Notices {
  readonly #make: () => Client;
  readonly #events = new EventEmitter();
  readonly #heard = new Map<string, (text: string) => void>();
  readonly #stopped = new AbortController();
  #client: Client | undefined;

  constructor(make: () => Client) {
    this.#make = make;
    this.#events.setMaxListeners(0);
  }

  /** The name of a channel in PostgreSQL, which has at most 63 bytes. */
  static nameOf(channel: string): string {
    return `fleet_${createHash('sha256').update(channel).digest('hex').slice(0, 40)}`;
  }

  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  async start(): Promise<void> {
    const client = this.#make();
    client.on('error', () => {});
    client.on('notification', ({ channel, payload = '' }) => this.#heard.get(channel)?.(payload));
    try {
      await client.connect();
      for (const name of this.#heard.keys()) await client.query(`LISTEN ${name}`);
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
    client.once('end', () => this.#restart());
    this.#client = client;
    this.#events.emit('ready');
  }

  has(channel: string): boolean {
    return this.#heard.has(Notices.nameOf(channel));
  }

  async listen(channel: string, hear: (text: string) => void): Promise<void> {
    const name = Notices.nameOf(channel);
    this.#heard.set(name, hear);
    // When there is no connection, the next one will listen.
    await this.#client?.query(`LISTEN ${name}`).catch(() => {});
  }

  onBroken(listener: () => void): void {
    this.#events.on('broken', listener);
  }

  onReady(listener: () => void): void {
    this.#events.on('ready', listener);
  }

  stop(): void {
    this.#stopped.abort();
    void this.#client?.end().catch(() => {});
  }

  #restart(): void {
    this.#client = undefined;
    if (this.#stopped.signal.aborted) return;
    this.#events.emit('broken');
    void patiently(this.#stopped.signal, () => this.start()).catch(() => {});
  }
}
