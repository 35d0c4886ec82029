import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

it.each([
  `[3,1,2].sort()`,
  `[10,9,1].sort()`,
  `['b',undefined,'a',,'c'].sort()`,
  `[3,1,2].sort((a,b)=>a-b)`,
  `[3,1,2].toSorted((a,b)=>b-a)`,
  `[{n:1},{n:3},{n:2}].sort((a,b)=>b.n-a.n)`,
  `[{n:'b'},{n:'a'}].sort((a,b)=>a.n.localeCompare(b.n))`,
  `Array.from({length:500},(_,i)=>(i*7919)%503).sort((a,b)=>a-b)`,
  `Array.from({length:500},(_,i)=>({n:(i*7919)%503})).sort((a,b)=>b.n-a.n)`,
  `Array.from({length:500},(_,i)=>({n:(i*7919)%50,i})).sort((a,b)=>a.n-b.n).map(x=>x.i)`,
  `Array.from({length:500},(_,i)=>String((i*7919)%503)).sort()`,
  `Array.from({length:500},(_,i)=>(i*7919)%503).sort()`,
  `Array.from({length:500},(_,i)=>'k'+(i*7919)%503).sort((a,b)=>a.localeCompare(b))`,
  `Array.from({length:500},(_,i)=>(i*7919)%503).sort((a,b)=>(a%7)-(b%7)||a-b)`,
  `[3,1,2].sort().map(x=>x*2).sort((a,b)=>b-a)[0]`,
  `[[2,'b'],[1,'a']].sort(([a],[b])=>a-b)`,
  `[true,false].sort((a,b)=>a-b)`,
  `[3,1,2].sort((a,b)=>a<b)`,
  `[12, 79814, 2, NaN, 1.5, 5].sort((a, b) => a - b)`,
  `const seen = []; [3, 1, 2, 5, 4].sort((a, b) => { seen.push([a, b]); return a - b; }); seen`,
])('%s', (script) => expectAsInV8(script));

/** So many that V8 sorts them: numbers and texts of every kind, many of them twice. */
const key = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -20, max: 20 }).map(String) },
  { weight: 4, arbitrary: fc.constantFrom('-0', '0', 'NaN', 'Infinity', '-Infinity', '0.1', '1e21', '-2.5', '5e-324') },
);
const text = fc.constantFrom(
  ...["''", "'a'", "'B'", "'b'", "'ä'", "'é'", "'10'", "'9'", "'Straße'", "'\\uffee'", "'a b'"],
);
const odd = fc.constantFrom('undefined', 'null', 'true', 'false', '');
const many = (item: fc.Arbitrary<string>) =>
  fc.array(item, { minLength: 200, maxLength: 230, size: 'max' }).map((items) => `[${items.join(', ')}]`);
const lists = fc.oneof(many(key), many(text), many(fc.oneof({ weight: 9, arbitrary: fc.oneof(key, text) }, odd)));
const rows = many(fc.tuple(key, text, key).map(([n, s, m]) => `{ n: ${n}, s: ${s}, at: [${m}, ${s}] }`));
const oddRows = many(
  fc.oneof(
    { weight: 30, arbitrary: fc.tuple(key, text).map(([n, s]) => `{ n: ${n}, s: ${s}, at: [1] }`) },
    fc.constantFrom('{ n: undefined, s: "x" }', '{ s: null, at: [] }', '{ n: "5", s: "x", at: [null] }'),
  ),
);

describe('many elements are sorted as V8 does it', () => {
  const ofElements = ['', '(a, b) => a - b', '(a, b) => b - a', '(a, b) => (a < b ? -1 : a > b ? 1 : 0)'];
  const ofRows = [
    '(a, b) => b.n - a.n',
    '(a, b) => a.s < b.s ? -1 : 1',
    'function (x, y) { return x.s > y.s ? 1 : x.s === y.s ? 0 : -1; }',
    '(a, b) => a.n - b.n || b.s.localeCompare(a.s)',
    '({ at: a }, { at: b }) => a[0] - b[0]',
    '(a, b) => a.at[0] > b.at[0] && -1 || a.at["1"].localeCompare(b.at["1"])',
    '(a, b) => a.s.toLowerCase().localeCompare(b.s.toLowerCase())',
    '(a, b) => new Date(b.n) - new Date(a.n)',
  ];
  const compare = (list: string, comparator: string, method: string): Promise<void> =>
    expectAsInV8(
      `const list = ${list}; const out = list.${method}(${comparator}); [out.map((it) => list.indexOf(it)), out]`.replace(
        'out]',
        'JSON.stringify(out), out.map((it) => Object.is(it, -0)), out.map((_, at) => at in out)]',
      ),
    );

  it.each(ofElements)('elements by `%s`', (comparator) =>
    fc.assert(
      fc.asyncProperty(lists, fc.constantFrom('sort', 'toSorted'), (list, method) => compare(list, comparator, method)),
      { numRuns: 8 },
    ),
  );

  it.each(ofRows)('rows by `%s`', (comparator) =>
    fc.assert(
      fc.asyncProperty(rows, fc.constantFrom('sort', 'toSorted'), (list, method) => compare(list, comparator, method)),
      { numRuns: 5 },
    ),
  );

  it.each(ofRows.slice(0, 6))('rows that lack some by `%s`', async (comparator) => {
    await fc.assert(
      fc.asyncProperty(oddRows, async (list) => {
        await expectAsInV8(`try { ${list}.sort(${comparator}).map((it) => it.n + it.s); } catch (e) { e.name; }`);
      }),
      { numRuns: 5 },
    );
  });

  it('entries by their values, in place', () =>
    expectAsInV8(`const counts = {}; for (let i = 0; i < 500; i++) counts['k' + i] = (i * 7919) % 101; const list = Object.entries(counts);
      const again = list.sort(([, a], [, b]) => b - a); [again === list, list.slice(0, 5), list.length]`));

  it('a comparator that says more than its source shows is called', async () => {
    const { value } = await run(
      'let calls = 0; const list = Array.from({ length: 300 }, (_, i) => i % 7); list.sort((a, b) => { calls++; return a - b; }); [calls > 300, list[299]]',
    );
    expect(value).toEqual([true, 6]);
  });
});
