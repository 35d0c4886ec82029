import { invalidRequest } from '@mustard-sandbox/protocol';
import type { Queue, QueueOptions, Worker, WorkerOptions } from 'bullmq';
import type { RedisOptions } from 'ioredis';
import * as z from 'zod/mini';
import type { Lane, Names } from '../wire/names.ts';

/**
 * Where the queue is: a URL, such as `redis://queue:6379`, `unix:/run/redis.sock` or `postgres://queue/fleet`, or
 * options of ioredis.
 */
export type QueueConnection = string | RedisOptions;

export const connectionSchema = z.union(
  [
    z.string().check(z.minLength(1)),
    z.custom<RedisOptions>((value) => typeof value === 'object' && value !== null && !Array.isArray(value)),
  ],
  { error: 'must be a URL such as redis://HOST:6379, or an object with the options of ioredis' },
);

export interface Notice {
  channel: string;
  text: string;
}

/** A job, and the key of its answer. */
export interface Sought {
  id: string;
  lane: Lane;
  answer: string;
}

/**
 * What clients and workers share: queues by BullMQ, entries that expire, notices that may get lost, and the lanes that
 * have jobs. Every command waits for a server that is away.
 */
export interface Hub {
  readonly isConnected: boolean;
  openQueue(lane: Lane, options: Omit<QueueOptions, 'connection' | 'prefix'>): Queue;
  openWorker(lane: Lane, options: Omit<WorkerOptions, 'connection' | 'prefix'>): Worker;
  /** Does a command of BullMQ when the server is there. Doing it twice must be harmless. */
  patiently<T>(work: () => Promise<T>): Promise<T>;
  /** The clock of the server, in ms since 1970. */
  now(): Promise<number>;

  /** @param tell a notice that is sent right after it */
  put(key: string, value: string | Buffer, forMs: number, tell?: Notice): Promise<void>;
  /** Puts an entry, and returns whether it was new. */
  putNew(key: string, forMs: number): Promise<boolean>;
  remove(key: string): Promise<void>;
  areThere(keys: readonly string[]): Promise<boolean[]>;
  /** The values of all entries whose keys begin with `start`. */
  valuesOf(start: string): Promise<string[]>;
  /** Takes the answers of jobs, and says whether each job is still in its queue. */
  look(jobs: readonly Sought[]): Promise<{ answer: Buffer | null; isThere: boolean }[]>;

  publish(notice: Notice): Promise<void>;
  subscribe(channels: readonly string[], hear: (text: string) => void): Promise<void>;
  onBroken(listener: () => void): void;
  /** Called when the connection is back. Notices of the time between are lost. */
  onReady(listener: () => void): void;

  /** Announces that these lanes have jobs, and wakes a worker. */
  announce(lanes: readonly Lane[]): Promise<void>;
  /** Names of lanes that have jobs. */
  backlog(): Promise<string[]>;
  forget(lane: Lane): Promise<void>;
  /** How many jobs wait in each lane. */
  waiting(lanes: readonly Lane[]): Promise<number[]>;
  /** Waits until a job is announced, for at most this long. */
  waitForJob(seconds: number): Promise<void>;
  /** Ends the wait for a job, for good. */
  stopWaiting(): void;

  close(): void;
}

export interface HubOptions {
  connection: QueueConnection;
  prefix: string;
  names: Names;
  /** Aborted when nobody waits for the hub any more. It is then closed, or not opened. */
  closing?: AbortSignal;
}

/** How many idle workers are woken at once. Later workers find their jobs in the backlog. */
export const mostWakes = 256;
export const longestPauseMs = 2_000;

/** Opens the hub. It connects with its first command, and again whenever the connection breaks. */
export async function openHub(options: HubOptions): Promise<Hub> {
  const { connection, closing } = options;
  let hub: Hub;
  if (typeof connection === 'string' && isPostgres(connection)) {
    const { PostgresHub } = await import('./postgres.ts');
    hub = await PostgresHub.open({ ...options, connection });
  } else {
    const { RedisHub } = await import('./redis.ts');
    hub = new RedisHub(options);
  }
  if (closing?.aborted === true) hub.close();
  closing?.addEventListener('abort', () => hub.close(), { once: true });
  return hub;
}

const isPostgres = (connection: string): boolean => /^postgres(ql)?:\/\/./.test(connection);

/** The prefix becomes the name of a schema in the database. */
const schemaPattern = /^[A-Za-z_]\w{0,62}$/;

/** @throws {SandboxError} `invalid_request` for an invalid address */
export function checkConnection(connection: QueueConnection, prefix: string, what = 'connection'): void {
  if (typeof connection !== 'string') return;
  // The host can be a folder of sockets, and then the text is not a URL.
  if (isPostgres(connection)) {
    if (schemaPattern.test(prefix)) return;
    throw invalidRequest(what, 'prefix', 'with PostgreSQL it is the name of a schema: letters, digits and _');
  }
  if (/^unix:\/./.test(connection)) return;
  if (/^rediss?:\/\/./.test(connection) && URL.canParse(connection)) return;
  // The message does not hold the text itself, because it may have a password.
  throw invalidRequest(
    what,
    'connection',
    'it is not redis://HOST:PORT, rediss://HOST:PORT, unix:/PATH or postgres://HOST/DATABASE',
  );
}

/** The clock of the queue, which clients and workers share. */
export class QueueClock {
  #aheadMs = 0;

  /** @returns how far the clock of this machine is behind, in ms */
  async set(hub: Pick<Hub, 'now'>): Promise<number> {
    const askedAt = Date.now();
    const there = await hub.now();
    this.#aheadMs = there - (askedAt + Date.now()) / 2;
    return this.#aheadMs;
  }

  /** In ms since 1970. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }
}
