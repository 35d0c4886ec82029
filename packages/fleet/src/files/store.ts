import type { Readable } from 'node:stream';
import { invalidRequest } from '@mustard-sandbox/protocol';
import { tenantPattern } from '../wire/names.ts';

/** What a file is in a store: whose it is, and what is in it. */
export interface ObjectName {
  tenant: string;
  /** SHA-256 of its content, in lower-case hex. */
  sha256: string;
  /** In bytes. */
  size: number;
  /** The job that it is the answer to. Such an object is named by the job, because its client signs for it beforehand. */
  answerTo?: string;
}

/**
 * Where clients put the files of runs, and workers get them: by content, for each tenant apart. What is too large for the
 * queue goes the same way. Neither side trusts the store: who reads compares the hash.
 */
export interface ObjectStore {
  /** Whether it is there with this size. It should then stay for as long as a run may wait. */
  has(name: ObjectName): Promise<boolean>;
  /**
   * Puts it in place whole, or not at all. `content` fails when it is not what `name` says.
   *
   * @param pass what `sign` gave, for a worker that has no rights of its own
   */
  put(name: ObjectName, content: Readable, pass?: string): Promise<void>;
  /** Its content. The stream, or the promise, fails where it is not there. */
  get(name: ObjectName, pass?: string): Promise<Readable>;
  /** Removes it, if it is there. */
  remove?(name: ObjectName): Promise<void>;
  /** What lets a worker get, or put, this one object for so long, in ms. Absent where workers have rights of their own. */
  sign?(name: Signable, may: 'get' | 'put', forMs: number): Promise<string>;
}

/** A signature is for a place, and an answer is not there yet. */
export type Signable = Partial<ObjectName> & Pick<ObjectName, 'tenant'>;

const hash = /^[0-9a-f]{64}$/;
const jobId = /^[0-9a-f-]{36}$/;

/** Where an object is in a store, below the store's own place. @throws {SandboxError} `invalid_request` for a name that is none */
export function placeOf({ tenant, sha256 = '', answerTo }: Signable): string {
  // The id of a job is what its tenant has made of it.
  if (!tenantPattern.test(tenant) || !(answerTo === undefined ? hash.test(sha256) : jobId.test(answerTo))) {
    throw invalidRequest('files', 'an object has a name that is none');
  }
  return answerTo === undefined ? `${tenant}/${sha256.slice(0, 2)}/${sha256}` : `${tenant}/answers/${answerTo}`;
}
