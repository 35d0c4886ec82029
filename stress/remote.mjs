import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, realpath, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectSandbox } from '@mustard-sandbox/remote';
import { storeFiles, openCounts, wrongFiles } from './remote-judge.mjs';
import { openNetwork } from './remote-network.mjs';

/** @typedef {import('./report.mjs').Report} Report */

const MB = 1_000_000;
const size = `file_stats('attachments:a').size`;
/** Calls of one token at a time: a server queues 1000 for each, and takes as many requests a second. */
const perToken = 800;

/**
 * A server on another network and another disk: many calls at once, and an upload that is cut again and again.
 *
 * @param {{ calls: number, cuts: number, megabytes: number, isolation: string }} options
 * @param {Report} report
 */
export async function run({ calls, cuts, megabytes, isolation }, report) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'mustard-stress-remote-')));
  const files = join(folder, 'files');
  await mkdir(files);
  const tokens = Array.from({ length: Math.max(1, Math.ceil(calls / perToken)) }, () =>
    randomBytes(32).toString('base64url'),
  );
  const [token = ''] = tokens;
  const lines = tokens.map((each, at) => `client${at} ${each}`);
  await writeFile(join(folder, 'token'), lines.join('\n'), { mode: 0o600 });
  const network = openNetwork(files);
  const store = join(folder, 'store');
  const place = ['--listen', network.listen, '--store', store, '--token-file', join(folder, 'token')];
  const start = () => network.start(folder, [...place, '--isolation', isolation === 'jail' ? 'jail' : 'auto']);
  const client = (url, by = token) =>
    connectSandbox({ url, token: by, cacheDir: join(folder, 'cache'), connectTimeoutMs: 60_000 });
  const world = { start, client, files, report, tokens };
  report.progress(`remote: ${network.how}`);
  try {
    const figures = {
      network: network.how,
      ...(await manyCalls(world, calls)),
      byClients: await manyClients(world, Math.ceil(calls / 10)),
      ...(await cutUpload(world, { cuts, bytes: megabytes * MB })),
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

/** All of them at once, by as many clients as that takes. */
async function manyCalls({ start, client, report, tokens }, calls) {
  const server = await start();
  const sandboxes = tokens.map((each) => client(server.url, each));
  await Promise.all(sandboxes.map((sandbox) => sandbox.warm()));
  const startedAt = performance.now();
  let done = 0;
  let wrong = 0;
  const call = async (n) => {
    const { value } = await sandboxes[n % sandboxes.length].run({ script: 'n * 2', inputs: { n } });
    if (value !== 2 * n) wrong++;
    done++;
    report.sometimes(() => `remote: ${done}/${calls} calls`);
  };
  await Promise.all(Array.from({ length: calls }, (_, n) => call(n)));
  const seconds = (performance.now() - startedAt) / 1000;
  report.must(wrong === 0, `${wrong} of ${calls} calls got the answer of another`);
  await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
  await stop(server);
  return { calls, clients: sandboxes.length, callsPerSecond: Math.round(calls / seconds) };
}

/** What a server does, and holds, for so many clients that each have one call after another. */
async function manyClients({ start, client, tokens }, calls) {
  const [token] = tokens;
  const rows = [];
  for (const clients of [1, 4, 16, 64]) {
    const server = await start();
    const before = (await openCounts(server.url, token)).residentBytes;
    const sandboxes = Array.from({ length: clients }, () => client(server.url));
    await Promise.all(sandboxes.map((sandbox) => sandbox.warm()));
    const startedAt = performance.now();
    let left = calls;
    const work = async (sandbox) => {
      while (left-- > 0) await sandbox.run({ script: '1 + 1' });
    };
    await Promise.all(sandboxes.map(work));
    const callsPerSecond = Math.round((calls * 1000) / (performance.now() - startedAt));
    const bytes = (await openCounts(server.url, token)).residentBytes - before;
    rows.push({ clients, callsPerSecond, kilobytesPerClient: Math.round(bytes / clients / 1000) });
    await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
    await stop(server);
  }
  return rows;
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
