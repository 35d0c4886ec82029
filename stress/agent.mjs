import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { recover } from '../packages/desktop-agent/dist/server/changes/index.js';
import { useJournalKey } from '../packages/desktop-agent/dist/server/changes/journal-key.js';
import { newApp, wrongWith } from './agent-oracle.mjs';

/** @typedef {import('./report.mjs').Report} Report */

const writer = fileURLToPath(new URL('agent-writer.mjs', import.meta.url));
const writersAtOnce = 2;
/** About one round of a writer on a slow machine, so that kills fall on all of it. */
const longestMs = 1_500;

/**
 * What changes apps in the desktop agent, killed at any moment of applying, committing, editing and going back: after the next start the files
 * of the app are the old or the new ones, git finds nothing wrong, and nobody holds the lock.
 *
 * @param {{ times: number }} options
 * @param {Report} report
 */
export async function run({ times }, report) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'stress-agent-')));
  try {
    await useJournalKey(folder);
    let left = times;
    const totals = { nothing: 0, finished: 0, 'taken-back': 0, torn: 0 };
    const lane = async (name) => {
      const app = newApp(join(folder, name));
      while (left-- > 0) {
        const { outcome, wrong } = await killOneWriter(app, report);
        totals[outcome]++;
        if (wrong.length > 0) totals.torn++;
        for (const what of wrong) report.must(false, what);
        report.sometimes(() => `${times - Math.max(left, 0)}/${times} killed`);
      }
    };
    await Promise.all(Array.from({ length: writersAtOnce }, (_, n) => lane(`app-${n}`)));
    report.row(
      `  ${times} kills: ${totals['taken-back']} taken back, ${totals.finished} finished, ${totals.torn} torn`,
    );
    report.must(times < 50 || totals['taken-back'] > 0, 'no kill fell into a change, so this proves nothing');
    return { times, ...totals };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function killOneWriter(app, report) {
  const child = spawn(process.execPath, [writer, app], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), exited]);
  await Promise.race([sleep(Math.random() * longestMs), exited]);
  report.must(child.exitCode === null, 'a writer ended by itself');
  child.kill('SIGKILL');
  await exited;
  const { outcome, notes } = await recover(app);
  return { outcome, wrong: [...notes, ...wrongWith(app)] };
}
