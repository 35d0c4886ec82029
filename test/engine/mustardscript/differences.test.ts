import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { programOf, runMustard } from '../support.ts';

const page = readFileSync(fileURLToPath(new URL('../../../docs/mustardscript.md', import.meta.url)), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:--|id |script )/.test(line))
  .map((line) => line.slice(2, -2).split(/(?<!\\) +\| /));
/** The text between the marks of code. */
const code = (cell = ''): string => /^(`+) ?(.*?) ?\1\s*$/.exec(cell)?.[2]?.replaceAll('\\|', '|') ?? cell.trim();
const evaluated = (text: string): unknown => runInNewContext(`(${text})`);

const silent = rows.filter(([, script, here]) => script?.startsWith('`') && here?.startsWith('`'));
const missing = rows.filter((cells) => cells.length === 2);
const [, untold = ''] = page.split('These do not show');

describe('docs/mustardscript.md: different without an error', () => {
  it.each(silent.map((cells) => [cells[0]?.trim(), ...cells.slice(1).map(code)] as string[]))(
    '%s: %s',
    (id, script = '', here = '', there = '') => {
      const ran = runMustard(programOf(script));
      expect(ran.result).toEqual(evaluated(here));
      if (/^\w+Error$/.test(there)) expect(() => runInNewContext(script)).toThrow('Cannot read');
      else expect(runInNewContext(script)).toEqual(evaluated(there));
      const ids = ran.warnings.map((warning) => warning.id);
      if (!untold.includes(`| ${id} `)) expect(ids).toContain(id);
    },
  );

  it('has rows', () => {
    expect(silent.length).toBeGreaterThan(20);
    expect(missing.length).toBeGreaterThan(20);
  });
});

describe('docs/mustardscript.md: missing', () => {
  it.each(missing.map((cells) => cells.map(code)))('%s', (script = '', error = '') => {
    expect(() => runMustard(programOf(script))).toThrow(expect.objectContaining({ code: error }) as Error);
  });
});

it.each([
  '1 + 1',
  '"a b".length',
  '`a ${1}`',
  'const f = (a) => a?.b; f(null)',
  'const a = null; a?.b?.c',
  'const a = null; a?.b()',
  'function f() { function g() {} return 1; } f()',
  'new Date("2024-01-02").getTime()',
  '"a".replace(/a/, "$1")',
])('a script without a difference has no warning: %s', (script) => {
  expect(runMustard(programOf(script)).warnings).toEqual([]);
});

it('a warning says on which line', () => {
  expect(runMustard(programOf('const a = 1;\nMath.round(a)')).warnings).toMatchObject([{ id: 'round', line: 2 }]);
});
