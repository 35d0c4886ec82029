import { appendFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { SandboxError, type SegmentOptions, type SegmentResult } from '@mustard-sandbox/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inOneGo, inSegments, taking } from './support.ts';

type Waiting = Extract<SegmentResult, { state: 'waiting' }>;
const ask = { ask: (value: unknown) => value };
const hostFunctions = ['ask'];

async function waiting(options: Partial<SegmentOptions> & { script: string }): Promise<Waiting> {
  const result = await taking().runSegment({ hostFunctions, engine: 'quickjs', ...options });
  if (result.state !== 'waiting') throw new Error('It did not wait.');
  return result;
}

async function errorOf(promise: Promise<unknown>): Promise<SandboxError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SandboxError);
  return error as SandboxError;
}

const answer = (snapshot: Uint8Array, value: unknown, id = 1): NonNullable<SegmentOptions['from']> => ({
  snapshot,
  answers: [{ id, value }],
});

describe('what a segment says', () => {
  test('all calls that the script waits for, with their places', async () => {
    const script = 'const x = 1;\nconst [a, b] = await Promise.all([ask(x), ask({ y: undefined, n: NaN })]);\n[a, b]';
    const { calls, engine, engineVersion } = await waiting({ script });
    expect(engine).toBe('quickjs');
    expect(engineVersion).toMatch(/^3\.\d+\.\d+\+[0-9a-f]{16}$/);
    expect(calls).toEqual([
      { id: 1, name: 'ask', args: [1], line: 2, column: 35 },
      { id: 2, name: 'ask', args: [{ n: NaN }], line: 2, column: 43 },
    ]);
  });

  test('in MustardScript one call at a time, with its place where there is only one', async () => {
    const one = await waiting({ script: 'let a = 1;\na = await ask(a); a', engine: 'mustardscript' });
    expect(one.calls).toEqual([{ id: 1, name: 'ask', args: [1], line: 2, column: 11 }]);
    const two = await waiting({ script: 'await Promise.all([ask(1), ask(2)])', engine: 'mustardscript' });
    expect(two.calls).toEqual([{ id: 1, name: 'ask', args: [1] }]);
  });

  test('a call may be answered before the others', async () => {
    const script = 'const both = [ask("a"), ask("b")]; const first = await Promise.race(both); [first, await both[0]]';
    const first = await waiting({ script });
    const second = await waiting({ script, from: answer(first.snapshot, 'B', 2) });
    expect(second.calls.map(({ id }) => id)).toEqual([1]);
    const end = await taking().runSegment({ script, hostFunctions, from: answer(second.snapshot, 'A') });
    expect(end).toMatchObject({ state: 'completed', value: ['B', 'A'] });
  });

  test('inputs, and values of any kind as answers', async () => {
    const script = 'const got = await ask(data.n); [data.n, got === undefined, await ask(2)]';
    const { result } = await inSegments(
      taking(),
      script,
      { ask: (n: number) => (n === 2 ? [NaN, -0] : undefined) },
      {
        inputs: { data: { n: 7 } },
      },
    );
    expect(result.value).toEqual([7, true, [NaN, 0]]);
  });
});

describe('what cannot wait says so', () => {
  test('a call without await, at that call and not catchable', async () => {
    const script = 'let caught = false; try { ask(1); } catch { caught = true; } caught';
    const error = await errorOf(taking().runSegment({ script, hostFunctions, engine: 'quickjs' }));
    expect(error.code).toBe('cannot_freeze');
    expect(error.message).toContain('Write await ask(');
    expect(error.details.capability).toBe('ask');
  });

  test('a race in MustardScript, whose snapshot it does not load again', async () => {
    const script = 'await Promise.race([ask(1), ask(2)])';
    const error = await errorOf(taking().runSegment({ script, hostFunctions, engine: 'mustardscript' }));
    expect(error.code).toBe('cannot_freeze');
    expect(error.message).toContain("engine: 'quickjs'");
  });

  test('more than the limit on snapshots', async () => {
    const script =
      'const big = []; for (let i = 0; i < 30000; i++) big.push(Math.random() + "x"); await ask(1); big.length';
    const limits = { snapshotBytes: 200_000 };
    const error = await errorOf(taking().runSegment({ script, hostFunctions, limits }));
    expect(error).toMatchObject({ code: 'limit_exceeded', details: { limit: 'snapshot_bytes', value: 200_000 } });
    expect(error.details.actual).toBeGreaterThan(200_000);
  });
});

