import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox, type Sandbox } from '@mustard-sandbox/client';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { run } from './support.ts';

// What such scripts mean beside V8 is in test/language/idioms/await.txt.

let folder: string;
let sandbox: Sandbox;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mustard-sequential-'));
  writeFileSync(join(folder, 'a.txt'), 'hello world\n12 EUR');
  writeFileSync(join(folder, 'b.txt'), 'b');
  sandbox = createSandbox({ isolation: 'process', spares: 0 });
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

const valueOf = async (script: string): Promise<unknown> =>
  (await sandbox.run({ script, scope: { root: folder } })).value;

it.each<[string, unknown]>([
  ['async function main() { const t = read_file("a.txt"); return t.length; } main()', 18],
  [
    'const main = async () => { const t = await read_file("a.txt"); return /\\d+(?= EUR)/.exec(t)[0]; }; await main()',
    '12',
  ],
  ['(async () => { const { size } = file_stats("a.txt"); return { size }; })()', { size: 18 }],
  ['const f = (p) => file_stats(p).size; const g = async () => 1; await g(); ["a.txt", "b.txt"].map(f)', [18, 1]],
  ['async function f() { let n = 0; for (const l of lines("a.txt")) n += l.length; return n; } await f()', 17],
])('a script whose calls are all awaited at once runs as one without async: %s', async (script, expected) => {
  expect(await valueOf(script)).toEqual(expected);
});

it.each<[string, unknown]>([
  ['const t = read_file("a.txt"); const g = async () => t.length; await Promise.all([g()])', [18]],
  ['await Promise.all(["a.txt", "b.txt"].map(async (p) => read_file(p).length))', [18, 1]],
  ['await Promise.all(["a.txt", "b.txt"].map(async (p) => { const { size } = file_stats(p); return size; }))', [18, 1]],
  [
    'async function f() { return `${read_file("b.txt")}` + (read_file("b.txt") === "b"); } Promise.all([f()])',
    ['btrue'],
  ],
  [
    'async function f() { for (const l of lines("b.txt")) { if (file_stats("a.txt").size > 3) return l; } } f().then((l) => l + 1)',
    'b1',
  ],
  ['async function f() { return search("a.txt", /o(?= )/).length; } f().then((n) => n)', 1],
  ['async function f() { return JSON.stringify({ t: read_file("b.txt") }); } f().then(JSON.parse)', { t: 'b' }],
])('elsewhere a built-in is waited for: %s', async (script, expected) => {
  expect(await valueOf(script)).toEqual(expected);
});

it.each<[string, unknown]>([
  ['await Promise.all(["a.txt", "b.txt"].map((p) => read_file(p)))', ['hello world\n12 EUR', 'b']],
  ['const get = (p) => read_file(p); const g = async () => (await get("b.txt")).length; await Promise.all([g()])', [1]],
  ['function get(p) { return read_file(p); } await Promise.all(["b.txt"].map(get))', ['b']],
  ['async function f() { return 1; } f().then(() => read_file("b.txt"))', 'b'],
])('a promise that its caller takes is left to it: %s', async (script, expected) => {
  expect(await valueOf(script)).toEqual(expected);
});

const asynchronous = 'const g = async () => 1; await Promise.all([g()]);';
it.each([
  `${asynchronous} ["a.txt"].map((p) => file_stats(p)).join()`,
  `${asynchronous} const f = (p) => file_stats(p).size; f("a.txt")`,
  `${asynchronous} const f = (p) => file_stats(p); f("a.txt").size`,
  `${asynchronous} const f = (p) => file_stats(p); const h = f; (await f("a.txt")).size + h("a.txt").size`,
  `${asynchronous} function f(p) { if (read_file(p) === "b") return 1; return 2; } f("b.txt")`,
  `${asynchronous} async function f(t = read_file("b.txt")) { return t.length; } await f()`,
  `${asynchronous} class A { text = read_file("b.txt"); } new A().text.length`,
  `${asynchronous} const o = { get text() { return read_file("b.txt"); } }; o.text.length`,
])('a call that nobody can wait for is refused, where it stands: %s', async (script) => {
  await expect(valueOf(script)).rejects.toMatchObject({
    code: 'unsupported_syntax',
    message: expect.stringMatching(
      /(?:read_file|file_stats)\(\) gives a promise .* leave async, await and Promise out/s,
    ),
    details: { location: { line: 1 } },
  });
});

test('an error in a function that is no longer async is where it was written', async () => {
  await expect(run('async function main() {\n  await 0;\n  missing();\n}\nmain()')).rejects.toMatchObject({
    details: { subject: 'missing', location: { line: 3, column: 3 } },
  });
});

test('calls of a host function that are awaited one by one are made one by one', async () => {
  let under = 0;
  let most = 0;
  const slow = async (n: unknown): Promise<number> => {
    most = Math.max(most, ++under);
    await new Promise((resolve) => setImmediate(resolve));
    under--;
    return Number(n);
  };
  const script =
    'async function main() { let n = 0; for (let i = 0; i < 3; i++) n += await slow(i); return n; } await main()';
  expect((await run(script, { host: { slow } })).value).toBe(3);
  expect(most).toBe(1);
});
