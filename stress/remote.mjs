import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectSandbox } from '@mustard-sandbox/remote';
import { openNetwork } from './remote-network.mjs';

/** @typedef {import('./report.mjs').Report} Report */

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
  const start = () => network.start([...place, '--isolation', isolation === 'jail' ? 'jail' : 'auto']);
  const client = (url, connectTimeoutMs = 60_000) =>
    connectSandbox({ url, token, cacheDir: join(folder, 'cache'), connectTimeoutMs });
  const world = { start, client, files, store, report, token };
  report.progress(`remote: ${network.how}`);
  try {
    const figures = {
      network: network.how,
      ...(await manyCalls(world, calls)),
      clients: await manyClients(world, Math.ceil(calls / 10)),
      ...(await cutUpload(world, { cuts, bytes: megabytes * MB })),
      ...(await randomKills(world, kills)),
    };
    report.must((await wrongBlobs(store)).length === 0, 'a file in the store is not what its name says');
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
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  return Number(/^mustard_sandbox_resident_bytes (\d+)$/m.exec(await response.text())?.[1]);
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

/** Each round: a fresh server, an upload and runs under way, and a kill of the server or an end of the client. */
async function randomKills({ start, client, files, store, report }, kills) {
  let twice = 0;
  let untyped = 0;
  const codes = {};
  for (let round = 0; round < kills; round++) {
    report.sometimes(() => `remote: ${round}/${kills} kills`);
    const server = await start();
    const sandbox = client(server.url, 500);
    const path = join(files, `killed-${round}`);
    await writeFile(path, randomBytes(20 * MB));
    const called = new Map();
    const began = (id) => void called.set(id, (called.get(id) ?? 0) + 1);
    const runs = Array.from({ length: 8 }, (_, id) =>
      sandbox.run({
        script: `began(id); ${size}`,
        inputs: { id },
        hostFunctions: { began },
        scope: { attachments: [{ name: 'a', path }] },
      }),
    );
    const outcomes = Promise.allSettled(runs);
    await sleep(Math.random() * 400);
    const ofServer = round % 2 === 0;
    if (ofServer) {
      server.child.kill('SIGKILL');
      await once(server.child, 'exit');
      await outcomes;
    }
    await sandbox.close();
    for (const outcome of await outcomes) {
      const code = outcome.status === 'fulfilled' ? 'ok' : outcome.reason?.code;
      if (typeof code !== 'string') untyped++;
      codes[code] = (codes[code] ?? 0) + 1;
    }
    twice += [...called.values()].filter((times) => times > 1).length;
    if (!ofServer) await stop(server);
    await rm(path);
  }
  report.must(twice === 0, `${twice} runs ran twice`);
  report.must(untyped === 0, `${untyped} runs ended without a code`);
  const wrong = await wrongBlobs(store);
  report.must(wrong.length === 0, `${wrong.length} files of the store are not what their names say`);
  return { kills, codes };
}

async function wrongBlobs(store) {
  const wrong = [];
  for (const tenant of await readdir(store, { withFileTypes: true })) {
    if (!tenant.isDirectory()) continue;
    const blobs = join(store, tenant.name, 'blobs');
    for (const name of await readdir(blobs)) {
      if (name.startsWith('.partial-')) continue;
      const hash = createHash('sha256');
      await pipeline(createReadStream(join(blobs, name)), hash);
      if (hash.digest('hex') !== name) wrong.push(name);
    }
  }
  return wrong;
}
