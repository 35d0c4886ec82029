import type { Readable } from 'node:stream';
import { invalidRequest } from '@mustard-sandbox/protocol';
import { tenantPattern } from '../wire/names.ts';

/** The identity of a file in a store: its owner, and its content. */
export interface ObjectName {
  tenant: string;
  /** SHA-256 of its content, in lower-case hex. */
  sha256: string;
  /** The size in bytes. */
  size: number;
  /**
   * The job that the object answers. Such an object is named after the job, because its client signs for it beforehand.
   */
  answerTo?: string;
}

/**
 * Where clients put the files of runs and workers get them, by content and for each tenant separately. Whatever is too
 * large for the queue goes the same way. Neither side trusts the store: the reader compares the hash.
 */
export interface ObjectStore {
  /** Whether the object is there with this size. It should then stay for as long as a run may wait. */
  has(name: ObjectName): Promise<boolean>;
  /**
   * Puts a whole object in place, or nothing. `content` fails when it does not match `name`.
   *
   * @param pass the result of `sign`, for a worker without rights of its own
   */
  put(name: ObjectName, content: Readable, pass?: string): Promise<void>;
  /** The content of an object. The stream or the promise fails when there is none. */
  get(name: ObjectName, pass?: string): Promise<Readable>;
  /** Removes the object if it exists. */
  remove?(name: ObjectName): Promise<void>;
  /**
   * The pass that lets a worker get or put this one object for `forMs`. Absent when workers have rights of their own.
   */
  sign?(name: Signable, may: 'get' | 'put', forMs: number): Promise<string>;
}

/** A signature is for a place, because an answer does not exist yet. */
export type Signable = Partial<ObjectName> & Pick<ObjectName, 'tenant'>;

const hash = /^[0-9a-f]{64}$/;
const jobId = /^[0-9a-f-]{36}$/;

/**
 * The place of an object in a store, relative to the store's own place. @throws {SandboxError} `invalid_request` for an
 * invalid name
 */
export function placeOf({ tenant, sha256 = '', answerTo }: Signable): string {
  // The tenant chose the id of the job, so it is not trusted.
  if (!tenantPattern.test(tenant) || !(answerTo === undefined ? hash.test(sha256) : jobId.test(answerTo))) {
    throw invalidRequest('files', 'an object has an invalid name');
  }
  return answerTo === undefined ? `${tenant}/${sha256.slice(0, 2)}/${sha256}` : `${tenant}/answers/${answerTo}`;
}
