import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { newApp, removeFolders } from './apps.ts';

afterAll(removeFolders);

const child = fileURLToPath(new URL('fixtures/full-disk.mjs', import.meta.url));

/** A small disk of its own, where bubblewrap can make one. The judges run inside, as it is gone afterwards. */
const script = `
out=$(node "$0" /mnt) || exit 1
cd /mnt/app && rm .git/filler && echo "$out" && git status --porcelain && git fsck --strict --no-dangling --no-progress
git log --format=%s && ls .git/mustard-agent
`;
const jail = ['--dev-bind', '/', '/', '--size', String(4 * 1024 * 1024), '--tmpfs', '/mnt'];
const canMount = spawnSync('bwrap', [...jail, 'true']).status === 0;
if (!canMount) process.stderr.write('The test of a full disk is skipped: bubblewrap makes no disk here.\n');

it.skipIf(!canMount)('a full disk leaves the old files, a clean repository, and nothing behind', () => {
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };
  const { stdout, stderr, status } = spawnSync('bwrap', [...jail, 'sh', '-c', script, child], {
    env,
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  const [figures = '', ...rest] = stdout.trimEnd().split('\n');
  const { codes } = JSON.parse(figures) as { codes: string[] };
  expect(new Set(codes)).toEqual(new Set(['disk_full', 'applied']));
  const commits = codes.filter((code) => code === 'applied').map(() => '[agent] Fill - wrote 3 file(s)');
  expect(rest).toEqual([...commits, 'Begin the history of this app', 'tmp']);
});

it.skipIf(!canMount)('an app that cannot be written says so', () => {
  const app = newApp();
  const edit = `import { editFile } from '${new URL('../../../packages/desktop-agent/dist/server/changes/index.js', import.meta.url).href}';
    await editFile('${app}', 'b', 'x', null).catch(({ code }) => console.log(code));`;
  const args = ['--dev-bind', '/', '/', '--ro-bind', app, app, process.execPath, '--input-type=module', '-e', edit];
  const { stdout, stderr } = spawnSync('bwrap', args, { encoding: 'utf8' });
  expect(stdout, stderr).toBe('denied\n');
});
