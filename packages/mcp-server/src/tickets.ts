import { randomBytes, randomUUID } from 'node:crypto';
import { createRequestStateCodec, type RequestStateCodec } from '@modelcontextprotocol/server';

/** What a ticket is good for is readable by whoever holds it. */
type Signed<T> = T & { ticket: string };

/** Texts that only this process can make, each of which is good for one thing, once, for a while. */
export class Tickets<T extends object> {
  readonly seconds: number;
  readonly #codec: RequestStateCodec<Signed<T>>;
  /** Those that were used, with the time at which they end. */
  readonly #used = new Map<string, number>();

  /** @param seconds how long a ticket is good */
  constructor(seconds: number) {
    this.seconds = seconds;
    this.#codec = createRequestStateCodec<Signed<T>>({ key: randomBytes(32), ttlSeconds: seconds });
  }

  async issue(good: T): Promise<string> {
    return await this.#codec.mint({ ...good, ticket: randomUUID() });
  }

  /** What it is good for, the first time; `undefined` for one that was used, is too old, or was made by somebody else. */
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
