// What an app of the desktop agent is, by git's own program and by reading its files: nothing of the agent is used here.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const news = Array.from({ length: 20 }, (_, n) => `new/deep-${n}/file.txt`);

/** Two states of an app. @type {Record<'A' | 'B', Record<string, string>>} */
export const states = {
  A: { 'a.txt': 'A', 'dir/x.txt': 'same', 'gone/g.txt': 'A' },
  B: { 'a.txt': 'B', 'moved/x.txt': 'same', ...Object.fromEntries(news.map((path) => [path, 'B'])) },
};
/** What belongs to the person, and what is edited apart from A and B. */
const besides = new Set(['mine.txt', 'edited.txt']);

/** An app in the state A. */
export function newApp(app) {
  for (const [path, content] of Object.entries(states.A)) {
    mkdirSync(dirname(join(app, path)), { recursive: true });
    writeFileSync(join(app, path), content);
  }
  git(app, 'init', '-q', '-b', 'main');
  git(app, 'add', '-A');
  git(app, '-c', 'user.name=Person', '-c', 'user.email=person@example.org', 'commit', '-qm', 'first');
  return app;
}

/** @returns {'A' | 'B' | undefined} undefined when its files are neither */
export function stateOf(app) {
  const files = JSON.stringify(filesOf(app));
  return /** @type {const} */ (['A', 'B']).find((name) => files === JSON.stringify(sorted(states[name])));
}

/** What is wrong with it after a kill and a recovery, in words. */
export function wrongWith(app) {
  const wrong = [];
  if (stateOf(app) === undefined)
    wrong.push(`the files are neither old nor new: ${JSON.stringify(Object.keys(filesOf(app)))}`);
  // What was written as the person, and not yet given to anyone, is still a change of hers.
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
  const own = join(app, '.git/mustard-agent');
  const left = existsSync(own) ? readdirSync(own).filter((name) => name !== '.lock' && name !== 'tmp') : [];
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

export function git(app, ...args) {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', ['-C', app, ...args], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The rows of a query, by the program of SQLite. @returns {any[]} */
export function query(database, sql) {
  const options = { encoding: /** @type {const} */ ('utf8'), maxBuffer: 1024 ** 3 };
  const printed = execFileSync('sqlite3', ['-json', '-cmd', '.timeout 60000', database, sql], options);
  return printed === '' ? [] : JSON.parse(printed);
}

/** What SQLite finds wrong with a database and its log, of which a copy is made: to open them would end what was cut. */
export function databaseWrongs(database, scratch) {
  mkdirSync(scratch, { recursive: true });
  const copy = join(scratch, 'copy.db');
  for (const end of ['', '-wal']) {
    rmSync(`${copy}${end}`, { force: true });
    if (existsSync(`${database}${end}`)) copyFileSync(`${database}${end}`, `${copy}${end}`);
  }
  const found = [...query(copy, 'PRAGMA integrity_check'), ...query(copy, 'PRAGMA foreign_key_check')];
  const isWell = found.length === 1 && found[0]?.integrity_check === 'ok';
  return isWell ? [] : [`the database: ${JSON.stringify(found).slice(0, 500)}`];
}
