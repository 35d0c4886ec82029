import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { cli, main, makeFolder } from './support.ts';

const packageFolder = fileURLToPath(new URL('../../packages/cli/', import.meta.url));
const { bin, version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
  bin: Record<string, string>;
  version: string;
};
const target = bin['mustard-sandbox'] as string;
const executable = join(packageFolder, target);

test('npm links the command in a fresh clone, where nothing is built: its target is checked in', async () => {
  const { stdout } = await execa('git', ['ls-files', '--', target], { cwd: packageFolder });
  expect(stdout).toBe(target);
});

test('the command runs what is built', async () => {
  expect(await cli(['--version'], { main: executable })).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
  expect(await cli(['--nonsense'], { main: executable })).toEqual(await cli(['--nonsense'], { main }));
});

test('the command says to build where nothing is built', async () => {
  const folder = makeFolder({ 'package.json': '{ "type": "module" }', 'bin/': '' });
  copyFileSync(executable, join(folder, target));
  const { exitCode, stdout, stderr } = await cli(['--version'], { main: join(folder, target) });
  expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
  expect(stderr).toBe('mustard-sandbox is not built: packages/cli/dist/main.js is missing. Run: npm run build\n');
});
