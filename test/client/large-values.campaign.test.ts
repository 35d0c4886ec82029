import { describe, expect, it } from 'vitest';
import { failureOf, sandbox } from './support.ts';

/** What one value may hold: fields, lists and objects, as JSON on the wire, where `NaN` is an object with a field. */
const most = 300_000;

/** Values with that many of them. */
const values: [what: string, make: (items: number) => unknown][] = [
  ['NaN', (items) => new Array(Math.floor((items - 1) / 2)).fill(NaN)],
  ['records', (items) => Array.from({ length: Math.floor((items - 1) / 3) }, (_, id) => ({ id, name: 'x' }))],
  ['lists in a list', (items) => Array.from({ length: items - 1 }, () => [])],
];
/** The machines are slow at times, and this is not about time. */
const options = {
  maxTimeoutMs: 60_000,
  memoryBytes: 1024 ** 3,
  limits: { timeoutMs: 60_000, instructions: 1e9, allocations: 5e6 },
};

describe.each(values)('a value of %s', (_, make) => {
  it('may be a result up to the limit, which its host can read in a moment', async () => {
    const sent = make(most - 2);
    const { value } = await sandbox(options).run({ script: 'value', inputs: { value: sent } });
    expect(JSON.stringify(value)).toBe(JSON.stringify(sent));
  });

  it('is neither a result nor an argument beyond it', async () => {
    const box = sandbox(options);
    const inputs = { value: make(most + 6) };
    const error = await failureOf(box.run({ script: 'value', inputs }));
    expect(error).toMatchObject({
      code: 'limit_exceeded',
      details: { limit: 'value_items', value: most, unit: 'items' },
    });
    expect(error.details.actual).toBeGreaterThan(most);
    let calls = 0;
    const hostFunctions = { ask: () => calls++ };
    const other = sandbox(options);
    const { value } = await other.run({ script: 'try { ask(value) } catch (e) { e.code }', inputs, hostFunctions });
    expect({ value, calls }).toEqual({ value: 'limit_exceeded', calls: 0 });
  });
});

it('a list of a million numbers, and a long text, are as they were', async () => {
  const [numbers, text] = [new Array(1_000_000).fill(1), 'x'.repeat(5_000_000)];
  const { value } = await sandbox(options).run({ script: '[numbers, text]', inputs: { numbers, text } });
  expect(JSON.stringify(value) === JSON.stringify([numbers, text])).toBe(true);
});

it('a script calls host functions as often as its limit says', async () => {
  let calls = 0;
  const hostFunctions = { ask: () => ++calls };
  const box = sandbox(options);
  const script = 'for (let i = 0; i < n; i++) ask(); n';
  const run = (n: number) => box.run({ script, inputs: { n }, hostFunctions, limits: { hostCalls: 30 } });
  expect((await run(30)).value).toBe(30);
  calls = 0;
  expect(await failureOf(run(31))).toMatchObject({
    code: 'limit_exceeded',
    details: { capability: 'ask', limit: 'host_calls', value: 30, unit: 'calls' },
  });
  expect(calls).toBe(30);
});
