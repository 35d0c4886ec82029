import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { userInfo } from 'node:os';
import { join } from 'node:path';

const installed = '/usr/lib/postgresql';

/** Where the programs of Postgres are; `undefined` where it is not installed. */
export const postgresPrograms = placesOf().find((folder) =>
  ['initdb', 'createdb', 'postgres'].every((program) => existsSync(join(folder, program))),
);

/**
 * A server of Postgres that belongs to whoever starts it: its data are in a folder, and it listens in that folder alone.
 *
 * @typedef {object} PostgresServer
 * @property {() => string} database makes a new and empty database, and gives its address
 * @property {() => Promise<void>} stop as it ends in a crash: nobody is waited for, and what was written is found in its log
 * @property {() => Promise<void>} start does nothing where it runs
 * @property {() => Promise<void>} close
 */

/** @param {string} programs @returns {Promise<PostgresServer>} */
export async function startPostgres(programs) {
  // The path of a socket has at most 107 bytes.
  const folder = mkdtempSync('/tmp/runs-pg-');
  const user = userOf();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const how = { ...user, cwd: folder, env: { PATH: process.env['PATH'] ?? '' } };
  /** @param {string} program @param {string[]} args */
  const run = (program, args) => {
    const { status, stderr, error } = spawnSync(join(programs, program), args, { ...how, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program}: ${stderr}`, { cause: error });
  };
  run('initdb', ['-D', data, '-A', 'trust', '-U', 'tester', '--no-sync', '-E', 'UTF8', '--locale=C.UTF-8']);
  const options = ['-c', 'listen_addresses=', '-c', `unix_socket_directories=${folder}`, '-c', 'fsync=off'];
  /** @type {(() => Promise<void>) | undefined} */
  let stop;
  const start = async () => {
    if (stop !== undefined) return;
    const server = spawn(join(programs, 'postgres'), ['-D', data, ...options], {
      ...how,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(server, 'close').then(() => void (stop = undefined));
    stop = async () => {
      server.kill('SIGQUIT');
      await ended;
    };
    let said = '';
    await new Promise((resolve, reject) => {
      server.stderr.on('data', (chunk) => {
        said = (said + String(chunk)).slice(-10_000);
        if (said.includes('ready to accept connections')) resolve(undefined);
      });
      server.once('close', () => reject(new Error(said)));
    });
  };
  await start();
  let count = 0;
  return {
    database: () => {
      const name = `test${++count}`;
      run('createdb', ['-h', folder, '-U', 'tester', name]);
      return `postgres://tester@${encodeURIComponent(folder)}/${name}`;
    },
    start,
    stop: async () => stop?.(),
    close: async () => {
      await stop?.();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function placesOf() {
  const own = existsSync(installed) ? readdirSync(installed).map((version) => join(installed, version, 'bin')) : [];
  return [...own, ...(process.env['PATH'] ?? '').split(':')];
}

/** Postgres refuses to run as root. @returns {{ uid: number, gid: number } | undefined} */
function userOf() {
  if (userInfo().uid !== 0) return undefined;
  const id = (option) => Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout);
  return { uid: id('-u'), gid: id('-g') };
}
