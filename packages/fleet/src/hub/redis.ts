import { createRedisBackend, Queue, Worker, type QueueOptions, type WorkerOptions } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { laneName, type Lane, type Names } from '../wire/names.ts';
import {
  longestPauseMs,
  mostWakes,
  type Hub,
  type HubOptions,
  type Notice,
  type QueueConnection,
  type Sought,
} from './hub.ts';

/** These connections wait for as long as it takes. A caller that needs a time limit for a command sets it. */
const patient = {
  maxRetriesPerRequest: null,
  lazyConnect: true,
  retryStrategy: (attempt: number) => Math.min(longestPauseMs, 50 * 2 ** Math.min(attempt, 10)),
} satisfies RedisOptions;

/** There are three connections for any number of lanes: one for commands, one for notices, and one that waits. */
export class RedisHub implements Hub {
  readonly #redis: Redis;
  readonly #subscriber: Redis;
  readonly #waiter: Redis;
  readonly #names: Names;
  readonly #prefix: string;

  constructor({ connection, names, prefix }: HubOptions) {
    const address = addressOf(connection);
    const redis = typeof address === 'string' ? new Redis(address, patient) : new Redis({ ...address, ...patient });
    this.#redis = redis;
    this.#subscriber = redis.duplicate();
    this.#waiter = redis.duplicate();
    // The caller of a command gets its error. Without a listener, an error would end the process.
    for (const one of [redis, this.#subscriber, this.#waiter]) one.on('error', () => {});
    this.#names = names;
    this.#prefix = prefix;
  }

  get isConnected(): boolean {
    return this.#redis.status === 'ready';
  }

  openQueue(lane: Lane, options: Omit<QueueOptions, 'connection'>): Queue {
    return new Queue(laneName(lane), { ...options, connection: this.#redis, prefix: this.#prefix });
  }

  openWorker(lane: Lane, options: Omit<WorkerOptions, 'connection'>): Worker {
    const all = { ...options, connection: this.#redis, prefix: this.#prefix };
    // Otherwise each lane would have another connection to wait on.
    return new Worker(laneName(lane), null, all, (name, given) => createRedisBackend(name, given));
  }

  async now(): Promise<number> {
    const [seconds, micros] = await this.#redis.time();
    return Number(seconds) * 1000 + Number(micros) / 1000;
  }

  async patiently<T>(work: () => Promise<T>): Promise<T> {
    // ioredis keeps commands until it is connected.
    return await work();
  }

  async put(key: string, value: string | Buffer, forMs: number, tell?: Notice): Promise<void> {
    const all = this.#redis.multi().set(key, value, 'PX', forMs);
    await (tell === undefined ? all : all.publish(tell.channel, tell.text)).exec();
  }

  async putNew(key: string, forMs: number): Promise<boolean> {
    return (await this.#redis.set(key, '1', 'PX', forMs, 'NX')) !== null;
  }

  async remove(key: string): Promise<void> {
    await this.#redis.del(key);
  }

  async areThere(keys: readonly string[]): Promise<boolean[]> {
    return keys.length === 0 ? [] : (await this.#redis.mget(keys as string[])).map((value) => value !== null);
  }

  async valuesOf(start: string): Promise<string[]> {
    const values: string[] = [];
    const scan = this.#redis.scanStream({ match: `${start}*`, count: 1_000 }) as AsyncIterable<string[]>;
    for await (const keys of scan) {
      const found = keys.length === 0 ? [] : await this.#redis.mget(keys);
      values.push(...found.filter((text) => text !== null));
    }
    return values;
  }

  async look(jobs: readonly Sought[]): Promise<{ answer: Buffer | null; isThere: boolean }[]> {
    // Both are read at once, because a worker writes the answer before it removes the job.
    const multi = this.#redis.multi();
    for (const { id, lane, answer } of jobs) multi.getdelBuffer(answer).exists(this.#keyOf(lane, id));
    const replies = (await multi.exec()) ?? [];
    return jobs.map((_, index) => ({
      answer: (replies[2 * index]?.[1] ?? null) as Buffer | null,
      isThere: replies[2 * index + 1]?.[1] === 1,
    }));
  }

  async publish({ channel, text }: Notice): Promise<void> {
    await this.#redis.publish(channel, text);
  }

  async subscribe(channels: readonly string[], hear: (text: string) => void): Promise<void> {
    this.#subscriber.on('message', (_channel, text) => hear(text));
    await this.#subscriber.subscribe(...channels);
  }

  onBroken(listener: () => void): void {
    this.#redis.on('close', listener);
  }

  onReady(listener: () => void): void {
    this.#redis.on('ready', listener);
    this.#subscriber.on('ready', listener);
  }

  async announce(lanes: readonly Lane[]): Promise<void> {
    if (lanes.length === 0) return;
    const { backlog, wake } = this.#names;
    await this.#redis
      .multi()
      .sadd(backlog, ...lanes.map(laneName))
      .lpush(wake, '1')
      .ltrim(wake, 0, mostWakes - 1)
      .exec();
  }

  async backlog(): Promise<string[]> {
    return await this.#redis.smembers(this.#names.backlog);
  }

  async forget(lane: Lane): Promise<void> {
    await this.#redis.srem(this.#names.backlog, laneName(lane));
  }

  async waiting(lanes: readonly Lane[]): Promise<number[]> {
    const pipeline = this.#redis.pipeline();
    for (const lane of lanes) pipeline.llen(this.#keyOf(lane, 'wait')).zcard(this.#keyOf(lane, 'prioritized'));
    const replies = (await pipeline.exec()) ?? [];
    return lanes.map((_, index) => Number(replies[2 * index]?.[1] ?? 0) + Number(replies[2 * index + 1]?.[1] ?? 0));
  }

  async waitForJob(seconds: number): Promise<void> {
    await this.#waiter.blpop(this.#names.wake, seconds);
  }

  stopWaiting(): void {
    this.#waiter.disconnect();
  }

  close(): void {
    for (const one of [this.#redis, this.#subscriber, this.#waiter]) one.disconnect();
  }

  #keyOf(lane: Lane, type: string): string {
    return `${this.#prefix}:${laneName(lane)}:${type}`;
  }
}

function addressOf(connection: QueueConnection): QueueConnection {
  const unix = typeof connection === 'string' ? /^unix:(\/.+)$/.exec(connection)?.[1] : undefined;
  return unix === undefined ? connection : { path: unix };
}
