import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { App, TemplateName } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import { git } from '../changes/apps.ts';
import { Peer, startAgent, tempFolder } from '../support.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;
/** A package of a template, by the npm of whoever runs the tests. */
const hasRegistry = spawnSync('npm', ['view', 'typescript@5.9.3', 'version'], { timeout: 60_000 }).status === 0;

async function make(template: TemplateName): Promise<{ page: Peer; app: App }> {
  const page = await Peer.ready(await startAgent());
  const app = await page.ask('create-app', { template, parent: await tempFolder(), name: 'my app' });
  return { page, app };
}

function run(app: App, command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd: app.path, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

test.skipIf(!hasRegistry)('the page builds with the packages of its lockfile', async () => {
  const { page, app } = await make('vite-react');
  const lockfile = readFileSync(join(app.path, 'package-lock.json'), 'utf8');
  await page.ask('install-packages', { appId: app.id });
  expect(readFileSync(join(app.path, 'package-lock.json'), 'utf8')).toBe(lockfile);
  expect(git(app.path, 'status', '--porcelain')).toBe('');
  expect(await page.ask('read-packages', { appId: app.id })).toMatchObject({ installed: true });
  run(app, 'npm', 'run', 'build');
  expect(statSync(join(app.path, 'dist/index.html')).size).toBeGreaterThan(100);
  // The agent checks a proposal with the same compiler.
  const { problems, unchecked } = await page.ask('check-problems', { appId: app.id });
  expect(problems).toEqual([]);
  if (unchecked !== null) expect(['no-jail', 'no-jail-native']).toContain(unchecked.reason);
});

test('the service passes its tests before anything is installed', async () => {
  const { app } = await make('node-service');
  expect(run(app, 'node', '--test')).toMatch(/pass 2/);
});

test.skipIf(!hasRegistry)('the service has no type errors', async () => {
  const { page, app } = await make('node-service');
  await page.ask('install-packages', { appId: app.id });
  run(app, 'npm', 'run', 'build');
  expect(git(app.path, 'status', '--porcelain')).toBe('');
});

test.skipIf(!hasPython)('the script runs and passes its tests', async () => {
  const { app } = await make('python-script');
  expect(run(app, 'python3', 'main.py', 'README.md', '--top', '1')).toMatch(/\d+ \w+\n$/);
  run(app, 'python3', '-m', 'unittest');
  expect(git(app.path, 'status', '--porcelain')).toBe('');
});

test.skipIf(!hasPython)('the cells of the notebook run in order, and say what its data has', async () => {
  const { app } = await make('data-notebook');
  const { cells } = JSON.parse(readFileSync(join(app.path, 'explore.ipynb'), 'utf8')) as {
    cells: { cell_type: string; source: string[] }[];
  };
  const code = cells.filter(({ cell_type: type }) => type === 'code').map(({ source }) => source.join(''));
  const printed = run(app, 'python3', '-c', code.join('\n\n'));
  const rows = readFileSync(join(app.path, 'data/orders.csv'), 'utf8').trim().split('\n').slice(1);
  const ofHamburg = rows.map((row) => row.split(',')).filter(([, city]) => city === 'Hamburg');
  const sum = ofHamburg.reduce((all, row) => all + Number(row[3]), 0);
  expect(printed).toContain(`${rows.length} rows`);
  expect(printed).toContain(sum.toLocaleString('en', { minimumFractionDigits: 2 }));
  for (const line of readFileSync(join(app.path, 'requirements.txt'), 'utf8').trim().split('\n')) {
    expect(line).toMatch(/^[\w-]+==\d+(\.\d+)+$/);
  }
  expect(existsSync(join(app.path, '.git'))).toBe(true);
});
