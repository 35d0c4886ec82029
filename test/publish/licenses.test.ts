import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const script = new URL('../../scripts/check-licenses.mjs', import.meta.url);
const { checkRoot } = (await import(script.href)) as { checkRoot: (root: string) => { problems: string[] } };
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'licenses-'));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function manifest(folder: string, content: Record<string, unknown>): Promise<void> {
  await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, folder, 'package.json'), JSON.stringify({ version: '1.0.0', ...content }));
}

/** A project with one workspace that depends on `middle`, which depends on `deep`. */
async function project(options: { deepLicense: unknown; notice?: string }): Promise<void> {
  await manifest('.', { name: 'project', workspaces: ['packages/*'], devDependencies: { tool: '1.0.0' } });
  await manifest('packages/app', { name: 'app', dependencies: { middle: '1.0.0' } });
  await manifest('node_modules/middle', {
    name: 'middle',
    license: 'MIT',
    dependencies: { deep: '1.0.0' },
    optionalDependencies: { 'other-platform': '1.0.0' },
  });
  await manifest('node_modules/middle/node_modules/deep', { name: 'deep', license: options.deepLicense });
  await manifest('node_modules/tool', { name: 'tool', license: 'GPL-3.0-only' });
  await writeFile(join(root, 'NOTICE'), options.notice ?? '');
}

async function check(folder: string) {
  const args = [fileURLToPath(script), folder];
  const { exitCode, stdout, stderr } = await execa(process.execPath, args, { reject: false });
  return { exitCode, stdout, stderr };
}

test('the repository passes', async () => {
  const result = await check(repository);
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  expect(result.stdout).toMatch(/^\d\d+ installed production dependencies: licences fine$/);
});

test.each([
  ['GPL-3.0-only', 'GPL-3.0-only'],
  ['MIT AND GPL-3.0-only', 'MIT AND GPL-3.0-only'],
  ['(MIT OR Apache-2.0) AND GPL-2.0', '(MIT OR Apache-2.0) AND GPL-2.0'],
  ['SEE LICENSE IN EULA.txt', 'SEE LICENSE IN EULA.txt'],
  [undefined, 'no licence given'],
])('a licence that is not allowed fails, however deep the dependency is: %s', async (deepLicense, named) => {
  await project({ deepLicense });
  expect(checkRoot(root).problems).toEqual([`deep@1.0.0: licence not allowed: ${named}`]);
});

test('an Apache-2.0 dependency that NOTICE does not name fails', async () => {
  await project({ deepLicense: 'Apache-2.0', notice: 'middle and deeper\n' });
  const missing = 'deep@1.0.0: licence is Apache-2.0, but NOTICE does not name it';
  expect(await check(root)).toMatchObject({ exitCode: 1, stderr: missing });
});

test('an Apache-2.0 dependency that NOTICE names passes', async () => {
  await project({ deepLicense: 'Apache-2.0', notice: '- deep\n  Copyright someone\n' });
  expect(checkRoot(root).problems).toEqual([]);
});

test.each(['(MIT OR GPL-3.0-only)', 'MIT OR Apache-2.0', { type: 'ISC' }])(
  'one allowed alternative is enough: %j',
  async (deepLicense) => {
    await project({ deepLicense });
    expect(checkRoot(root).problems).toEqual([]);
  },
);

test('a required dependency that is not installed fails', async () => {
  await manifest('.', { name: 'project', dependencies: { absent: '1.0.0' } });
  expect(checkRoot(root).problems).toEqual(['absent: not installed (for project@1.0.0)']);
});
