import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';

/** Why there is no Redis for tests; `undefined` where there is one. */
export const noRedis =
  spawnSync('redis-server', ['--version']).status === 0 ? undefined : 'redis-server is not installed';

/** A Redis of a test's own, on a socket in a folder of its own. It keeps what it is told, as one of a fleet should. */
export class RedisServer {
  readonly url: string;
  readonly folder = mkdtempSync(join(tmpdir(), 'fleet-redis-'));
  #child: ChildProcess | undefined;

  constructor() {
    this.url = `unix:${join(this.folder, 'redis.sock')}`;
  }

  static async start(): Promise<RedisServer> {
    const server = new RedisServer();
    onTestFinished(() => server.remove());
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const { folder } = this;
    const options = { port: '0', unixsocket: join(folder, 'redis.sock'), dir: folder, save: '', appendonly: 'yes' };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    const child = spawn('redis-server', [...args, '--appendfsync', 'always'], { stdio: 'ignore' });
    this.#child = child;
    const client = this.client();
    await client.ping();
    client.disconnect();
  }

  /** A connection for a test to look or to attack with. */
  client(): Redis {
    const client = new Redis({
      path: join(this.folder, 'redis.sock'),
      maxRetriesPerRequest: null,
      retryStrategy: () => 20,
    });
    client.on('error', () => {});
    onTestFinished(() => client.disconnect());
    return client;
  }

  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
