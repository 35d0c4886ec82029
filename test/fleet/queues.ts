import { afterAll, describe, onTestFinished } from 'vitest';
import { postgresPrograms, startPostgres, type PostgresServer } from '../../stress/postgres.mjs';
import { noRedis, RedisServer } from './redis.ts';

/** A server of a test's own that has the queue. */
export interface QueueServer {
  readonly url: string;
  start(): Promise<void>;
  /** As if it had crashed. */
  stop(): Promise<void>;
}

let postgres: Promise<PostgresServer> | undefined;

const queues = [
  { name: 'Redis', missing: noRedis, start: (): Promise<QueueServer> => RedisServer.start() },
  {
    name: 'PostgreSQL',
    missing: postgresPrograms === undefined ? 'PostgreSQL is not installed' : undefined,
    async start(): Promise<QueueServer> {
      // To make its files takes a second, so the tests of a file have databases of one server.
      const server = await (postgres ??= startPostgres(postgresPrograms as string));
      onTestFinished(() => server.start().catch(() => {}));
      return { url: server.database(), start: () => server.start(), stop: () => server.stop() };
    },
  },
];

/** The same tests with the queue in Redis and in PostgreSQL. */
export function onEachQueue(title: string, tests: (start: () => Promise<QueueServer>) => void): void {
  for (const { name, missing, start } of queues) {
    describe.skipIf(missing)(`${title}, with the queue in ${name}`, () => {
      afterAll(async () => {
        const server = await postgres;
        postgres = undefined;
        await server?.close();
      });
      tests(start);
    });
  }
}
