import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Key, Sealer } from '@mustard-sandbox/client/seal';
import { SandboxError } from '@mustard-sandbox/protocol';
import type { Elsewhere } from '../wire/messages.ts';
import { queueSealer, type Purpose } from '../wire/seal.ts';
import type { ObjectName, ObjectStore } from './store.ts';
import { verified } from './verified.ts';

/**
 * The largest sealed job or answer in the queue, in bytes. A larger one goes through the store, because the queue keeps
 * everything in memory.
 */
const mostInline = 128 * 1024;
const tries = 3;
const pauseMs = 200;

type What = Purpose['what'];

/**
 * Seals and opens what goes through the queue for one tenant. What is too large for the queue goes through the store.
 */
export class Parcels {
  readonly #tenant: string;
  readonly #store: ObjectStore | undefined;
  readonly #sealer: Sealer<Purpose>;

  constructor(tenant: string, keys: readonly Key[], store: ObjectStore | undefined) {
    this.#tenant = tenant;
    this.#store = store;
    this.#sealer = queueSealer(keys);
  }

  /** @param forMs how long a worker may get it */
  async wrapJob(body: object, job: string, forMs: number): Promise<{ sealed: Buffer; name?: ObjectName }> {
    const sealed = this.#seal(body, job, 'job');
    const store = this.#store;
    if (store === undefined || sealed.length <= mostInline) return { sealed };
    const name = this.#nameOf(sealed);
    const pass = await store.sign?.(name, 'get', forMs);
    await again(() => store.put(name, Readable.from([sealed])));
    return { sealed: this.#point(name, { job, what: 'job', pass }), name };
  }

  /** @param spill present if the client can take the answer from the store, with the pass for putting it there */
  async wrapAnswer(body: object, job: string, spill: { pass?: string | undefined } | undefined): Promise<Buffer> {
    const sealed = this.#seal(body, job, 'answer');
    const store = this.#store;
    if (store === undefined || spill === undefined || sealed.length <= mostInline) return sealed;
    const name = { ...this.#nameOf(sealed), answerTo: job };
    try {
      await again(() => store.put(name, Readable.from([sealed]), spill.pass));
    } catch {
      // A large answer in the queue is better than a lost one.
      return sealed;
    }
    return this.#point(name, { job, what: 'answer', pass: undefined });
  }

  /** The pass with which a worker puts the answer to a job; `undefined` when there is no store. */
  async spillFor(job: string, forMs: number): Promise<{ pass?: string } | undefined> {
    if (this.#store === undefined) return undefined;
    const pass = await this.#store.sign?.({ tenant: this.#tenant, answerTo: job }, 'put', forMs);
    return pass === undefined ? {} : { pass };
  }

  /**
   * @throws {SandboxError} the error of `read`, `protocol_error` for bytes that were not sealed for this,
   * `sidecar_unavailable`
   */
  async unwrap<T extends object>(
    sealed: Buffer,
    job: string,
    what: What,
    read: (bytes: Buffer) => T | Elsewhere,
  ): Promise<T> {
    const purpose = { tenant: this.#tenant, job, what };
    const found = read(this.#sealer.open(sealed, purpose));
    if (!('elsewhere' in found)) return found;
    const { sha256, size, pass } = found.elsewhere;
    const name = { tenant: this.#tenant, sha256, size, ...(what === 'answer' && { answerTo: job }) };
    const content = await this.#fetch(name, pass);
    if (what === 'answer') this.discard(name);
    const whole = read(this.#sealer.open(content, purpose));
    if ('elsewhere' in whole)
      throw new SandboxError('protocol_error', 'The reference to the file store leads to another reference.');
    return whole;
  }

  /**
   * Removes an object that nobody will want any more. Objects that remain, such as those of a client that died, are
   * removed by their age.
   */
  discard(name: ObjectName | undefined): void {
    if (name !== undefined) void this.#store?.remove?.(name).catch(() => {});
  }

  #seal(body: object, job: string, what: What): Buffer {
    return this.#sealer.seal(Buffer.from(JSON.stringify(body)), { tenant: this.#tenant, job, what });
  }

  #nameOf(sealed: Buffer): ObjectName {
    return { tenant: this.#tenant, sha256: createHash('sha256').update(sealed).digest('hex'), size: sealed.length };
  }

  #point(
    { sha256, size }: ObjectName,
    { job, what, pass }: { job: string; what: What; pass: string | undefined },
  ): Buffer {
    const elsewhere: Elsewhere = { version: 1, elsewhere: { sha256, size, ...(pass !== undefined && { pass }) } };
    return this.#seal(elsewhere, job, what);
  }

  async #fetch(name: ObjectName, pass: string | undefined): Promise<Buffer> {
    const store = this.#store;
    try {
      if (store === undefined) throw new Error('There is no store.');
      return await again(async () => {
        const content = await store.get(name, pass);
        const checked = verified(name);
        content.once('error', (error) => checked.destroy(error)).pipe(checked);
        return Buffer.concat(await checked.toArray());
      });
    } catch (error) {
      const message = 'The file store of the fleet did not give what was too large for the queue.';
      throw new SandboxError('sidecar_unavailable', message, { cause: error });
    }
  }
}

async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let left = tries - 1; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (left === 0) throw error;
      await delay(pauseMs);
    }
  }
}
