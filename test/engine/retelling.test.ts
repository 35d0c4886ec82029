import type { RunOptions } from '@mustard-sandbox/client';
import { describe, expect, it } from 'vitest';
import { failureOf, shared } from '../client/support.ts';

/** Of a script that `auto` gives to MustardScript. */
async function failureIn(
  script: string,
  options: Omit<RunOptions, 'script'> = {},
): Promise<[message: string, precision: string | undefined]> {
  const { message, details } = await failureOf(shared().run({ script, ...options }));
  expect(details.engine).toBe('mustardscript');
  return [message, details.location?.precision];
}

const item = (): unknown => ({ a: null, b: {} });

describe('the failure of a script in MustardScript is told as QuickJS tells it', () => {
  it.each([
    ['const x = item(); x.y.z', "TypeError: Cannot read properties of undefined (reading 'z') (line 1:19)"],
    ['const x = item();\nx.a.z', "TypeError: Cannot read properties of null (reading 'z') (line 2:1)"],
    [
      'const x = item();\nconst y = x.b.c.d;\ny',
      "TypeError: Cannot read properties of undefined (reading 'd') (line 2:11)",
    ],
    ['const x = await item();\nx.a.z', "TypeError: Cannot read properties of null (reading 'z') (line 2:1)"],
    ['item(nope)', 'ReferenceError: nope is not defined (line 1:6)'],
  ])('%j: %s', async (script, message) => {
    for (const engine of ['auto', 'mustardscript'] as const) {
      expect(await failureIn(script, { hostFunctions: { item }, engine })).toEqual([message, 'statement']);
    }
  });

  it('but not where the engine was forced, and the script would mean something else in QuickJS', async () => {
    // `auto` gives a script with an array method of a callback that MustardScript lacks to QuickJS.
    const script = 'const x = item();\nx.a.z + [2, 1].toSorted().length';
    expect(await failureIn(script, { hostFunctions: { item }, engine: 'mustardscript' })).toEqual([
      expect.stringMatching(/^TypeError: cannot read properties of nullish value/),
      'function',
    ]);
  });

  it('without a call or a line of the console that the script did not make', async () => {
    const calls: unknown[] = [];
    const lines: string[] = [];
    const note = (value: unknown): unknown => (calls.push(value), null);
    const script = `console.log('begun'); const x = note('one'); console.warn('now'); note('two').y.z`;
    const options = { hostFunctions: { note }, onConsole: ({ text }: { text: string }) => lines.push(text) };
    const { message, details } = await failureOf(shared().run({ script, ...options }));
    expect(message).toMatch(/^TypeError: Cannot read properties of null \(reading 'y'\)/);
    expect({ calls, lines, counted: details.spent?.hostCalls }).toEqual({
      calls: ['one', 'two'],
      lines: ['begun', 'now'],
      counted: 2,
    });
  });

  it('with what the host function threw, at the call of it that failed', async () => {
    const details = { status: 404 };
    const find = (name: unknown): string => {
      if (name === 'b') throw Object.assign(new RangeError('none'), { code: 'E_NONE', details });
      return 'found';
    };
    const script = `find('a');\nfind('b');\nfind('c')`;
    const error = await failureOf(shared().run({ script, hostFunctions: { find } }));
    expect(error).toMatchObject({
      message: 'RangeError: none (line 2:1)',
      details: { engine: 'mustardscript', thrownCode: 'E_NONE', thrownDetails: details },
    });
  });

  it('but not where what it got was too much to keep', async () => {
    const large = (): unknown => ['x'.repeat(5_000_000)];
    expect(await failureIn('large().y.z', { hostFunctions: { large } })).toEqual([
      expect.stringMatching(/^TypeError: cannot read properties of nullish value/),
      'function',
    ]);
  });
});
