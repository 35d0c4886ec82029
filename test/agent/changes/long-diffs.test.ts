import { afterAll, expect, it } from 'vitest';
import { propose } from '../../../packages/desktop-agent/src/server/changes/index.ts';
import { readVersion } from '../../../packages/desktop-agent/src/server/git/index.ts';
import { git, hideOwnGit, newApp, put, removeFolders } from './apps.ts';

hideOwnGit();
afterAll(removeFolders);

/** 24 files of 400 KB in which all lines are others: comparing them line by line took two minutes. */
const paths = Array.from({ length: 24 }, (_, n) => `file-${n}.txt`);
const content = (seed: number): string => {
  let text = '';
  for (let n = 0; text.length < 400_000; n++) text += `${(n * seed) % 9973}\n`;
  return text;
};

it('of many large files that differ everywhere take a second, and the rest is shown as large', async () => {
  const app = newApp(Object.fromEntries(paths.map((path) => [path, content(7)])));
  const now = content(11);
  const changes = paths.map((path) => ({ type: 'write' as const, path, content: now }));
  const before = process.cpuUsage();
  const { proposal } = await propose(app, { summary: 'All', changes, dependencies: [], commands: [] });
  expect(proposal.files).toHaveLength(24);
  expect(proposal.files.every(({ hidden, unshown }) => hidden === 'large' && (unshown ?? 0) > 0)).toBe(true);
  put(app, Object.fromEntries(paths.map((path) => [path, now])));
  git(app, 'commit', '-qam', 'all');
  const { files } = await readVersion(app, git(app, 'rev-parse', 'HEAD').trim());
  expect(files).toHaveLength(24);
  const { user, system } = process.cpuUsage(before);
  // In µs. Each of the two has a second for comparing; without that it was four minutes.
  expect(user + system).toBeLessThan(30_000_000);
});
