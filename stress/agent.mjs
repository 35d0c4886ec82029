import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { recover } from '../packages/desktop-agent/dist/changes/index.js';

/** @typedef {import('./report.mjs').Report} Report */

const writer = fileURLToPath(new URL('agent-writer.mjs', import.meta.url));
const writersAtOnce = 2;
/** About one round of a writer on a slow machine, so that kills fall on all of it. */
const longestMs = 1_500;

const states = {
  A: { 'a.txt': 'A', 'dir/x.txt': 'same', 'gone/g.txt': 'A' },
  B: { 'a.txt': 'B', 'moved/x.txt': 'same', ...Object.fromEntries(news().map((path) => [path, 'B'])) },
};
/** What belongs to the person, and what is edited apart from A and B. */
const besides = new Set(['mine.txt', 'edited.txt']);

function news() {
  return Array.from({ length: 20 }, (_, n) => `new/deep-${n}/file.txt`);
}

/**
 * The desktop agent, killed at any moment of applying, committing, editing and going back: after the next start the files
 * of the app are the old or the new ones, git finds nothing wrong, and nobody holds the lock.
 *
 * @param {{ times: number }} options
 * @param {Report} report
 */
export async function run({ times }, report) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'stress-agent-')));
  try {
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

function newApp(app) {
  for (const [path, content] of Object.entries(states.A)) {
    mkdirSync(dirname(join(app, path)), { recursive: true });
    writeFileSync(join(app, path), content);
  }
  git(app, 'init', '-q', '-b', 'main');
  git(app, 'add', '-A');
  git(app, '-c', 'user.name=Person', '-c', 'user.email=person@example.org', 'commit', '-qm', 'first');
  return app;
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

function wrongWith(app) {
  const wrong = [];
  const files = filesOf(app);
  const state = Object.keys(states).find((name) => JSON.stringify(files) === JSON.stringify(sorted(states[name])));
  if (state === undefined) wrong.push(`the files are neither old nor new: ${JSON.stringify(Object.keys(files))}`);
  // What the writer had written as the person, and not yet given to anyone, is still a change of hers.
  const status = git(app, 'status', '--porcelain').replaceAll(/^.. mine\.txt\n/gm, '');
  if (status !== '') wrong.push(`git status: ${status}`);
  try {
    git(app, 'fsck', '--full', '--strict', '--no-dangling', '--no-progress');
  } catch (/** @type {any} */ error) {
    wrong.push(`git fsck: ${error.stdout}${error.stderr}`);
  }
  // A commit that goes back to a version takes hers back as well: that is what it is for.
  const swallowed = git(app, 'log', '--format=', '--name-only', '--grep=^\\[agent\\] to ', '--', 'mine.txt');
  if (swallowed !== '') wrong.push("a commit of the agent has the person's change");
  if (existsSync(join(app, '.git/index.lock'))) wrong.push('.git/index.lock is left');
  const left = readdirSync(join(app, '.git/mustard-agent')).filter((name) => name !== '.lock' && name !== 'tmp');
  if (left.length > 0) wrong.push(`left in .git/mustard-agent: ${left.join(', ')}`);
  return wrong;
}

function filesOf(app) {
  const entries = readdirSync(app, { recursive: true, withFileTypes: true });
  const files = entries.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name).slice(app.length + 1);
    const isOurs = entry.isFile() && !path.startsWith('.git/') && !besides.has(path);
    return isOurs ? [[path, readFileSync(join(app, path), 'utf8')]] : [];
  });
  return sorted(Object.fromEntries(files));
}

function sorted(files) {
  return Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function git(app, ...args) {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', ['-C', app, ...args], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
