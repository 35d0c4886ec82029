import { spawn } from 'node:child_process';
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createWorkspaces } from '@mustard-sandbox/bash-tools';

/** @typedef {import('./report.mjs').Report} Report */

const host = fileURLToPath(new URL('bash-host.mjs', import.meta.url));
/** The guard of a host that is gone looks for three seconds; a busy machine takes longer. */
const graceMs = 20_000;
const quietMs = 500;
const hostsAtOnce = 2;
const chats = 50;

/**
 * Hosts of workspaces killed at any moment leave nothing running and no workspace torn; many chats share two places.
 *
 * @param {{ times: number }} options
 * @param {Report} report
 */
export async function run({ times }, report) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'stress-bash-')));
  try {
    const queue = await shareTwoPlaces(join(folder, 'queue'), report);
    let left = times;
    const totals = { kept: 0, processesLeft: 0, torn: 0 };
    const lane = async (name) => {
      while (left-- > 0) {
        const row = await killOneHost(join(folder, name), report);
        for (const key of Object.keys(totals)) totals[key] += row[key];
      }
    };
    await Promise.all(Array.from({ length: hostsAtOnce }, (_, n) => lane(`hosts-${n}`)));
    report.must(totals.processesLeft === 0, `${totals.processesLeft} processes left by killed hosts`);
    report.must(totals.torn === 0, `${totals.torn} workspaces that are not whole`);
    report.must(totals.kept > 0, 'no host got as far as to fill a workspace, so this proves nothing');
    return { times, ...totals, ...queue };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A host that fills workspaces and runs commands in them, killed after some moment of it. */
async function killOneHost(directory, report) {
  const child = spawn(process.execPath, [host, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), exited]);
  report.must(child.exitCode === null, 'a host ended by itself');
  const afterMs = Math.round(Math.random() * 600);
  await sleep(afterMs);
  child.kill('SIGKILL');
  await exited;
  const processesLeft = await leftAfterGrace(directory);
  const { kept, torn, removed } = await lookAt(directory);
  report.must(removed, 'what a killed host left was not removed by the next one');
  report.row(
    `  killed after ${String(afterMs).padStart(3)} ms: ${processesLeft} processes left, ${kept} workspaces, ${torn} torn`,
  );
  return { kept, processesLeft, torn };
}

/** How many are still there after the grace. None only once none was seen for a while: what a host just forked has no name yet. */
async function leftAfterGrace(directory) {
  const end = performance.now() + graceMs;
  for (let quietSince = performance.now(); performance.now() < end && performance.now() - quietSince < quietMs;) {
    await sleep(20);
    if (running(directory).length > 0) quietSince = performance.now();
  }
  return running(directory).length;
}

/** The next host: all workspaces hold what they were filled with, and nothing else is left. */
async function lookAt(directory) {
  const next = await createWorkspaces({ directory });
  try {
    const ids = await next.list();
    let torn = 0;
    for (const id of ids) {
      const workspace = await next.open({ id });
      const { stdout } = await workspace.run('ls seed | wc -l; cat seed/* | wc -c');
      if (stdout !== '40\n40960') torn++;
      await next.remove(id);
    }
    const names = await readdir(directory);
    return { kept: ids.length, torn, removed: names.every((name) => name.startsWith('.state-')) };
  } finally {
    await next.close();
  }
}

async function shareTwoPlaces(directory, report) {
  const all = await createWorkspaces({ directory });
  try {
    const opened = await Promise.all(Array.from({ length: chats }, () => all.open({ temporary: true })));
    const startedAt = performance.now();
    const results = await Promise.all(
      opened.map((chat, n) => chat.run(`echo ${n} > own; sleep 0.05; cat own; ls | wc -l`)),
    );
    const mixed = results.filter(({ stdout }, n) => stdout !== `${n}\n1`).length;
    report.must(mixed === 0, `${mixed} of ${chats} chats saw something that is not theirs`);
    return { chats, queueMs: Math.round(performance.now() - startedAt) };
  } finally {
    await all.close();
  }
}

/** Processes that name this folder: jails by their mounts, and what runs inside by the jail that it is in. */
function running(directory) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/mountinfo`, 'utf8').includes(`${directory}/`) ||
          commandOf(pid).includes(`${directory}/`)
        );
      } catch {
        return false;
      }
    });
}

function commandOf(pid) {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
}
