import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { closest } from '../../../packages/cli/src/closest.ts';
import { parseRecipeHeader } from '../../../packages/cli/src/recipe-header.ts';
import { cliInProcess as cli } from '../in-process.ts';
import { isPosix, main, makeFolder, parseOnly } from '../support.ts';

const examples = fileURLToPath(new URL('../../../examples', import.meta.url));
const names = readdirSync(examples)
  .filter((name) => name.endsWith('.js'))
  .map((name) => name.slice(0, -3));

describe('recipes', () => {
  it('lists every example, in columns', async () => {
    const { exitCode, stdout, stderr } = await cli(['recipes']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'mustard-sandbox recipes NAME prints the script.\n' });
    const rows = stdout.trimEnd().split('\n');
    expect(rows.map((row) => row.split(' ')[0])).toEqual(names.toSorted());
    const starts = rows.map((row) => row.search(/(?<= {2})\S/));
    expect(new Set(starts).size).toBe(1);
  });

  it('lists them as JSON, with their inputs', async () => {
    const { ok, recipes } = parseOnly(await cli(['recipes', '--json'])) as unknown as {
      ok: boolean;
      recipes: Record<string, unknown>[];
    };
    expect(ok).toBe(true);
    expect(recipes.map(({ name }) => name)).toEqual(names.toSorted());
    expect(recipes.find(({ name }) => name === 'top-errors')).toEqual({
      name: 'top-errors',
      description: 'The most common error codes of a log, with their counts.',
      notes: '',
      inputs: [
        { name: 'file', type: 'string', required: false, description: expect.any(String) },
        { name: 'after', type: 'string', required: false, default: ' ERROR ', description: expect.any(String) },
        { name: 'top', type: 'number', required: false, default: 5, description: 'how many codes' },
      ],
      example: 'mustard-sandbox run top-errors.js --attach server.log',
    });
  });

  it('prints one as it is', async () => {
    const script = readFileSync(join(examples, 'csv-join.js'), 'utf8');
    expect(await cli(['recipes', 'csv-join'])).toEqual({ exitCode: 0, stdout: script, stderr: '' });
  });

  it('is built with the examples of now', () => {
    const built = fileURLToPath(new URL('../../../packages/cli/dist/recipes', import.meta.url));
    const read = (folder: string): string[] => names.map((name) => readFileSync(join(folder, `${name}.js`), 'utf8'));
    expect(read(built)).toEqual(read(examples));
  });

  it('prints one as JSON', async () => {
    const script = readFileSync(join(examples, 'tail.js'), 'utf8');
    expect(parseOnly(await cli(['recipes', 'tail', '--json']))).toMatchObject({ recipe: { name: 'tail', script } });
  });

  it.each([
    ['tial', 'tail'],
    ['Tail.js', 'tail'],
    ['errors', 'top-errors'],
    ['csv-groupby', 'csv-group-by'],
  ])('suggests for %s', async (typed, meant) => {
    const { exitCode, stdout, stderr } = await cli(['recipes', typed]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`There is no recipe '${typed}'.`);
    expect(stderr).toContain(`Did you mean ${meant}?`);
  });

  it.each(['../recipes', '../main', 'completely-different', ''])('has no recipe %j', async (typed) => {
    const ended = await cli(['recipes', typed, '--json']);
    expect(ended.exitCode).toBe(2);
    const { error } = parseOnly(ended);
    expect(error.code).toBe('invalid_request');
    expect(error.details.hint).toBe('`mustard-sandbox recipes` lists them');
  });

  it.runIf(isPosix)('goes through a pipe into run', async () => {
    const folder = makeFolder({ 'server.log': 'a ERROR E1 x\nb ERROR E2 y\nc ERROR E1\n' });
    const command = `"$NODE" "$MAIN" recipes top-errors | "$NODE" "$MAIN" run - --attach server.log --json`;
    const { execa } = await import('execa');
    const { stdout } = await execa('/bin/sh', ['-c', command], {
      cwd: folder,
      env: { NODE: process.execPath, MAIN: main },
    });
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      value: [
        { code: 'E1', count: 2 },
        { code: 'E2', count: 1 },
      ],
    });
  });
});

describe('parseRecipeHeader', () => {
  const header = (...lines: string[]): string => `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n1\n`;

  it('reads notes, and defaults with brackets in them', () => {
    const script = header(
      'Does it.',
      '',
      'With care.',
      '',
      '@param {string[]} [list=["a", "b]"]] - a [list]',
      '@example x y',
    );
    expect(parseRecipeHeader(script)).toEqual({
      description: 'Does it.',
      notes: 'With care.',
      inputs: [{ name: 'list', type: 'string[]', required: false, default: ['a', 'b]'], description: 'a [list]' }],
      example: 'x y',
    });
  });

  it.each([
    ['no comment', '1 + 1', 'begins with'],
    ['no example', header('Does it.'), '@example'],
    ['no type', header('Does it.', '@param file - the file', '@example x'), '@param file - the file'],
    ['no description', header('Does it.', '@param {string} file', '@example x'), '@param {string} file'],
    ['an unknown tag', header('Does it.', '@returns {string} - it', '@example x'), '@returns'],
    ['a default that is not JSON', header('Does it.', '@param {string} [a=b] - it', '@example x'), 'JSON'],
  ])('refuses %s', (_, script, message) => {
    expect(() => parseRecipeHeader(script)).toThrow(message);
  });
});

describe('closest', () => {
  test('a name with one mistake is found', () => {
    const mistake = fc.tuple(fc.constantFrom(...names), fc.nat(), fc.constantFrom('x', '')).map(([name, at, put]) => ({
      name,
      typed: name.slice(0, at % name.length) + put + name.slice((at % name.length) + 1),
    }));
    fc.assert(
      fc.property(mistake, ({ name, typed }) => {
        expect(closest(typed, names)).toBe(name);
      }),
    );
  });
});
