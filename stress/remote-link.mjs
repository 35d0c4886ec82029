import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, open, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectSandbox } from '@mustard-sandbox/remote';
import { openBadLink } from './bad-link.mjs';
import { storeFiles, wrongFiles } from './remote-judge.mjs';
import { startServer } from './remote-network.mjs';

/** @typedef {import('./report.mjs').Report} Report */
/** @typedef {import('./bad-link.mjs').Badness} Badness */

const MB = 1_000_000;
/** Links as there are; each round takes the next one. */
const links = {
  'late and uneven': { delayMs: 20, jitterMs: 60 },
  'slow, in packets': { bytesPerSecond: 20 * MB, segmentBytes: 14_000 },
  'stands still': { stallEvery: 4 * MB, stallMs: 3_000 },
  'cut now and then': { cutEvery: 8 * MB },
  'cut often, in pieces': { cutEvery: 3 * MB, segmentBytes: 8_000 },
  'all of it': {
    delayMs: 1,
    jitterMs: 5,
    bytesPerSecond: 50 * MB,
    stallEvery: 20 * MB,
    stallMs: 1_000,
    cutEvery: 8 * MB,
  },
};
const kinds = Object.entries(links);
/** How a run may end whose connection was cut. */
const honest = ['connection_lost', 'sidecar_unavailable'];

/**
 * A file goes to a server and a large result comes back over links that are late, slow, stand still and are cut at any
 * byte, beside runs that call the host. Whatever comes is right, and what does not come says so.
 *
 * @param {{ rounds: number, megabytes: number, isolation: string }} options
 * @param {Report} report
 */
export async function run({ rounds, megabytes, isolation }, report) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'mustard-stress-remote-link-')));
  const store = join(folder, 'store');
  await mkdir(store);
  const server = await startServer(folder, [
    '--listen',
    '127.0.0.1:0',
    '--store',
    store,
    '--isolation',
    isolation === 'jail' ? 'jail' : 'process',
  ]);
  const figures = { rounds: 0, cuts: 0, stalls: 0, bytes: 0, runs: {}, tries: 0 };
  try {
    for (let round = 0; round < rounds; round++) {
      const [name, badness] = /** @type {[string, Badness]} */ (kinds[round % kinds.length]);
      report.progress(`remote-link: ${round}/${rounds} ${name}`);
      const link = await openBadLink(server.url, badness);
      const sandbox = connectSandbox({ url: link.url, cacheDir: join(folder, 'cache'), connectTimeoutMs: 60_000 });
      const path = join(folder, `file-${round}`);
      const sha256 = await write(path, megabytes * MB);
      await Promise.all([
        carryFile(sandbox, { path, megabytes, name }, figures, report),
        calls(sandbox, name, figures, report),
      ]);
      const blobs = await storeFiles(store);
      report.must(
        blobs.some((blob) => blob.endsWith(sha256)),
        `${name}: the file is not in the store`,
      );
      const wrong = await wrongFiles(blobs);
      report.must(wrong.length === 0, `${name}: ${wrong.length} files in the store are not what their names say`);
      await sandbox.close();
      link.close();
      figures.rounds++;
      for (const count of ['cuts', 'stalls', 'bytes']) figures[count] += link[count];
      await rm(path);
    }
    return figures;
  } finally {
    server.child.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
}

async function write(path, bytes) {
  const hash = createHash('sha256');
  const file = await open(path, 'w');
  for (let left = bytes; left > 0;) {
    const block = randomBytes(Math.min(left, MB));
    hash.update(block);
    await file.write(block);
    left -= block.length;
  }
  await file.close();
  return hash.digest('hex');
}

/** The upload goes on whatever happens; a run whose own connection is cut is asked for again, as a caller would. */
async function carryFile(sandbox, { path, megabytes, name }, figures, report) {
  for (;;) {
    figures.tries++;
    try {
      const { value } = await sandbox.run({
        script: `[file_stats('attachments:a').size, 'grüße '.repeat(500000)]`,
        scope: { attachments: [{ name: 'a', path }] },
      });
      const [size, text] = /** @type {[number, string]} */ (value);
      report.must(size === megabytes * MB && text === 'grüße '.repeat(500_000), `${name}: a wrong value came`);
      return;
    } catch (/** @type {any} */ error) {
      if (error.code !== 'connection_lost') throw error;
    }
  }
}

/** Each calls the host once, and never twice. */
async function calls(sandbox, name, figures, report) {
  const asked = new Map();
  const one = async (n) => {
    const ask = () => {
      asked.set(n, (asked.get(n) ?? 0) + 1);
      return `answer ${n}`;
    };
    let code = 'ok';
    try {
      const { value } = await sandbox.run({ script: 'ask()', hostFunctions: { ask } });
      report.must(value === `answer ${n}`, `${name}: a run got the answer of another`);
    } catch (/** @type {any} */ error) {
      code = String(error.code);
      report.must(honest.includes(code), `${name}: a run ended with ${code}: ${error.message}`);
    }
    figures.runs[code] = (figures.runs[code] ?? 0) + 1;
  };
  for (let n = 0; n < 100; n += 10) await Promise.all(Array.from({ length: 10 }, (_, index) => one(n + index)));
  const twice = [...asked.values()].filter((count) => count > 1).length;
  report.must(twice === 0, `${name}: ${twice} host functions were called twice by one run`);
}
