import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectSandbox } from '@mustard-sandbox/remote';
import { markedProcesses } from './processes.mjs';
import { halfFiles, leftAfter, openCounts, storeFiles, wrongFiles } from './remote-judge.mjs';
import { startServer } from './remote-network.mjs';
import { phases, play } from './remote-scenario.mjs';

/** @typedef {import('./report.mjs').Report} Report */

const clientProgram = fileURLToPath(new URL('remote-client.mjs', import.meta.url));
const fileBytes = 3_000_000;
/** Most phases take less; a kill may also come when everything is over. */
const longestWaitMs = { upload: 15, run: 40, 'host call': 40, artifact: 15, any: 400 };

/**
 * SIGKILL of a server or a client at random moments of an upload, a run, a call of a host function and a download. After
 * each: every file under its full name is whole, no run ran twice, no process is left, and the server goes on.
 *
 * @param {{ kills: number, lanes: number, isolation: string }} options
 * @param {Report} report
 */
export async function run({ kills, lanes, isolation }, report) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'mustard-stress-remote-kills-')));
  const figures = { kills: 0, server: 0, client: 0, phases: {}, codes: {}, restarts: 0 };
  let left = kills;
  const lane = async (index) => {
    const place = await openLane(join(folder, `lane-${index}`), isolation);
    try {
      while (left-- > 0) {
        report.sometimes(() => `remote-kills: ${figures.kills}/${kills}`);
        await round(place, figures, report);
      }
      await endsClean(place, report);
    } finally {
      await place.server?.stop();
    }
  };
  try {
    await Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
    return figures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function openLane(folder, isolation) {
  const token = randomBytes(32).toString('base64url');
  for (const name of ['files', 'cache', 'store']) await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, 'token'), token, { mode: 0o600 });
  const args = ['--listen', '127.0.0.1:0', '--store', join(folder, 'store'), '--token-file', join(folder, 'token')];
  const start = async () => {
    const server = await startServer(folder, [...args, '--isolation', isolation === 'jail' ? 'jail' : 'process']);
    const stop = async () => {
      if (server.child.exitCode !== null || server.child.signalCode !== null) return;
      server.child.kill('SIGTERM');
      await once(server.child, 'exit');
    };
    // Its first sidecar may take longer to start than a client waits that is to notice a kill soon.
    const first = connectSandbox({ url: server.url, token, cacheDir: join(folder, 'cache'), connectTimeoutMs: 60_000 });
    await first.warm();
    await first.close();
    return { ...server, stop };
  };
  return { folder, token, start, server: /** @type {any} */ (undefined), rounds: 0 };
}

async function round(place, figures, report) {
  const { folder, token } = place;
  if (place.server === undefined) {
    place.server = await place.start();
    figures.restarts++;
    const half = await halfFiles(join(folder, 'store'));
    report.must(half.length === 0, `a server that was started again keeps ${half.length} half files`);
  }
  const phase = phases[place.rounds % phases.length] ?? 'any';
  const side = Math.floor(place.rounds / phases.length) % 2 === 0 ? 'server' : 'client';
  const path = join(folder, 'files', `${place.rounds++}`);
  // Lines, and other ones in each round, so that each round uploads.
  await writeFile(path, `${randomBytes(48).toString('hex')}\n`.repeat(fileBytes / 97));
  const scene = { url: place.server.url, token, cacheDir: join(folder, 'cache'), path };
  const killed = side === 'server' ? await killServer(place, scene, phase) : await killClient(place, scene, phase);
  figures.kills++;
  figures[side]++;
  figures.phases[phase] = (figures.phases[phase] ?? 0) + 1;
  for (const code of killed.outcomes) figures.codes[code] = (figures.codes[code] ?? 0) + 1;
  const at = `after SIGKILL of the ${side} (${phase})`;
  const untyped = killed.outcomes.filter((code) => typeof code !== 'string');
  report.must(untyped.length === 0, `${at} ${untyped.length} runs ended without a code`);
  const twice = killed.began.length - new Set(killed.began).size;
  report.must(twice === 0, `${at} ${twice} runs ran twice`);
  const wrong = [
    ...(await wrongFiles(await storeFiles(join(folder, 'store')))),
    ...(await wrongFiles([scene.cacheDir])),
  ];
  report.must(wrong.length === 0, `${at} ${wrong.length} files are not what their names say`);
  await rm(path);
}

/** A moment in a phase: some time after it was reached first. */
function momentIn(phase) {
  let reached = () => {};
  const isReached = new Promise((resolve) => (reached = () => resolve(undefined)));
  const wait = () => sleep(Math.random() * longestWaitMs[phase]);
  return {
    reached: (name) => void (name === phase && reached()),
    come: async (over) => {
      if (phase !== 'any') await Promise.race([isReached, over]);
      await wait();
    },
  };
}

async function killServer(place, scene, phase) {
  const began = [];
  const moment = momentIn(phase);
  const played = play(scene, { began: (id) => void began.push(id), reached: moment.reached });
  await moment.come(played);
  const { child } = place.server;
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  place.server = undefined;
  const outcomes = await played;
  const orphans = await leftAfter(10_000, () => markedProcesses(place.folder));
  if (orphans.length > 0) throw new Error(`${orphans.length} processes outlived a server that was killed`);
  return { began, outcomes };
}

async function killClient(place, scene, phase) {
  const child = spawn(process.execPath, [clientProgram, scene.url, scene.token, scene.cacheDir, scene.path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const moment = momentIn(phase);
  let said = '';
  child.stdout.on('data', (text) => {
    said += text;
    for (const [, name = ''] of said.matchAll(/^reached\t(.+)$/gm)) moment.reached(name);
  });
  const closed = once(child, 'close');
  await moment.come(closed);
  child.kill('SIGKILL');
  await closed;
  const left = await leftAfter(20_000, async () => {
    const open = await openCounts(place.server.url, place.token);
    return open.connections + open.runs > 0 ? [open] : [];
  });
  if (left.length > 0) throw new Error(`the server still has ${JSON.stringify(left)} of a client that was killed`);
  return { began: [...said.matchAll(/^began\t(.+)$/gm)].map(([, id]) => id), outcomes: [] };
}

/** A server over everything that the kills left does its work, and ends with all of its processes. */
async function endsClean(place, report) {
  place.server ??= await place.start();
  const path = join(place.folder, 'files', 'last');
  await writeFile(path, 'the last line\n'.repeat(fileBytes / 14));
  const scene = { url: place.server.url, token: place.token, cacheDir: join(place.folder, 'cache'), path };
  const outcomes = await play({ ...scene, connectTimeoutMs: 60_000 }, { began() {}, reached() {} });
  report.must(
    outcomes.every((code) => code === 'ok'),
    `at the end runs fail: ${outcomes.join(', ')}`,
  );
  await place.server.stop();
  const orphans = await leftAfter(10_000, () => markedProcesses(place.folder));
  report.must(orphans.length === 0, `${orphans.length} processes outlived their server`);
}
