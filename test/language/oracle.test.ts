import { afterAll, describe, expect, test } from 'vitest';
import { judge, judgeByCause, type SandboxOutcome, type WantedOutcome } from '../../fuzz/language/judge.mjs';
import { ProgramRunner } from '../../fuzz/language/program-runner.mjs';

const v8 = new ProgramRunner<WantedOutcome>('v8-child.mjs');
const engine = new ProgramRunner<SandboxOutcome>('engine-child.mjs');
afterAll(() => {
  v8.close();
  engine.close();
});

describe('what V8 says', () => {
  const rows: [source: string, outcome: WantedOutcome][] = [
    ['1 + 1', { value: '2' }],
    ['[-0, NaN, undefined, , null, "a", 5n]', { value: '[0,NaN,null,null,null,"a","5"]' }],
    ['({ b: 1, a: { 2: "\\ud83d", 1: [] } })', { value: '{"b":1,"a":{"1":[],"2":"\\ud83d"}}' }],
    ['new Map([[1, 2]])', { value: '[[1,2]]' }],
    ['const a = {}; a.b = a; a', { value: '{"b":<cycle>}' }],
    ['throw new RangeError("no")', { threw: 'RangeError' }],
    ['({ get a() { throw new TypeError() } })', { threw: 'TypeError' }],
    ['let a = ;', { threw: 'SyntaxError' }],
    ['let a = 1; let a = 2', { threw: 'SyntaxError' }],
    ['return 5', { value: '5' }],
    ['if (true) { return 5 }\nreturn 6', { value: '5' }],
    ['const f = async () => -0; const v = await f(); v', { value: '-0' }],
    ['await null; [1].map((x) => x * 2)', { value: '[2]' }],
    ['for (const x of await Promise.all([1, 2])) x', { value: '2' }],
    ['await null; throw new RangeError("no")', { threw: 'RangeError' }],
    ['if (await 1) { return [5] }\nreturn 6', { value: '[5]' }],
    ['const main = async () => [1]; main()', { value: '[1]' }],
    ['Promise.reject(new TypeError("x"))', { threw: 'TypeError' }],
    ['const out = []; Promise.resolve(1).finally(() => out.push(2)); out', { value: '[2]' }],
  ];

  test.each(rows)('of %s', async (source, outcome) => {
    expect(await v8.run([source])).toEqual([outcome]);
  });

  test('in a context of its own a program leaves nothing for the next', async () => {
    expect(await v8.run(['globalThis.left = 1', 'typeof left'])).toEqual([{ value: '1' }, { value: '"undefined"' }]);
    expect(await v8.run(['const a = 1; a', 'const a = 2; a'], { shared: true })).toEqual([
      { value: '1' },
      { value: '2' },
    ]);
  });

  test('a program that holds up its process is told, and costs those after it nothing', async () => {
    const endless = "const list = [];\nlist.length = 4_000_000_000;\nlist.join('').length";
    expect(await engine.run([endless])).toEqual([{ died: 'it did not answer' }]);
    expect(await engine.run(['2'])).toMatchObject([{ value: '2' }]);
  });
});

test('V8 ends a program that does not end, and goes on with those after it', async () => {
  const impatient = new ProgramRunner<WantedOutcome>('v8-child.mjs', { programMs: 500 });
  const outcomes = await impatient.run(['while (true) {}', '1 + 1'], { shared: true });
  impatient.close();
  expect(outcomes).toEqual([{ died: 'it does not end' }, { value: '2' }]);
});

describe('the verdict', () => {
  const rows: [wanted: WantedOutcome, got: SandboxOutcome, verdict: string][] = [
    [{ value: '1' }, { value: '1' }, 'same'],
    [{ value: '-0' }, { value: '0' }, 'wrong'],
    [{ value: '1' }, { value: '1', warnings: ['x'] }, 'same'],
    [{ value: '2' }, { value: '1', warnings: ['x'] }, 'wrong'],
    [{ value: '[0.1234567890123456]' }, { value: '[0.12345678901234562]' }, 'documented'],
    [{ value: '[0.1234567890123456]' }, { value: '[0.1234567890124457]' }, 'wrong'],
    [{ value: '"x is not a function"' }, { value: '"value is not callable"' }, 'documented'],
    [{ value: '"TypeError: x is not a function"' }, { value: '"Error: x"' }, 'wrong'],
    [{ value: '"my own text"' }, { value: '"another text"' }, 'wrong'],
    [{ value: '1' }, { code: 'unsupported_syntax', message: '' }, 'refused'],
    [{ value: '1' }, { code: 'limit_exceeded', message: '' }, 'refused'],
    [{ value: '1' }, { code: 'protocol_error', message: '' }, 'wrong'],
    [{ threw: 'TypeError' }, { code: 'script_error', message: '' }, 'same'],
    [{ threw: 'TypeError' }, { code: 'protocol_error', message: '' }, 'wrong'],
    [{ threw: 'TypeError' }, { value: 'undefined' }, 'wrong'],
    [{ value: '1' }, { untyped: 'Error: x' }, 'wrong'],
    [{ value: '1' }, { died: 'of memory' }, 'wrong'],
    [{ value: '1' }, { code: 'sidecar_crashed', message: '' }, 'refused'],
    [{ died: 'it did not answer' }, { value: '1' }, 'skipped'],
  ];

  test.each(rows)('of %j and %j is %s', (wanted, got, verdict) => {
    expect(judge(wanted, got).verdict).toBe(verdict);
  });

  const runBoth = async (source: string): Promise<[WantedOutcome, SandboxOutcome]> => {
    const [[wanted], [got]] = await Promise.all([v8.run([source]), engine.run([source])]);
    return [wanted!, got!];
  };
  const causes: [source: string, verdict: string, why: string][] = [
    ["Object.keys({ ...'ab' }).length", 'documented', 'spread-text'],
    ['[0, NaN, 1, 0.5, 2, 3, -1].toReversed().sort((a, b) => a > b)', 'documented', 'comparators'],
    [
      "[[0, NaN, 1, 0.5, 2, 3, -1].toReversed().sort((a, b) => a > b), Object.keys({ ...'ab' })]",
      'documented',
      'comparators and spread-text',
    ],
  ];

  test.each(causes)('of %s by its cause', async (source, verdict, why) => {
    expect(await judgeByCause(source, ...(await runBoth(source)), runBoth)).toEqual({ verdict, why });
  });

  test('a construct with a documented difference excuses no other', async () => {
    const source = '[3, 1].sort((a, b) => a > b); 2';
    const verdict = await judgeByCause(source, { value: '3' }, { value: '2' }, async (simpler) => {
      const [, got] = await runBoth(simpler);
      return [{ value: '3' }, got];
    });
    expect(verdict).toEqual({ verdict: 'wrong', why: 'another value' });
  });
});
