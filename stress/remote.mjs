import { createHash, randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectSandbox } from '@mustard-sandbox/remote';
import { markedProcesses } from './processes.mjs';
import { openNetwork } from './remote-network.mjs';

/** @typedef {import('./report.mjs').Report} Report */

const clientProgram = fileURLToPath(new URL('remote-client.mjs', import.meta.url));
const MB = 1_000_000;
const size = `file_stats('attachments:a').size`;

/**
 * A server on another network and another disk: many calls at once, an upload that is cut again and again, and kills at
 * random moments.
 *
 * @param {{ calls: number, kills: number, cuts: number, megabytes: number, isolation: string }} options
 * @param {Report} report
 */
export async function run({ calls, kills, cuts, megabytes, isolation }, report) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'mustard-stress-remote-')));
  const files = join(folder, 'files');
  await mkdir(files);
  const token = randomBytes(32).toString('base64url');
  await writeFile(join(folder, 'token'), token, { mode: 0o600 });
  const network = openNetwork(files);
  const store = join(folder, 'store');
  const place = ['--listen', network.listen, '--store', store, '--token-file', join(folder, 'token')];
  const start = () => network.start(folder, [...place, '--isolation', isolation === 'jail' ? 'jail' : 'auto']);
  const client = (url, connectTimeoutMs = 60_000) =>
    connectSandbox({ url, token, cacheDir: join(folder, 'cache'), connectTimeoutMs });
  const world = { start, client, files, store, report, token, folder };
  report.progress(`remote: ${network.how}`);
  try {
    const figures = {
      network: network.how,
      ...(await manyCalls(world, calls)),
      clients: await manyClients(world, Math.ceil(calls / 10)),
      ...(await cutUpload(world, { cuts, bytes: megabytes * MB })),
      ...(await randomKills(world, kills)),
    };
    const wrong = await wrongFiles(await storeFiles(store));
    report.must(wrong.length === 0, `${wrong.length} files in the store are not what their names say`);
    return figures;
  } finally {
    network.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function stop({ child }) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function manyCalls({ start, client, report }, calls) {
  const server = await start();
  const sandbox = client(server.url);
  await sandbox.warm();
  const startedAt = performance.now();
  let done = 0;
  let wrong = 0;
  const next = async () => {
    while (done < calls) {
      const n = done++;
      report.sometimes(() => `remote: ${done}/${calls} calls`);
      const { value } = await sandbox.run({ script: 'n * 2', inputs: { n } });
      if (value !== 2 * n) wrong++;
    }
  };
  await Promise.all(Array.from({ length: Math.min(calls, 500) }, next));
  const seconds = (performance.now() - startedAt) / 1000;
  report.must(wrong === 0, `${wrong} of ${calls} calls got the answer of another`);
  await sandbox.close();
  await stop(server);
  return { calls, callsPerSecond: Math.round(calls / seconds) };
}

/** What a server does, and holds, for so many clients that each have one call after another. */
async function manyClients({ start, client, token }, calls) {
  const rows = [];
  for (const clients of [1, 4, 16, 64]) {
    const server = await start();
    const before = await residentBytes(server.url, token);
    const sandboxes = Array.from({ length: clients }, () => client(server.url));
    await Promise.all(sandboxes.map((sandbox) => sandbox.warm()));
    const startedAt = performance.now();
    let left = calls;
    const work = async (sandbox) => {
      while (left-- > 0) await sandbox.run({ script: '1 + 1' });
    };
    await Promise.all(sandboxes.map(work));
    const callsPerSecond = Math.round((calls * 1000) / (performance.now() - startedAt));
    const bytes = (await residentBytes(server.url, token)) - before;
    rows.push({ clients, callsPerSecond, kilobytesPerClient: Math.round(bytes / clients / 1000) });
    await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
    await stop(server);
  }
  return rows;
}

async function residentBytes(url, token) {
  return (await gauges(url, token)).residentBytes;
}

async function gauges(url, token) {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const text = await response.text();
  const gauge = (name) => Number(new RegExp(`^mustard_sandbox_${name} (\\d+)$`, 'm').exec(text)?.[1]);
  return { residentBytes: gauge('resident_bytes'), connections: gauge('connections'), runs: gauge('runs') };
}

/** A way to the server that breaks after so many bytes, as often as is wanted. */
async function openCutter(url, { cuts, every }) {
  const { hostname, port } = new URL(url);
  const state = { cuts: 0, url: '', close: () => server.close() };
  const server = createServer((socket) => {
    const other = connect(Number(port), hostname);
    let bytes = 0;
    socket.on('error', () => {}).on('close', () => other.destroy());
    other.on('error', () => {}).on('close', () => socket.destroy());
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes > every && state.cuts < cuts) {
        state.cuts++;
        return void socket.destroy();
      }
      if (!other.write(chunk)) socket.pause();
    });
    other.on('drain', () => socket.resume()).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  state.url = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`;
  return state;
}

async function cutUpload({ start, client, files, report }, { cuts, bytes }) {
  const path = join(files, 'large');
  const file = await open(path, 'w');
  // Mostly a hole, so that the disk needs room for one copy and not two; what tells the places apart is random.
  await file.truncate(bytes);
  for (let at = 0; at < bytes; at += 64 * MB) await file.write(randomBytes(16), 0, 16, at);
  await file.close();
  const server = await start();
  const cutter = await openCutter(server.url, { cuts, every: Math.floor(bytes / (cuts + 1)) });
  const sandbox = client(cutter.url);
  const startedAt = performance.now();
  const { value } = await sandbox.run({ script: size, scope: { attachments: [{ name: 'a', path }] } });
  const seconds = (performance.now() - startedAt) / 1000;
  report.must(value === bytes, `an upload of ${bytes} bytes with ${cutter.cuts} cuts came as ${value}`);
  await sandbox.close();
  cutter.close();
  await stop(server);
  return { uploadBytes: bytes, cuts: cutter.cuts, uploadBytesPerSecond: Math.round(bytes / seconds) };
}

/** Each round: a fresh server, an upload and runs under way, and SIGKILL for the server or for the client. */
async function randomKills(world, kills) {
  const { start, files, store, report, folder } = world;
  const codes = {};
  const seen = { twice: 0, untyped: 0 };
  for (let round = 0; round < kills; round++) {
    report.sometimes(() => `remote: ${round}/${kills} kills`);
    const server = await start();
    const path = join(files, `killed-${round}`);
    await writeFile(path, randomBytes(20 * MB));
    const killed = round % 2 === 0 ? killServer : killClient;
    const { began, outcomes } = await killed(world, server, path);
    for (const code of outcomes) {
      if (typeof code !== 'string') seen.untyped++;
      codes[code] = (codes[code] ?? 0) + 1;
    }
    seen.twice += began.length - new Set(began).size;
    await stop(server);
    await rm(path);
  }
  report.must(seen.twice === 0, `${seen.twice} runs ran twice`);
  report.must(seen.untyped === 0, `${seen.untyped} runs ended without a code`);
  for (const place of [await storeFiles(store), await filesOf(join(folder, 'cache'))]) {
    const wrong = await wrongFiles(place);
    report.must(wrong.length === 0, `${wrong.length} files are not what their names say`);
  }
  const orphans = await leftAfter(10_000, () => markedProcesses(folder));
  report.must(orphans.length === 0, `${orphans.length} processes outlived their server`);
  return { kills, codes };
}

async function killServer({ client }, { url, child }, path) {
  const sandbox = client(url, 500);
  const began = [];
  const runs = Array.from({ length: 8 }, (_, id) =>
    sandbox.run({
      script: `began(id); ${size}`,
      inputs: { id },
      hostFunctions: { began: (id) => void began.push(id) },
      scope: { attachments: [{ name: 'a', path }] },
    }),
  );
  const settled = Promise.allSettled(runs);
  await sleep(Math.random() * 1_500);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const outcomes = (await settled).map((one) => (one.status === 'fulfilled' ? 'ok' : one.reason?.code));
  await sandbox.close();
  return { began, outcomes };
}

/** The server has to notice, and to end what nobody waits for any more. */
async function killClient({ token, folder, report }, { url }, path) {
  const args = [clientProgram, url, token, join(folder, 'cache'), path];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (text) => (said += text));
  const closed = once(child, 'close');
  // From its start, which takes most of this, to its last result.
  await sleep(Math.random() * 1_500);
  child.kill('SIGKILL');
  await closed;
  const left = await leftAfter(20_000, async () => {
    const open = await gauges(url, token);
    return open.connections + open.runs > 0 ? [open] : [];
  });
  report.must(left.length === 0, `the server still has ${JSON.stringify(left)} of a client that was killed`);
  return { began: said.split('\n').filter(Boolean), outcomes: [] };
}

/** What is still there after a while. */
async function leftAfter(ms, look) {
  const until = performance.now() + ms;
  let left = await look();
  while (left.length > 0 && performance.now() < until) {
    await sleep(100);
    left = await look();
  }
  return left;
}

async function filesOf(folder) {
  const names = await readdir(folder).catch(() => []);
  return names.map((name) => join(folder, name));
}

async function storeFiles(store) {
  const tenants = (await readdir(store, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  return (await Promise.all(tenants.map(({ name }) => filesOf(join(store, name, 'blobs'))))).flat();
}

/** Files that are named by a hash and have another one. */
async function wrongFiles(paths) {
  const wrong = [];
  for (const path of paths) {
    if (basename(path).startsWith('.partial-')) continue;
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    if (hash.digest('hex') !== basename(path)) wrong.push(path);
  }
  return wrong;
}
