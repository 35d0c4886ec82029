import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatBytes } from '@mustard-sandbox/agent-tool';
import { limitTable, readLimits } from '@mustard-sandbox/client';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, code]) => code as string,
  );
}

/** The cells of each row of a table, without its head. */
function tableAfter(heading: string): string[][] {
  const section = readme.split(`## ${heading}\n`)[1]?.split('\n## ')[0] as string;
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('README.md', () => {
  test('its library example runs as pasted', async () => {
    const [example] = blocks('js') as [string];
    const { stdout, stderr } = await execa(process.execPath, ['--input-type=module'], { input: example, cwd: root });
    const lines = readme.split('\n').filter((line) => line.includes('sidecar')).length;
    expect(stdout).toMatch(new RegExp(`^${lines} lines in [\\d.]+ ms\n`));
    expect(stdout).toContain(`\n${Buffer.byteLength(readme)}\n`);
    expect(stdout).toMatch(/\nfailed sidecar_crashed \w+\ncapability_denied$/);
    expect(stderr).toBe('');
  });

  test.skipIf(process.platform === 'win32')('its CLI example runs as pasted', async () => {
    const example = blocks('sh').find((block) => block.includes('cli/dist/main.js')) as string;
    const { stdout } = await execa('/bin/sh', ['-e', '-c', example], { cwd: root });
    expect(stdout.split('\n')[0]).toBe(String(Buffer.byteLength(readme)));
    const json = stdout.split('\n').find((line) => line.startsWith('{')) as string;
    const { ok, value } = JSON.parse(json) as { ok: boolean; value: { sites: { path: string }[] } };
    expect(ok).toBe(true);
    expect(value.sites.map(({ path }) => path)).toContain('sandbox-client/src/sandbox.ts');
    expect(stdout).toMatch(/engine +mustardscript \d/);
  });

  test('every npm script that it names is there', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    const named = [...readme.matchAll(/npm (?:run )?([\w:]+)/g)].map(([, name]) => name as string);
    const missing = named.filter((name) => name !== 'install' && !Object.hasOwn(scripts, name));
    expect(named).toEqual(expect.arrayContaining(['demo', 'test', 'build', 'bench']));
    expect(missing).toEqual([]);
  });

  test('every file that it names is there', () => {
    const links = [...readme.matchAll(/\]\((?!https:)([^)]+)\)/g)].map(([, path]) => path as string);
    const cells = tableAfter('Where things are').flatMap(([paths]) => [...(paths as string).matchAll(/`([^`]+)`/g)]);
    const named = [...links, ...cells.map(([, path]) => path as string)];
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('its limits are the limits', () => {
    const expected = [
      ...Object.entries(limitTable).map(([name, row]) => [`\`${name}\``, row] as const),
      ...Object.entries(readLimits).map(([name, row]) => [`\`scope.${name}\``, row] as const),
    ].map(([name, row]) => [name, shown(row.default, row.unit), shown(row.ceiling, row.unit)]);
    const rows = tableAfter('Limits').map(([name, usual, most]) => [name, usual, most]);
    expect(rows).toEqual(expect.arrayContaining(expected));
    expect(rows).toHaveLength(expected.length + 1);
  });
});

function shown(value: number, unit: string): string {
  if (unit === 'ms') return `${value / 1000} s`;
  if (unit === 'bytes') return formatBytes(value);
  return value >= 1e6 ? `${value / 1e6} M` : String(value);
}
