import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { limitTable, readLimitTable } from '@mustard-sandbox/client';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { limitRows, tablesAfter } from './tables.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, code]) => code as string,
  );
}

const tableAfter = (heading: string): string[][] => tablesAfter(readme, heading)[0] ?? [];

describe('README.md', () => {
  test('its library example runs as pasted', async () => {
    const [example] = blocks('js') as [string];
    const { stdout, stderr } = await execa(process.execPath, ['--input-type=module'], { input: example, cwd: root });
    const lines = readme.split('\n').filter((line) => line.includes('sidecar')).length;
    expect(stdout).toMatch(new RegExp(`^${lines} lines in [\\d.]+ ms\n`));
    expect(stdout).toContain(`\n${Buffer.byteLength(readme)}\n`);
    expect(stdout).toMatch(/\nfailed limit_exceeded heap_bytes\ncapability_denied$/);
    expect(stderr).toBe('');
  });

  test.skipIf(process.platform === 'win32')('its CLI example runs as pasted', async () => {
    const example = blocks('sh').find((block) => block.includes('cli/dist/main.js')) as string;
    const { stdout } = await execa('/bin/sh', ['-e', '-c', example], { cwd: root });
    expect(stdout.split('\n')[0]).toBe(String(Buffer.byteLength(readme)));
    const json = stdout.split('\n').find((line) => line.startsWith('{')) as string;
    const { ok, value } = JSON.parse(json) as { ok: boolean; value: { sites: { path: string }[] } };
    expect(ok).toBe(true);
    expect(value.sites.map(({ path }) => path)).toContain('sandbox.ts');
    expect(stdout).toMatch(/engine +quickjs: .*\nengine +mustardscript: /);
  });

  test('every npm script that it names is there', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    const named = [...readme.matchAll(/npm (?:run )?([\w:]+)/g)].map(([, name]) => name as string);
    const missing = named.filter((name) => name !== 'install' && !Object.hasOwn(scripts, name));
    expect(named).toEqual(expect.arrayContaining(['demo', 'test', 'build', 'agent']));
    expect(missing).toEqual([]);
  });

  test('every file that it names is there', () => {
    const links = [...readme.matchAll(/\]\((?!https:)([^)]+)\)/g)].map(
      ([, path]) => (path as string).split('#')[0] as string,
    );
    const cells = tableAfter('Where things are').flatMap(([paths]) => [...(paths as string).matchAll(/`([^`]+)`/g)]);
    const named = [...links, ...cells.map(([, path]) => path as string)];
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('its limits are the limits', () => {
    const rows = tableAfter('Limits').map(([name, usual, most]) => [name, usual, most]);
    const all = [...limitRows(limitTable), ...limitRows(readLimitTable, 'scope.')];
    expect(all).toEqual(expect.arrayContaining(rows));
    expect(rows.length).toBeGreaterThan(4);
  });
});