describe('what is refused', () => {
  const script = 'const a = await ask(1); a + 1';

  test.each(['quickjs', 'mustardscript'] as const)('damage anywhere, in %s', async (engine) => {
    const { snapshot } = await waiting({ script, engine });
    for (let at = 0; at < snapshot.length; at += Math.ceil(snapshot.length / 12)) {
      const damaged = Buffer.from(snapshot);
      damaged[at] = (damaged[at] as number) ^ 0x41;
      const error = await errorOf(taking().runSegment({ script, hostFunctions, from: answer(damaged, 1) }));
      expect(error).toMatchObject({ code: 'snapshot_refused', details: { refusal: 'damaged' } });
    }
    const cut = snapshot.subarray(0, snapshot.length / 2);
    expect((await errorOf(taking().runSegment({ script, from: answer(cut, 1) }))).details.refusal).toBe('damaged');
  });

  test('another script', async () => {
    const { snapshot } = await waiting({ script });
    const error = await errorOf(
      taking().runSegment({ script: `${script} `, hostFunctions, from: answer(snapshot, 1) }),
    );
    expect(error).toMatchObject({ code: 'snapshot_refused', details: { refusal: 'other_script' } });
  });

  test('answers to calls that are not pending, and inputs a second time', async () => {
    const { snapshot } = await waiting({ script });
    const from = answer(snapshot, 1, 5);
    expect((await errorOf(taking().runSegment({ script, hostFunctions, from }))).message).toContain('wait for call 5');
    const twice = { snapshot, answers: [1, 2].map((value) => ({ id: 1, value })) };
    expect((await errorOf(taking().runSegment({ script, hostFunctions, from: twice }))).code).toBe('invalid_request');
    const inputs = { x: 1 };
    const error = await errorOf(taking().runSegment({ script, inputs, hostFunctions, from: answer(snapshot, 1) }));
    expect(error.message).toContain('inputs are in the snapshot');
  });
});

describe('what counts goes on', () => {
  test('instructions, calls and bytes, in the numbers and in their limits', async () => {
    const folder = folderWith({ 'a.txt': 'x'.repeat(1000) });
    const script = `let n = 0; for (let i = 0; i < 3; i++) { for (let k = 0; k < 300000; k++) n++; read_file('a.txt'); await ask(i); } n`;
    const scope = { root: folder };
    const { result, waits } = await inSegments(taking(), script, ask, { scope, engine: 'quickjs' });
    const used = [...waits, result].map((each) => each.instructionsUsed);
    expect(used).toEqual(used.toSorted((one, other) => one - other));
    expect(result.instructionsUsed).toBeGreaterThan(2.5 * (used[0] as number));
    expect(result).toMatchObject({ hostCalls: 6, bytesRead: 3000, value: 900_000 });
    const few = (options: Partial<SegmentOptions>) => errorOf(inSegments(taking(), script, ask, { scope, ...options }));
    expect((await few({ limits: { hostCalls: 2 } })).details.limit).toBe('host_calls');
    expect((await few({ limits: { instructions: 700_000 }, engine: 'quickjs' })).details.limit).toBe('instructions');
    expect((await few({ scope: { ...scope, maxTotalReadBytes: 2500 } })).details.limit).toBe('total_read_bytes');
  });

  test('the time that is computed', async () => {
    const script =
      'for (let i = 0; i < 40; i++) { let n = 0; for (let k = 0; k < 1000000; k++) n += k; await ask(i); }';
    const error = await errorOf(
      inSegments(taking(), script, ask, { limits: { timeoutMs: 250, instructions: 2e9 }, engine: 'quickjs' }),
    );
    expect(error).toMatchObject({ code: 'timeout', details: { value: 250 } });
  });

  test('what may be written to the console', async () => {
    const script = `for (let i = 0; i < 3; i++) { for (let k = 0; k < 30; k++) console.log('x'.repeat(16000)); await ask(i); }`;
    const { console } = await inSegments(taking(), script, ask, { engine: 'quickjs' });
    expect(console.filter((line) => line.startsWith('[console output over'))).toHaveLength(1);
    expect(console.join('').length).toBeLessThan(1024 * 1024 + 20_000);
  });
});

