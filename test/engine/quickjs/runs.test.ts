import { describe, expect, it } from 'vitest';
import { failureOf, shared } from '../../client/support.ts';

const limits = { timeoutMs: 10_000 };
const valueOf = async (script: string): Promise<unknown> =>
  (await shared().run({ script, engine: 'quickjs', limits })).value;

describe('a run in QuickJS', () => {
  it('finds nothing of the run before it, and random numbers of its own', async () => {
    const script = 'globalThis.left = (globalThis.left ?? 0) + 1; Array.prototype.extra = 1; [left, Math.random()]';
    const [first, second] = [await valueOf(script), await valueOf(script)] as [number, number][];
    expect([first?.[0], second?.[0]]).toEqual([1, 1]);
    expect(first?.[1]).not.toBe(second?.[1]);
  });

  it('has no way to code from texts, to modules, to the sidecar or to timers', async () => {
    const script = `const found = [];
      const kinds = [() => {}, function* () {}, async () => {}, async function* () {}];
      for (const make of kinds) { try { make.constructor('return 1')(); found.push('made code'); } catch (e) { found.push(e.name); } }
      for (const name of ['require', 'process', 'setTimeout', 'fetch', 'WebAssembly', '__host']) found.push(typeof globalThis[name]);
      found`;
    expect(await valueOf(script)).toEqual([...Array(4).fill('TypeError'), ...Array(6).fill('undefined')]);
  });

  it.each([
    ['values', 'const l = []; for (;;) l.push({ a: [1, 2, 3] })', 'heap_bytes'],
    ['a text', '"x".repeat(1e9).length', 'heap_bytes'],
    ['names of functions', 'let f = () => 1; for (let i = 0; i < 50000; i++) f = f.bind(null); f()', 'heap_bytes'],
    ['turns', 'for (;;);', 'instructions'],
  ])('ends with limit_exceeded for %s over the limit, and the next goes on', async (_what, script, limit) => {
    const given = limit === 'instructions' ? { ...limits, instructions: 1e6 } : limits;
    const error = await failureOf(shared().run({ script, engine: 'quickjs', limits: given }));
    expect(error).toMatchObject({ code: 'limit_exceeded', details: { limit } });
    expect(await valueOf('1 + 1')).toBe(2);
  });

  it('can catch a recursion that is too deep, in its own code; one in native code ends it', async () => {
    expect(
      await valueOf('let n = 0; try { (function f() { n++; f(); })(); } catch (e) { [e.name, n > 1000] }'),
    ).toEqual(['RangeError', true]);
    const deep = "JSON.parse('['.repeat(1e5) + ']'.repeat(1e5))";
    const error = await failureOf(shared().run({ script: deep, engine: 'quickjs', limits }));
    expect(error.message).toMatch(/^RangeError: Maximum call stack size exceeded/);
    expect(await valueOf('1 + 1')).toBe(2);
  });

  it.each<[script: string, value: unknown, notes: string[]]>([
    [
      'new Map([["a", 1], ["b", new Set([2])]])',
      [
        ['a', 1],
        ['b', [2]],
      ],
      ['map-as-json', 'set-as-json'],
    ],
    ['new Date(0)', '1970-01-01T00:00:00.000Z', []],
    ['[2n ** 64n]', ['18446744073709551616'], ['bigint-as-json']],
    ['({ a: undefined, b: [undefined, , 1], c: -0 })', { b: [null, null, 1], c: 0 }, []],
    ['[NaN, Infinity, -Infinity, null]', [NaN, Infinity, -Infinity, null], []],
    ['const o = { n: 1 }; [o, o]', [{ n: 1 }, { n: 1 }], []],
    ['new Map([["x", 1]]).keys()', ['x'], ['iterator-as-json']],
    ['new Uint8Array([1, 2])', [1, 2], ['bytes-as-json']],
    ['class A { #p = 1; q = 2 } new A()', { q: 2 }, []],
    ['({ $: "NaN", a: NaN })', { $: 'NaN', a: NaN }, []],
    ['({ $: 1, a: undefined, b: [undefined] })', { $: 1, b: [null] }, []],
    ['undefined', undefined, []],
  ])('gives %s as JSON would, and says what it turned', async (script, value, notes) => {
    const result = await shared().run({ script, engine: 'quickjs', limits });
    expect(result.value).toEqual(value);
    expect(result.warnings.map(({ id }) => id).toSorted()).toEqual(notes);
  });

  it.each([
    ['a function', '[() => 1]', /a function: call it/],
    ['a symbol', '({ s: Symbol("x") })', /a symbol/],
    ['a promise', '[Promise.resolve(1)]', /a promise: await it/],
    ['a cycle', 'const a = []; a.push(a); a', /circular/],
  ])('refuses %s as its result', async (_what, script, message) => {
    const error = await failureOf(shared().run({ script, engine: 'quickjs', limits }));
    expect(error.message).toMatch(message);
  });

  it('reads TypeScript, and says what is no JavaScript with its place', async () => {
    expect(await valueOf('interface A { n: number }\nconst a: A = { n: 2 };\na.n as number')).toBe(2);
    const error = await failureOf(shared().run({ script: 'const a = 1;\nconst b = ;', engine: 'quickjs', limits }));
    expect(error).toMatchObject({ code: 'parse_error', details: { location: { line: 2 } } });
  });

  it('calls host functions one after the other without await, and at the same time with it', async () => {
    let open = 0;
    let most = 0;
    const ask = async (n: unknown): Promise<unknown> => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 20));
      open--;
      return n;
    };
    const call = async (script: string): Promise<unknown> => {
      most = 0;
      const { value } = await shared().run({ script, hostFunctions: { ask }, limits });
      return [value, most];
    };
    expect(await call('[1, 2, 3].map((n) => ask(n))')).toEqual([[1, 2, 3], 1]);
    expect(await call('await Promise.all([1, 2, 3].map((n) => ask(n)))')).toEqual([[1, 2, 3], 3]);
  });
});
