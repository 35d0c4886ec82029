import { afterAll, expect, test } from 'vitest';
import { judge, type SandboxOutcome, type WantedOutcome } from '../../fuzz/language/judge.mjs';
import { ProgramRunner } from '../../fuzz/language/program-runner.mjs';

const v8 = new ProgramRunner<WantedOutcome>('v8-child.mjs');
const engine = new ProgramRunner<SandboxOutcome>('engine-child.mjs');
afterAll(() => {
  v8.close();
  engine.close();
});

// What QuickJS or the prelude once gave otherwise than V8, as `npm run fuzz -- language` and the tests of the standard
// found it.
test.each([
  // Dates that QuickJS reads otherwise, or not at all.
  "['0099-01-01 03:04:05', '2024-01-32 03:04:05', '2024-01-1 3:4', '1970-00', '2023-07-00'].map((text) => Date.parse(text))",
  "['2024-01-01 3:4+02:00', '2024-06-21 07:45:58-0530', '2024-04-26t07:27:36z', '2024-11-03 20:11+2'].map((text) => Date.parse(text))",
  "['2024-02-30', '2024-02-30 10:00:00', '2024-12-31T23:59:59.123456Z', '2024-01-01T24:00'].map((text) => Date.parse(text))",
  "const d = new Date('2024-03-10T12:30:45.678Z'); d.setUTCHours(NaN); [d.getUTCMinutes(), String(d)]",
  'const d = new Date(NaN); [d.setFullYear(2024), d.setMonth(NaN), d.getTime(), d.setTime(5), Date.prototype.setHours.length]',
  // Built-in functions as texts.
  '[String(Math.max), `${[].map}`, String(function a( ) { return 1 })]',
  // A locale or options that are null.
  '(0).toLocaleString(null)',
  "(0).toLocaleString('en-US', null)",
  'new Date(0).toLocaleDateString(null)',
  "'a'.localeCompare('b', 'en', null)",
  "new Intl.NumberFormat('en', null)",
  // Lists of locales that are no arrays.
  '(0).toLocaleString(new Uint8Array([0]))',
  "(1234.5).toLocaleString({ length: 1, 0: 'de' })",
  "[(1234.5).toLocaleString(5), (1234.5).toLocaleString(['de', , 'en'])]",
  "(0).toLocaleString(new String('de'))",
  "[Intl.getCanonicalLocales(), Intl.getCanonicalLocales({ length: 2, 0: 'EN-us', 1: 'de' })]",
  '[Intl.NumberFormat.supportedLocalesOf(), "I".toLocaleLowerCase({ length: 1, 0: "tr" })]',
  '[Number.prototype.toLocaleString.length, "".localeCompare.length, Date.parse.name, Math.random.name]',
  // What a script made of lists and objects is its own affair.
  "Object.defineProperty(Object.prototype, 'get', { get() { return 1; }, configurable: true }); 5",
  "Array.prototype[Symbol.iterator] = null; Array.prototype.map = null; 'x'",
  'delete globalThis.Set; 7',
  '[Object(-Infinity), new Number(NaN), new Number(5)]',
  'typeof Object.getPrototypeOf(Function.prototype)',
])('%s is what it is in V8', async (source) => {
  const [wanted] = await v8.run([source]);
  const [got] = await engine.run([source]);
  expect([judge(wanted as WantedOutcome, got as SandboxOutcome), got]).toEqual([{ verdict: 'same' }, got]);
});

test('matches over a long text come in growing portions, each once and in order', async () => {
  const source =
    "const text = 'ab12 '.repeat(30_000); let count = 0; let sum = 0; for (const m of text.matchAll(/[a-z]+|\\\\d+/g)) { count++; sum += m.index % 7; } [count, sum]";
  const [wanted] = await v8.run([source.replaceAll('\\\\', '\\')]);
  const [got] = await engine.run([source.replaceAll('\\\\', '\\')]);
  expect(got).toEqual(wanted);
});