function folderWith(files: Record<string, string | Buffer>): string {
  const folder = mkdtempSync(join(tmpdir(), 'segments-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

describe('built-ins', () => {
  const line = (n: number): string => `line ${n} ${'é'.repeat(80)}`;
  const text = Array.from({ length: 9_000 }, (_, n) => line(n)).join('\n');
  const script = `
    const seen = []; let count = 0;
    for (const l of lines(path)) { count++; if (count % 2900 === 1) seen.push([await ask(count), l.slice(0, 12)]); }
    [seen, count]`;

  test.each([
    ['plain', 'log.txt', text],
    ['with a byte order mark', 'bom.txt', `\ufeff${text}`],
    ['compressed', 'log.gz', gzipSync(text)],
    ['in UTF-16', 'wide.txt', Buffer.from(`\ufeff${text}`, 'utf16le')],
    [
      'with bytes that are no UTF-8',
      'broken.txt',
      Buffer.concat([Buffer.from(text), Buffer.from([10, 0xff, 0xfe, 10])]),
    ],
  ])('a loop over lines goes on at the right line: %s', async (_, name, content) => {
    const options: Partial<SegmentOptions> = {
      scope: { root: folderWith({ [name]: content }) },
      inputs: { path: name },
    };
    const expected = await inOneGo(taking(), script, ask, options);
    const { result, waits } = await inSegments(taking(), script, ask, options);
    expect(result.value).toEqual(expected.value);
    expect(waits).toHaveLength(4);
    // What it takes to come back to a place is not counted again.
    expect(result.bytesRead).toBeLessThan(1.2 * Math.max(Buffer.byteLength(text), content.length));
  });

  test('several loops at once, one of them left', async () => {
    const root = folderWith({ 'a.txt': 'a1\na2\na3\n', 'b.txt': 'b1\nb2\n' });
    const two = `const a = lines('a.txt'), b = lines('b.txt'); const out = [a.next().value, b.next().value];
      for (const x of lines('a.txt')) { out.push(await ask(x)); break; }
      out.push(a.next().value, await ask('y'), [...a, ...b]); out`;
    const { result } = await inSegments(taking(), two, ask, { scope: { root } });
    expect(result.value).toEqual(['a1', 'b1', 'a1', 'a2', 'y', ['a3', 'b2']]);
  });

  const change: [string, (path: string) => void][] = [
    ['longer', (path) => appendFileSync(path, 'more\n')],
    ['of another time', (path) => utimesSync(path, 1, 1)],
    ['another text of the same length', (path) => writeFileSync(path, text.replace('line 0', 'LINE 0'))],
    ['gone', (path) => rmSync(path)],
  ];
  test.each(change)('a file that is %s meanwhile is refused, in the loop over it', async (_, act) => {
    const root = folderWith({ 'log.txt': text });
    const options = { script, scope: { root } };
    const first = await waiting({ ...options, inputs: { path: 'log.txt' } });
    act(join(root, 'log.txt'));
    const error = await errorOf(taking().runSegment({ ...options, hostFunctions, from: answer(first.snapshot, 1) }));
    expect(error).toMatchObject({ code: 'snapshot_refused', details: { refusal: 'file_changed', path: 'log.txt' } });
  });

  test('an error of a built-in that is thrown after a wait keeps its code', async () => {
    const root = folderWith({ 'a.txt': 'x' });
    const late = `let kept; try { read_file('.env'); } catch (error) { kept = error; } await ask(1); throw kept;`;
    const error = await errorOf(inSegments(taking(), late, ask, { scope: { root } }));
    expect(error).toMatchObject({ code: 'capability_denied', details: { capability: 'read_file', path: '.env' } });
  });

  test('warnings and names of attachments of all segments', async () => {
    const root = folderWith({ 'a.txt': 'hit\n'.repeat(200) });
    const attachments = [{ name: 'a.txt', path: join(root, 'a.txt') }];
    const both = `const n = search('attachments:a.txt', 'hit').length; await ask(n); n`;
    const { result } = await inSegments(taking(), both, ask, { scope: { attachments } });
    expect(result).toMatchObject({ value: 100, attachmentsRead: ['a.txt'], warnings: [{ id: 'search-limit' }] });
  });
});
