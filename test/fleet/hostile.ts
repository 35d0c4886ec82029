import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

/** Adds a job as whoever can write to Redis. */
export async function inject(link: Redis, tenant: string, id: string, data: unknown): Promise<void> {
  const queue = new Queue(tenant, { connection: link, prefix: 'mustard' });
  await queue.add('job', data, { jobId: id });
  await link.sadd('mustard:backlog', tenant);
  await link.lpush('mustard:wake', '1');
}

/** What is in a job that is as it should be. */
export function jobBody(): Record<string, unknown> {
  const now = Date.now();
  return {
    ...{ version: 1, kind: 'run', submittedAt: now, expiresAt: now + 600_000, script: '6 * 7', engine: 'auto' },
    ...{ console: false, hostFunctions: [], hasRoot: false, files: [] },
  };
}
