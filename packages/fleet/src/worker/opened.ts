import { createHmac } from 'node:crypto';
import type { Key } from '@mustard-sandbox/client/seal';
import { parse, toSandboxError, type SandboxError } from '@mustard-sandbox/protocol';
import { Parcels } from '../files/parcels.ts';
import type { ObjectStore } from '../files/store.ts';
import { envelopeSchema, readJob, type AnswerBody, type JobBody } from '../wire/messages.ts';
import { release } from '../wire/release.ts';
import type { Taken } from './lanes.ts';

/** An opened job: the client that waits for it, and its content if it can be trusted. */
export interface Opened {
  client: string;
  body: JobBody | SandboxError;
}

/** The keys of one tenant at a worker. */
export class Post {
  readonly #keys: readonly Key[];
  readonly #parcels: Parcels;

  constructor(tenant: string, keys: readonly Key[], store: ObjectStore | undefined) {
    this.#keys = keys;
    this.#parcels = new Parcels(tenant, keys, store);
  }

  /** Returns `undefined` for data that does not have the form of a job. */
  async open({ job }: Taken): Promise<Opened | undefined> {
    try {
      const { client, sealed } = parse(envelopeSchema, job.data, 'The job');
      return { client, body: await this.#bodyOf(job.id as string, sealed) };
    } catch {
      return undefined;
    }
  }

  async seal(job: string, answer: Omit<AnswerBody, 'version' | 'release'>, spill: JobBody['spill']): Promise<Buffer> {
    const body: AnswerBody = { version: 1, release, ...answer };
    return await this.#parcels.wrapAnswer(body, job, spill);
  }

  /** The name of a script in Redis. A plain hash would let others guess the script. */
  nameOf(script: string): string {
    return createHmac('sha256', this.#keys[0]?.key ?? '')
      .update(script)
      .digest('hex');
  }

  async #bodyOf(job: string, sealed: string): Promise<JobBody | SandboxError> {
    try {
      return await this.#parcels.unwrap(Buffer.from(sealed, 'base64'), job, 'job', readJob);
    } catch (error) {
      return toSandboxError(error);
    }
  }
}
