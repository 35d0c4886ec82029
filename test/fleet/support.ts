import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectFleet, fleetStatus, type FleetOptions, type FleetSandbox, type Key } from '@mustard-sandbox/fleet';
import { startWorker, type FleetWorker, type WorkerOptions } from '@mustard-sandbox/fleet/worker';
import { onTestFinished } from 'vitest';
import type { QueueServer } from './queues.ts';
import { RedisServer } from './redis.ts';

export const key = (id = 'first'): Key => ({ id, key: randomBytes(32) });

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'fleet-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** A queue, a store of files, and the keys of one tenant. */
export class Fleet<Server extends QueueServer = RedisServer> {
  readonly keys = [key()];
  readonly files = folder();
  readonly server: Server;

  private constructor(server: Server) {
    this.server = server;
  }

  static async start(): Promise<Fleet> {
    return await Fleet.with(() => RedisServer.start());
  }

  static async with<Server extends QueueServer>(start: () => Promise<Server>): Promise<Fleet<Server>> {
    return new Fleet(await start());
  }

  /** How many jobs of the tenant no worker has taken. */
  async waiting(): Promise<number> {
    const { tenants } = await fleetStatus(this.server.url, ['acme']);
    return tenants[0]?.waiting ?? 0;
  }

  client(options: Partial<FleetOptions> = {}): FleetSandbox {
    const { keys, files, server } = this;
    const sandbox = connectFleet({ connection: server.url, tenant: 'acme', keys, files, ...options });
    onTestFinished(() => sandbox.close());
    return sandbox;
  }

  async worker(options: Partial<WorkerOptions> = {}): Promise<FleetWorker> {
    const worker = await startWorker(this.workerOptions(options));
    onTestFinished(() => worker.close());
    return worker;
  }

  workerOptions(options: Partial<WorkerOptions> = {}): WorkerOptions {
    const { keys, files, server } = this;
    return {
      connection: server.url,
      tenants: [{ name: 'acme', keys }],
      files,
      cacheFolder: folder(),
      isolation: 'process',
      slots: 2,
      lostAfterMs: 1_500,
      drainMs: 0,
      ...options,
    };
  }
}

/** Something that is waited for. */
export function gate(): { passed: Promise<void>; pass: () => void } {
  let pass = (): void => {};
  const passed = new Promise<void>((resolve) => (pass = resolve));
  return { passed, pass };
}
