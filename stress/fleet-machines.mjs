import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { postgresPrograms, startPostgres } from './postgres.mjs';

const command = fileURLToPath(new URL('../packages/cli/dist/main.js', import.meta.url));

/** Why there can be no fleet here; `undefined` where there can. @param {'redis' | 'postgres'} [queue] */
export function whyNoFleet(queue = 'redis') {
  if (queue === 'postgres') return postgresPrograms === undefined ? 'PostgreSQL is not installed' : undefined;
  return spawnSync('redis-server', ['--version']).status === 0 ? undefined : 'redis-server is not installed';
}

/** A queue and workers, each a process of its own that can be killed, in a folder that goes with them. */
export class Machines {
  folder = mkdtempSync(join(tmpdir(), 'fleet-'));
  connection = `unix:${join(this.folder, 'redis.sock')}`;
  files = join(this.folder, 'shared');
  keys = [{ id: 'first', key: randomBytes(32) }];
  /** @type {import('node:child_process').ChildProcess[]} */
  workers = [];
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #redis;
  /** @type {import('./postgres.mjs').PostgresServer | undefined} */
  #postgres;
  #isolation;
  #queue;

  /** @param {string} isolation @param {'redis' | 'postgres'} [queue] */
  constructor(isolation, queue = 'redis') {
    this.#isolation = isolation;
    this.#queue = queue;
    writeFileSync(join(this.folder, 'keys'), `acme first ${this.keys[0]?.key.toString('base64')}\n`, { mode: 0o600 });
  }

  async startQueue() {
    if (this.#queue === 'postgres') await this.#startPostgres();
    else await this.#startRedis();
  }

  /** As it ends in a crash. */
  async killQueue() {
    await this.#postgres?.stop();
    rmSync(join(this.folder, 'redis.sock'), { force: true });
    await this.#kill(this.#redis);
  }

  async #startPostgres() {
    if (this.#postgres !== undefined) return await this.#postgres.start();
    this.#postgres = await startPostgres(/** @type {string} */ (postgresPrograms));
    this.connection = this.#postgres.database();
  }

  async #startRedis() {
    const { folder } = this;
    const socket = join(folder, 'redis.sock');
    const where = ['--port', '0', '--unixsocket', socket, '--dir', folder];
    // What Redis has said yes to is on the disk.
    const how = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];
    this.#redis = spawn('redis-server', [...where, ...how], { stdio: 'ignore' });
    while (!existsSync(socket)) await sleep(20);
  }

  async startWorker() {
    const { folder, connection, files } = this;
    const where = [
      '--queue',
      connection,
      '--keys',
      join(folder, 'keys'),
      '--files',
      files,
      '--cache',
      join(folder, 'cache'),
    ];
    const how = ['--isolation', this.#isolation, '--slots', '1', '--lost-after', '2s', '--json'];
    const worker = spawn(process.execPath, [command, 'worker', ...where, ...how], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.workers.push(worker);
    await Promise.race([once(worker.stdout, 'data'), once(worker, 'exit')]);
  }

  /** Kills any of the workers. */
  async killWorker() {
    const [worker] = this.workers.splice(Math.floor(Math.random() * this.workers.length), 1);
    await this.#kill(worker);
  }

  async close() {
    await Promise.all([...this.workers, this.#redis].map((child) => this.#kill(child)));
    await this.#postgres?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** @param {import('node:child_process').ChildProcess | undefined} child */
  async #kill(child) {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}
