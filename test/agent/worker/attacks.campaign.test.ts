// What would stop the program for seconds runs in a worker thread, and the program answers meanwhile.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { propose } from '../../../packages/desktop-agent/src/server/changes/index.ts';
import { findOwnChanges } from '../../../packages/desktop-agent/src/server/git/commit-files.ts';
import { readVersion } from '../../../packages/desktop-agent/src/server/git/index.ts';
import { endWorkers, inWorker } from '../../../packages/desktop-agent/src/server/worker/index.ts';
import { git, hideOwnGit, newApp, put, removeFolders } from '../changes/apps.ts';
import { checkOut, commit, nested } from '../git/objects.ts';
import { heldBy } from './held.ts';

hideOwnGit();
afterAll(removeFolders);
afterAll(endWorkers);
/** The start of the thread is no part of what is measured. */
beforeAll(async () => void (await inWorker('listVersions', [newApp()])));

interface Attack {
  here: () => Promise<unknown>;
  aside: () => Promise<unknown>;
}

const paths = Array.from({ length: 24 }, (_, n) => `file-${n}.txt`);
/** 400 KB, of which so many lines differ as are compared at all. */
function large(mark: string): string {
  let text = '';
  for (let n = 0; text.length < 400_000; n++) text += `line ${n}${n % 40 === 0 ? mark : ''}\n`;
  return text;
}

function largeFiles(mark: string): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, large(mark)]));
}

function proposal(): Attack {
  const app = newApp(largeFiles('a'));
  const changes = paths.map((path) => ({ type: 'write' as const, path, content: large('b') }));
  const wanted = { summary: 'All', changes, dependencies: [], commands: [] };
  return { here: () => propose(app, wanted), aside: () => inWorker('propose', [app, wanted]) };
}

function version(): Attack {
  const app = newApp(largeFiles('a'));
  put(app, largeFiles('b'));
  git(app, 'commit', '-qam', 'all');
  const oid = git(app, 'rev-parse', 'HEAD').trim();
  return { here: () => readVersion(app, oid), aside: () => inWorker('readVersion', [app, oid]) };
}

function ignoreFile(): Attack {
  const app = newApp();
  const folder = 'a/'.repeat(90);
  put(app, Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${folder}${n}`, ''])));
  const patterns = Array.from({ length: 2 }, (_, n) => `a/**/a/**/z${n}\n`);
  writeFileSync(join(app, '.gitignore'), ['**/a/**/a/**/a/z\n', ...patterns].join(''));
  return { here: () => findOwnChanges(app), aside: () => inWorker('findOwnChanges', [app]) };
}

function bomb(): Attack {
  const app = newApp();
  const oid = commit(app, nested(app, 'd'), [git(app, 'rev-parse', 'HEAD').trim()]);
  checkOut(app, oid);
  return { here: () => readVersion(app, oid), aside: () => inWorker('readVersion', [app, oid]) };
}

it.each([
  ['a proposal of 24 files of 400 KB', proposal],
  ['a version with 24 files of 400 KB', version],
  ['a .gitignore that takes long', ignoreFile],
  ['folders that name each other', bomb],
])('%s does not hold the program', async (_, prepare) => {
  const attack = prepare();
  // Given up or not: what counts is the time.
  const settled = (work: () => Promise<unknown>) => async () => void (await Promise.allSettled([work()]));
  const idle = await heldBy(() => wait(500));
  const aside = await heldBy(settled(attack.aside));
  const here = await heldBy(settled(attack.here));
  expect(here).toBeGreaterThan(10 * idle);
  expect(aside - idle).toBeLessThan(here / 3);
});
