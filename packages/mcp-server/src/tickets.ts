import { randomBytes, randomUUID } from 'node:crypto';
import { createRequestStateCodec, type RequestStateCodec } from '@modelcontextprotocol/server';

/** Whoever holds a ticket can read what it allows. */
type Signed<T> = T & { ticket: string };

/** Texts that only this process can make. Each allows one thing, once, for a while. */
export class Tickets<T extends object> {
  readonly seconds: number;
  readonly #codec: RequestStateCodec<Signed<T>>;
  /** The tickets that were used, with the time at which they expire. */
  readonly #used = new Map<string, number>();

  /** @param seconds how long a ticket is valid */
  constructor(seconds: number) {
    this.seconds = seconds;
    this.#codec = createRequestStateCodec<Signed<T>>({ key: randomBytes(32), ttlSeconds: seconds });
  }

  async issue(good: T): Promise<string> {
    return await this.#codec.mint({ ...good, ticket: randomUUID() });
  }

  /**
   * What a ticket allows, the first time; `undefined` for a ticket that was used, has expired, or was made by somebody
   * else.
   */
  async redeem(text: string): Promise<T | undefined> {
    const signed = await this.#codec.verify(text, undefined as never).catch(() => undefined);
    if (signed === undefined || this.#used.has(signed.ticket)) return undefined;
    const now = performance.now();
    for (const [ticket, end] of this.#used) {
      if (end > now) break;
      this.#used.delete(ticket);
    }
    this.#used.set(signed.ticket, now + this.seconds * 1_000);
    return signed;
  }
}
