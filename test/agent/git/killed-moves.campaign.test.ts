// A kill while commits of a server or of a copy come into an app, or are taken back.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { useJournalKey } from '../../../packages/desktop-agent/src/server/changes/journal-key.ts';
import { recover } from '../../../packages/desktop-agent/src/server/changes/index.ts';
import { pullBranch } from '../../../packages/desktop-agent/src/server/git/index.ts';
import { filesOf, git, good, hideOwnGit, newFolder, removeFolders, state } from '../changes/apps.ts';
import { compare, head, options, team } from './team.ts';

hideOwnGit();
afterAll(removeFolders);

const names = Array.from({ length: 150 }, (_, index) => `src/part-${index}.txt`);
const all = (text: string): Record<string, string> => Object.fromEntries(names.map((name) => [name, text]));

/** Runs it in another process, which is killed when a file changes or HEAD moves, whichever `when` says. */
async function killed(args: readonly string[], when: () => boolean): Promise<void> {
  const fixture = fileURLToPath(new URL('fixtures/puller.mjs', import.meta.url));
  const child = fork(fixture, args, { stdio: 'inherit' });
  const ended = once(child, 'exit');
  const looking = setInterval(() => {
    if (when()) child.kill('SIGKILL');
  }, 1);
  await ended;
  clearInterval(looking);
}

it.each(['pull', 'undo', 'bring'])('%s is whole or taken back, whenever it is killed', async (name) => {
  const { app, colleague, pushed } = team(all('old\n'));
  pushed(all('new\n'), 'theirs');
  const { ours, theirs } = await compare(app);
  const fetched = { remote: 'origin', branch: 'main', ours, theirs: theirs ?? '' };
  const dataDir = newFolder();
  await useJournalKey(dataDir);
  let given = JSON.stringify(fetched);
  if (name === 'bring') {
    given = JSON.stringify({ copy: colleague, branch: 'main', into: 'main', ours, theirs });
  }
  if (name === 'undo') given = JSON.stringify(await pullBranch(app, fetched, options()));
  const before = { head: head(app), text: readFileSync(join(app, names[0] ?? ''), 'utf8') };
  const target = name === 'undo' ? { head: ours, text: 'old\n' } : { head: theirs, text: 'new\n' };
  const journal = join(app, '.git/mustard-agent/apply/journal.json');
  const moments = {
    'the journal is written': () => existsSync(journal),
    'half of the files are new': () => readFileSync(join(app, names[75] ?? ''), 'utf8') !== before.text,
  };
  for (const [moment, when] of Object.entries(moments)) {
    await killed([name, app, dataDir, given], when);
    await recover(app);
    const now = { head: head(app), text: readFileSync(join(app, names[0] ?? ''), 'utf8') };
    // Where the other process was too quick for the kill, it is done.
    expect([before, target], moment).toContainEqual(now);
    expect(new Set(Object.values(filesOf(app))), moment).toEqual(new Set([now.text]));
    expect(state(app), moment).toEqual(good);
    if (now.head === target.head) git(app, 'reset', '-q', '--hard', before.head);
  }
  await killed([name, app, dataDir, given], () => false);
  expect(head(app)).toBe(target.head);
  expect(state(app)).toEqual(good);
});
