import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';

interface Result {
  file: string;
  verdict: string;
  group?: string;
  id?: string;
  isSilent?: boolean;
  why?: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const madeUp = fileURLToPath(new URL('fixtures/package', import.meta.url));
const load = async <T>(file: string): Promise<T> => (await import(new URL(file, `file://${root}test262/`).href)) as T;

const { findPackage } = await load<{ findPackage: () => string | undefined }>('install.mjs');
const { parseOptions } = await load<{ parseOptions: (args: string[]) => unknown }>('options.mjs');
const { pageOf } = await load<{ pageOf: (results: Result[]) => string }>('page.mjs');
const { groupOf } = await load<{ groupOf: (test: unknown) => { id: string } | undefined }>('groups.mjs');

const command = async (...args: string[]) =>
  await execa(process.execPath, ['test262/index.mjs', ...args], { cwd: root, reject: false });

async function ran(...args: string[]): Promise<{ results: Result[]; stdout: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'mustard-test262-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'results.json');
  const { exitCode, stdout, stderr } = await command(...args, '--json', file);
  expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
  return { results: JSON.parse(readFileSync(file, 'utf8')) as Result[], stdout };
}

test('judges tests that are made up for it, each as it is meant, and prints the counts and the files that are asked for', async () => {
  const { results, stdout } = await ran('--package', madeUp, '--only', 'Made', '--list', 'wrong');
  const found = results.map(({ file, verdict, group, id, isSilent }) => {
    const name = file.replace(/^.*\/|\.js$/g, '');
    return [name, [verdict, ...(isSilent ? ['silent'] : []), ...(id ? [id] : []), ...(group ? [group] : [])].join(' ')];
  });
  // `WebAssembly` is there in V8 alone.
  expect(Object.fromEntries(found)).toEqual({
    documented: 'wrong silent spread-text',
    endless: 'refused',
    negative: 'pass',
    'negative-thrown': 'pass',
    'not-thrown': 'wrong silent',
    'not-valid': 'invalid',
    'other-error': 'wrong',
    outside: 'refused code',
    passes: 'pass',
    refused: 'refused',
    'refused-in-catch': 'pass',
    sloppy: 'pass',
    throws: 'pass',
    waits: 'pass',
    'waits-error': 'wrong silent',
    'waits-told': 'wrong silent',
    'waits-wrong': 'wrong silent',
    'wrong-value': 'wrong silent',
  });
  expect(stdout).toContain('17 tests: 7 pass, 2 refused, 1 documented, 5 value, 1 error, 1 invalid');
  expect(stdout).toMatch(/^value {6}test\/built-ins\/Made\/wrong-value\.js: .*undefined is not object/m);
  expect(stdout).toMatch(/^error {6}test\/built-ins\/Made\/other-error\.js: ReferenceError/m);
  expect(stdout).not.toContain('passes.js');
});

test.each([
  [['--only', 'Nothing', '--package', madeUp], 1, "The package has no tests of 'Nothing'."],
  [['--what'], 2, "Unknown option '--what'"],
])('says what is wrong with %j', async (args, code, words) => {
  const { exitCode, stderr } = await command(...args);
  expect(stderr).toContain(words);
  expect(exitCode).toBe(code);
});

test.each([
  [['--list', 'all'], '--list wants one of'],
  [['--page', 'page.md', '--only', 'Math'], 'leave out --only'],
  [['Math'], "Unknown argument 'Math'."],
])('refuses %j', (args, words) => {
  expect(() => parseOptions(args)).toThrow(words);
});

test.each([
  ["assert.sameValue([1, 2].map((n) => n).join(), '1,2');", undefined],
  ['f instanceof Function; Function.prototype; typeof Function;', undefined],
  ["// of eval\nassert.sameValue('a'.length, 1);", undefined],
  ["new Function('return 1')();", 'code'],
  ["eval('1');", 'code'],
  ["import('a.js');", 'modules'],
  ['$262.createRealm();', 'realms'],
  ['new SharedArrayBuffer(8);', 'shared'],
])('%s is of the group %s', (code, group) => {
  expect(groupOf({ file: 'a.js', source: code, flags: [], includes: [], features: [] })?.id).toBe(group);
});

test('the page is one that the command has written as it is now', () => {
  const page = readFileSync(join(root, 'docs/test262.md'), 'utf8');
  const prose = (text: string): string[] =>
    text.split('\n').flatMap((line) => (line.startsWith('|') || line === '' ? [] : [line.replaceAll(/\d+/g, 'N')]));
  expect(prose(page).join(' ')).toBe(prose(pageOf([])).join(' '));
  const [, valid, ...counts] =
    /Of\s+the (\d+) other tests that V8 passes \*\*(\d+) pass\*\* here \([\d.]+ %\), (\d+) are refused .*?\s(\d+) fail because of .*?, (\d+) get\s+another\s+value, and (\d+) end/s.exec(
      page,
    ) ?? [];
  expect(counts.reduce((sum, each) => sum + Number(each), 0)).toBe(Number(valid));
  expect(Number(counts[0]) / Number(valid)).toBeGreaterThan(0.97);
});

const isInstalled = findPackage() !== undefined;
if (!isInstalled) console.warn('The tests of the standard are not installed: npm run test262 fetches them. Skipped.');

test.runIf(isInstalled)('nothing of Math and Map is wrong', async () => {
  const results = (await ran('--only', 'Math,Map')).results.filter(({ group }) => group === undefined);
  expect(results.length).toBeGreaterThan(150);
  expect(results.filter(({ verdict, id }) => verdict === 'wrong' && id === undefined)).toEqual([]);
});
