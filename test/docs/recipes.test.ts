import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cli, makeFolder, parseOnly } from '../cli/support.ts';

const document = readFileSync(fileURLToPath(new URL('../../docs/recipes.md', import.meta.url)), 'utf8');

test('lists every recipe with its description', async () => {
  const { recipes } = parseOnly(await cli(['recipes', '--json'])) as unknown as {
    recipes: { name: string; description: string }[];
  };
  const rows = [...document.matchAll(/^\| \[([\w-]+)\]\(\.\.\/examples\/([\w-]+)\.js\) +\| (.+?) +\|$/gm)];
  expect(rows.map(([, name, , description]) => ({ name, description }))).toEqual(
    recipes.map(({ name, description }) => ({ name, description })),
  );
  expect(rows.filter(([, name, file]) => name !== file)).toEqual([]);
});

test.skipIf(process.platform === 'win32')('its commands run as pasted', async () => {
  const { execa } = await import('execa');
  const [, commands] = /```sh\n([\s\S]*?)```/.exec(document) as unknown as [string, string];
  const main = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));
  const cwd = makeFolder({ 'server.log': 'a ERROR E1\nb ERROR E2\nc ERROR E1\n' });
  const script = `mustard-sandbox() { "${process.execPath}" "${main}" "$@"; }\n${commands}`;
  const { stdout } = await execa('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd });
  expect(stdout).toContain('top-errors ');
  expect(stdout).toMatch(/"code": "E1",\s+"count": 2/);
  expect(readFileSync(join(cwd, 'tail.js'), 'utf8')).toContain('The last lines of a big file');
});
