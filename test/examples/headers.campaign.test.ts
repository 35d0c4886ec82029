import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { parseRecipeHeader, type RecipeHeader } from '../../packages/cli/src/recipe-header.ts';
import { atServer, cliInProcess } from '../cli/in-process.ts';
import { failureOf } from '../client/support.ts';
import { makeFolder } from '../files/support.ts';
import { attach, examplesFolder, readExample, runExample } from './support.ts';

const files = readdirSync(examplesFolder).filter((name) => name.endsWith('.js'));
const recipes = files.map((file) => ({ file, script: readExample(file), ...parseRecipeHeader(readExample(file)) }));
const here = fileURLToPath(new URL('.', import.meta.url));
const tests = readdirSync(here).map((name) => readFileSync(join(here, name), 'utf8'));

/** What the example command lines name. */
const fixture = {
  'server.log': `${'2026-04-20T12:30:05Z ERROR E1 id=7 dur=12ms\n    at f (a.js:1:2)\n'.repeat(3)}2026-04-20T12:40:00Z ok\n`,
  'orders.csv': 'region,customer,amount\nnorth,C1,2\nsouth,C2,3\n',
  'customers.csv': 'customer,country\nC1,FR\n',
  'events.jsonl': '{"level":"error","user":{"plan":"pro"}}\n{"level":"info"}\n',
  'book.txt': 'Call me Ishmael. The whale!\n',
  'monday.sql': 'a\nb\n',
  'tuesday.sql': 'a\nc\n',
  'src/a.js': 'parse(1); // TODO: parse(2)\n',
  'report.json': '{"user":{"plan":"pro"}}\n',
  'paper.pdf': readFileSync(new URL('../files/fixtures/three-pages.pdf', import.meta.url)),
};

/** The values of `--input NAME=JSON` in its example. */
function exampleInputs({ example }: RecipeHeader): Record<string, unknown> {
  const given = [...example.matchAll(/--input (?:'(\w+)=(.*?)'|(\w+)=(\S+))(?= |$)/g)];
  return Object.fromEntries(
    given.map(([, quoted, json, bare, value]) => [quoted ?? bare, JSON.parse(json ?? value ?? '') as unknown]),
  );
}

/** The inputs that the script's own `const { … } = globalThis` takes, and what it makes of them when none is given. */
function inputsTaken({ script }: { script: string }): Record<string, unknown> {
  const statements = [...script.matchAll(/^const \{[^;]*\} = globalThis;$/gm)].join('\n');
  const taken: string[] = [];
  const nothing = new Proxy({}, { get: (_, name) => void taken.push(String(name)) });
  const evaluate = (names: string[]): Record<string, unknown> => {
    const script = `(function (globalThis, list_files) { ${statements}\nreturn { ${names.join(', ')} }; })`;
    const run = runInThisContext(script) as (inputs: object, listFiles: () => string[]) => Record<string, unknown>;
    return run(nothing, () => []);
  };
  evaluate([]);
  return evaluate([...taken]);
}

describe.each(recipes)('$file', (recipe) => {
  const { file, description, inputs, example } = recipe;

  test('says in one line what it does, and is run by a test', () => {
    expect(description).toMatch(/^[A-Z].{20,95}\.$/);
    expect(example).toMatch(new RegExp(`^mustard-sandbox run ${file} `));
    expect(tests.some((text) => text.includes(`'${file}'`))).toBe(true);
  });

  test('has the inputs and the defaults that its header names', () => {
    const taken = inputsTaken(recipe);
    const declared = inputs.map((input) => [input.name, input.default] as const);
    expect(Object.keys(taken).toSorted()).toEqual(inputs.map(({ name }) => name).toSorted());
    expect(taken).toEqual(Object.fromEntries(declared));
    expect(Object.keys(exampleInputs(recipe)).filter((name) => !(name in taken))).toEqual([]);
  });

  test.each(inputs)('refuses an object for $name', async ({ name }) => {
    const given = { ...exampleInputs(recipe), [name]: { a: 1 } };
    const error = await failureOf(runExample(file, { scope: attach('a.txt', ''), inputs: given }));
    expect(error).toMatchObject({ code: 'script_error' });
    expect(error.message).toMatch(new RegExp(`^Error: ${name} must be .+, but is \\{"a":1\\}`));
  });

  const required = inputs.filter((input) => input.required);
  test.runIf(required.length > 0)('asks for what is required', async () => {
    const [{ name } = { name: '' }] = required;
    const { [name]: _, ...others } = exampleInputs(recipe);
    const error = await failureOf(runExample(file, { scope: attach('a.txt', ''), inputs: others }));
    expect(error.message).toMatch(new RegExp(`^Error: ${name} must be .+, but is missing`));
  });

  const readsOneFile = inputs.some((input) => input.name === 'file' && !('default' in input));
  test.runIf(readsOneFile)('asks for a text file', async () => {
    const given = exampleInputs(recipe);
    const none = await failureOf(runExample(file, { scope: {}, inputs: given }));
    expect(none.message).toMatch(/^Error: file must be the path of a text file, or one must be attached/);
    const binary = attach('a.gz', Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 255, 254));
    const error = await failureOf(runExample(file, { scope: binary, inputs: given }));
    expect(error.message).toMatch(/attachments:a\.gz(?: is not text|" cannot be read)/);
  });

  test.runIf(readsOneFile)('takes an empty file', async () => {
    const { value } = await runExample(file, { scope: attach('a', ''), inputs: exampleInputs(recipe) });
    expect(JSON.stringify(value).length).toBeLessThan(300);
  });

  test.skipIf(process.platform === 'win32')('its example runs as pasted, with a small answer', async () => {
    const folder = makeFolder(fixture);
    copyFileSync(join(examplesFolder, file), join(folder, file));
    // The shell takes it apart, and what it would start is run here.
    const { stdout: words } = await execa('/bin/sh', ['-c', example.replace('mustard-sandbox', "printf '%s\\0'")]);
    // A busy machine may need longer than the two seconds of a script, which are not what this is about.
    const args = [...words.split('\0').slice(0, -1), '--timeout', '60s', ...(await atServer()), '--upload-dir'];
    const { exitCode, stdout, stderr } = await cliInProcess(args, { cwd: folder });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringContaining('error:') as string });
    expect(stdout.length).toBeGreaterThan(1);
    expect(stdout.length).toBeLessThan(4096);
    // Not an answer that says nothing was found.
    expect(stdout).toMatch(/[1-9]|\w{3}/);
  });
});
