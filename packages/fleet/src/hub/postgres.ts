import { setTimeout as delay } from 'node:timers/promises';
import { PostgresConnection, PostgresQueueBackend, Queue, Worker, type QueueOptions, type WorkerOptions } from 'bullmq';
import { SandboxError } from '@mustard-sandbox/protocol';
import { laneName, type Lane, type Names } from '../wire/names.ts';
import type { Hub, HubOptions, Notice, Sought } from './hub.ts';
import { Notices } from './notices.ts';
import { patiently } from './patience.ts';

/** Two slots of a worker ask for little at the same time, and a server has 100 connections. */
const mostConnections = 4;

// The jobs are in the tables of BullMQ, in the same schema.
const tables = `
  CREATE TABLE IF NOT EXISTS fleet_entry (key text PRIMARY KEY, value bytea NOT NULL, until timestamptz NOT NULL);
  CREATE TABLE IF NOT EXISTS fleet_backlog (lane text PRIMARY KEY);`;

/** A hub in PostgreSQL. */
export class PostgresHub implements Hub {
  readonly #connection: PostgresConnection;
  readonly #notices: Notices;
  readonly #names: Names;
  readonly #closing: AbortController;
  #wakes = 0;
  #isStopped = false;
  #wake: () => void = () => {};

  private constructor(connection: PostgresConnection, notices: Notices, names: Names, closing: AbortController) {
    this.#connection = connection;
    this.#notices = notices;
    this.#names = names;
    this.#closing = closing;
    connection.on('error', () => {});
    // This covers what was announced while nobody could hear it.
    notices.onReady(() => this.#wakeUp());
  }

  static async open({
    connection: address,
    prefix,
    names,
    closing: given,
  }: HubOptions & { connection: string }): Promise<Hub> {
    const { default: pg } = await import('pg').catch((cause: unknown) => {
      const message = 'A queue in PostgreSQL needs the package pg. Install it beside this one.';
      throw new SandboxError('invalid_request', message, { cause });
    });
    const closing = new AbortController();
    given?.addEventListener('abort', () => closing.abort(), { once: true });
    const config = { connectionString: address, schema: prefix, migrate: true, max: mostConnections };
    const connection = await patiently(closing.signal, async () => {
      const made = new PostgresConnection(config);
      made.on('error', () => {});
      try {
        await made.waitUntilReady();
        // Without the lock, two hubs that begin at once would both make the tables.
        await made.pool.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtext('${prefix}:fleet')); ${tables} COMMIT`);
        return made;
      } catch (error) {
        await made.close();
        throw error;
      }
    });
    const notices = new Notices(() => new pg.Client({ connectionString: address, keepAlive: true }));
    await patiently(closing.signal, () => notices.start());
    return new PostgresHub(connection, notices, names, closing);
  }

  get isConnected(): boolean {
    return this.#notices.isConnected;
  }

  openQueue(lane: Lane, options: Omit<QueueOptions, 'connection'>): Queue {
    return new Queue(laneName(lane), { ...options, connection: {} }, (name, given) =>
      this.#backend(name, given),
    ) as unknown as Queue;
  }

  openWorker(lane: Lane, options: Omit<WorkerOptions, 'connection'>): Worker {
    const all = { ...options, connection: {} };
    return new Worker(laneName(lane), null, all, (name, given) => this.#backend(name, given)) as unknown as Worker;
  }

  async now(): Promise<number> {
    const [row] = await this.#query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms', []);
    return Number(row?.['ms']);
  }

  async patiently<T>(work: () => Promise<T>): Promise<T> {
    return await patiently(this.#closing.signal, work);
  }

  async put(key: string, value: string | Buffer, forMs: number, tell?: Notice): Promise<void> {
    const insert = `INSERT INTO fleet_entry VALUES ($1, $2, ${until(3)})
      ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, until = EXCLUDED.until`;
    const values = [key, Buffer.from(value), forMs];
    if (tell === undefined) await this.#query(insert, values);
    else {
      const sql = `WITH entry AS (${insert}) SELECT pg_notify($4, $5)`;
      await this.#query(sql, [...values, Notices.nameOf(tell.channel), tell.text]);
    }
  }

  async putNew(key: string, forMs: number): Promise<boolean> {
    await this.#query('DELETE FROM fleet_entry WHERE until < clock_timestamp()', []);
    const sql = `INSERT INTO fleet_entry VALUES ($1, '1', ${until(2)}) ON CONFLICT (key) DO NOTHING RETURNING key`;
    return (await this.#query(sql, [key, forMs])).length > 0;
  }

  async remove(key: string): Promise<void> {
    await this.#query('DELETE FROM fleet_entry WHERE key = $1', [key]);
  }

  async areThere(keys: readonly string[]): Promise<boolean[]> {
    const sql = 'SELECT key FROM fleet_entry WHERE key = ANY($1) AND until > clock_timestamp()';
    const found = new Set((await this.#query(sql, [keys])).map(({ key }) => key));
    return keys.map((key) => found.has(key));
  }

  async valuesOf(start: string): Promise<string[]> {
    const sql = 'SELECT value FROM fleet_entry WHERE starts_with(key, $1) AND until > clock_timestamp()';
    return (await this.#query(sql, [start])).map(({ value }) => String(value));
  }

  async look(jobs: readonly Sought[]): Promise<{ answer: Buffer | null; isThere: boolean }[]> {
    // The jobs are read first, because a worker writes the answer before it removes the job.
    const pairs = [jobs.map(({ lane }) => laneName(lane)), jobs.map(({ id }) => id)];
    const sql = 'SELECT id FROM job JOIN unnest($1::text[], $2::text[]) AS sought (q, i) ON queue = q AND id = i';
    const there = new Set((await this.#query(sql, pairs)).map(({ id }) => id));
    const taken = await this.#query('DELETE FROM fleet_entry WHERE key = ANY($1) RETURNING key, value', [
      jobs.map(({ answer }) => answer),
    ]);
    const answers = new Map(taken.map(({ key, value }) => [key, value as Buffer]));
    return jobs.map(({ id, answer }) => ({ answer: answers.get(answer) ?? null, isThere: there.has(id) }));
  }

  async publish({ channel, text }: Notice): Promise<void> {
    await this.#query('SELECT pg_notify($1, $2)', [Notices.nameOf(channel), text]);
  }

  async subscribe(channels: readonly string[], hear: (text: string) => void): Promise<void> {
    for (const channel of channels) await this.#notices.listen(channel, hear);
  }

  onBroken(listener: () => void): void {
    this.#notices.onBroken(listener);
  }

  onReady(listener: () => void): void {
    this.#notices.onReady(listener);
  }

  async announce(lanes: readonly Lane[]): Promise<void> {
    if (lanes.length === 0) return;
    const sql = 'INSERT INTO fleet_backlog SELECT unnest($1::text[]) ON CONFLICT DO NOTHING';
    await this.#query(sql, [lanes.map(laneName)]);
    await this.publish({ channel: this.#names.wake, text: '' });
  }

  async backlog(): Promise<string[]> {
    return (await this.#query('SELECT lane FROM fleet_backlog', [])).map(({ lane }) => String(lane));
  }

  async forget(lane: Lane): Promise<void> {
    await this.#query('DELETE FROM fleet_backlog WHERE lane = $1', [laneName(lane)]);
  }

  async waiting(lanes: readonly Lane[]): Promise<number[]> {
    const sql = `SELECT queue, count(*) AS n FROM job WHERE queue = ANY($1) AND state = 'waiting' GROUP BY queue`;
    const rows = await this.#query(sql, [lanes.map(laneName)]);
    const counts = new Map(rows.map(({ queue, n }) => [queue, Number(n)]));
    return lanes.map((lane) => counts.get(laneName(lane)) ?? 0);
  }

  async waitForJob(seconds: number): Promise<void> {
    if (!this.#notices.has(this.#names.wake)) await this.#notices.listen(this.#names.wake, () => this.#wakeUp());
    // Something that came since the last wait may be a job that nobody has looked for.
    if (this.#wakes === 0 && !this.#isStopped) {
      const woken = new Promise<void>((resolve) => (this.#wake = resolve));
      const over = new AbortController();
      await Promise.race([woken, delay(seconds * 1_000, undefined, { signal: over.signal }).catch(() => {})]);
      over.abort();
    }
    this.#wakes = 0;
  }

  stopWaiting(): void {
    this.#isStopped = true;
    this.#wakeUp();
  }

  close(): void {
    this.#closing.abort();
    this.stopWaiting();
    this.#notices.stop();
    void this.#connection.close().catch(() => {});
  }

  #wakeUp(): void {
    this.#wakes++;
    this.#wake();
  }

  /** The lanes share the connections of this hub. */
  #backend(name: string, options: unknown): PostgresQueueBackend {
    type Options = ConstructorParameters<typeof PostgresQueueBackend>[2];
    return new PostgresQueueBackend(this.#connection, name, options as Options, false);
  }

  async #query(sql: string, values: unknown[]): Promise<Record<string, unknown>[]> {
    const { rows } = await patiently(this.#closing.signal, () => this.#connection.pool.query(sql, values));
    return rows as Record<string, unknown>[];
  }
}

/** SQL for a time this many ms from now. The number is a parameter. */
const until = (parameter: number): string => `clock_timestamp() + $${parameter}::float8 * interval '1 ms'`;
