import fc from 'fast-check';
import { deepStrictEqual } from 'node:assert';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { sandboxValue } from '../../fuzz/arbitraries.mjs';
import { failureOf, sandbox, shared } from './support.ts';

function refuse(): never {
  throw new Error('not to be read');
}

/** An error some of whose fields throw when they are read. */
function hostile(...fields: string[]): Error {
  const error = new Error('x');
  for (const field of fields) Object.defineProperty(error, field, { get: refuse });
  return error;
}

const caught = 'try { ask() } catch (e) { [e.name, e.message, e.code] }';

/** By the rules of JSON, but for `NaN` and infinities: what a value is on the other side. */
function asItLeaves(value: unknown): unknown {
  if (Object.is(value, -0)) return 0;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Array.from(value, (item) => asItLeaves(item) ?? null);
  const fields = Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key, asItLeaves(item)]]));
  return Object.fromEntries(fields) as unknown;
}

describe('a host function', () => {
  it('gets its arguments and gives its answer, sync or async', async () => {
    const hostFunctions = { add: (a: unknown, b: unknown) => Number(a) + Number(b), later: async (x: unknown) => [x] };
    const { value, hostCalls } = await shared().run({ script: '[await add(1, 2), await later("x")]', hostFunctions });
    expect({ value, hostCalls }).toEqual({ value: [3, ['x']], hostCalls: 2 });
  });

  it('gets and gives every value, as it leaves a script', async () => {
    const box = shared();
    await fc.assert(
      fc.asyncProperty(sandboxValue, sandboxValue, async (sent, answer) => {
        const hostFunctions = {
          swap: (arrived: unknown) => {
            deepStrictEqual(arrived, asItLeaves(sent));
            return answer;
          },
        };
        const { value } = await box.run({ script: 'swap(sent)', inputs: { sent }, hostFunctions });
        deepStrictEqual(value, asItLeaves(answer));
      }),
    );
  });

  it('is called once for each call of the script, and never again', async () => {
    let calls = 0;
    const { value } = await shared().run({
      script: 'for (let i = 0; i < 50; i++) ask(); 1',
      hostFunctions: { ask: () => ++calls },
    });
    expect({ value, calls }).toEqual({ value: 1, calls: 50 });
  });

  it('that throws can be caught with name, message and code', async () => {
    const ask = async (): Promise<never> => {
      throw Object.assign(new RangeError('too far'), { code: 'E_FAR' });
    };
    const { value } = await shared().run({ script: caught, hostFunctions: { ask } });
    expect(value).toEqual(['RangeError', 'too far', 'E_FAR']);
    const error = await failureOf(shared().run({ script: 'ask()', hostFunctions: { ask } }));
    expect(error).toMatchObject({ code: 'script_error', details: { name: 'RangeError', thrownCode: 'E_FAR' } });
  });

  it.each([
    ['undefined', undefined, ['Error', 'undefined', null]],
    ['a string', 'oops', ['Error', 'oops', null]],
    ['null', null, ['Error', 'null', null]],
    ['what has no text', Object.create(null), ['Error', 'an error without a message', null]],
    ['a message that is none', Object.assign(new Error('x'), { message: 5 }), ['Error', '5', null]],
    ['an object with a message', { name: 'HttpError', message: 'gone', code: 'E1' }, ['HttpError', 'gone', 'E1']],
    ['an object without one', { status: 404 }, ['Error', '{"status":404}', null]],
    ['an error of another realm', runInNewContext('new RangeError("far")'), ['RangeError', 'far', null]],
    ['a name that throws', hostile('name'), ['Error', 'x', null]],
    ['a message that throws', hostile('message'), ['Error', 'an error without a message', null]],
    ['a code and details that throw', hostile('code', 'details'), ['Error', 'x', null]],
    [
      'a proxy that throws',
      new Proxy({}, { get: refuse, has: refuse, getPrototypeOf: refuse }),
      ['Error', 'an error without a message', null],
    ],
  ])('that throws %s can be caught too', async (_, thrown, expected) => {
    const ask = (): never => {
      throw thrown;
    };
    const { value } = await shared().run({ script: caught, hostFunctions: { ask } });
    expect(value).toEqual(expected);
  });

  const details = { status: 404, list: [1, { deep: null }], text: 'a] [details=x' };
  const askWithDetails = (): never => {
    throw Object.assign(new Error('gone'), { name: 'HttpError', code: 'E_HTTP', details });
  };

  it('that throws with details hands them to the script', async () => {
    const script = 'try { ask() } catch (error) { [error.details.status, error.details] }';
    const { value } = await shared().run({ script, hostFunctions: { ask: askWithDetails } });
    expect(value).toEqual([404, details]);
  });

  it.each([
    ['lets the error through', 'ask()'],
    ['throws it on', 'try { ask() } catch (error) { throw error }'],
    [
      'throws it on after another',
      'let first; try { ask() } catch (e) { first = e } try { other() } catch (e) {} throw first',
    ],
  ])('gets its details back where the script %s', async (_, script) => {
    const other = (): never => {
      throw Object.assign(new Error('other'), { details: { status: 1 } });
    };
    const error = await failureOf(shared().run({ script, hostFunctions: { ask: askWithDetails, other } }));
    expect(error).toMatchObject({
      code: 'script_error',
      details: { name: 'HttpError', thrownMessage: 'gone', thrownCode: 'E_HTTP', thrownDetails: details },
    });
  });

  it('gets them back without a code, and with one that ends the run', async () => {
    const ask = (code?: unknown): never => {
      throw Object.assign(new Error('no'), { code, details });
    };
    const plain = await failureOf(shared().run({ script: 'ask()', hostFunctions: { ask } }));
    expect(plain).toMatchObject({ code: 'script_error', details: { thrownMessage: 'no', thrownDetails: details } });
    const denied = await failureOf(shared().run({ script: 'ask("capability_denied")', hostFunctions: { ask } }));
    expect(denied).toMatchObject({ code: 'capability_denied', message: 'no', details: { thrownDetails: details } });
  });

  it.each([
    ['a text', 'details'],
    ['a list', [1]],
    ['a date', new Date()],
    [
      'a cycle',
      (() => {
        const a: Record<string, unknown> = {};
        return (a['a'] = a);
      })(),
    ],
    ['more than 16 KB', { text: 'x'.repeat(20_000) }],
    ['a thousand levels', JSON.parse(`{"a":${'['.repeat(1000)}${']'.repeat(1000)}}`)],
  ])('loses details that are %s, and nothing else', async (_, unfit) => {
    const ask = (): never => {
      throw Object.assign(new Error('no'), { details: unfit });
    };
    const script = 'try { ask() } catch (error) { [error.message, error.details] }';
    expect((await shared().run({ script, hostFunctions: { ask } })).value).toEqual(['no', null]);
  });

  it('runs no code of its own to be told of', async () => {
    const ran: string[] = [];
    const trap = (name: string) => (): undefined => void ran.push(name);
    const traps = { get: trap('get'), has: () => ran.push('has') === 0, ownKeys: () => (ran.push('ownKeys'), []) };
    class Failure extends Error {
      override get message(): string {
        ran.push('message');
        return 'from a getter';
      }
    }
    const inner = Object.defineProperty({ status: 404, at: new Date(0), toJSON: trap('toJSON') }, 'lazy', {
      get: trap('lazy'),
      enumerable: true,
    });
    const thrown: unknown[] = [
      Object.assign(new Error('a'), { details: new Proxy({ a: 1 }, traps) }),
      Object.assign(new Error('b'), { details: { inner, proxy: new Proxy({}, traps) } }),
      Object.defineProperty(new Error('c'), 'details', { get: trap('details') }),
      new Failure(),
      new Proxy(new Error('e'), traps),
      Object.assign(Object.create(new Proxy({}, traps)) as object, { code: 'F' }),
    ];
    const ask = (at: unknown): never => {
      throw thrown[at as number];
    };
    const script = `const said = [];
      for (let at = 0; at < ${thrown.length}; at++) {
        try { ask(at); } catch (error) { said.push([error.message, error.details ?? null]); }
      }
      said`;
    const none = 'an error without a message';
    expect((await shared().run({ script, hostFunctions: { ask } })).value).toEqual([
      ['a', null],
      ['b', { inner: { status: 404, at: '1970-01-01T00:00:00.000Z' } }],
      ['c', null],
      [none, null],
      [none, null],
      ['{"code":"F"}', null],
    ]);
    expect(ran).toEqual([]);
  });

  it('is asked for `then` of what it gives and for nothing else, and its run reads no options once it began', async () => {
    const read: string[] = [];
    const traps: ProxyHandler<object> = {};
    for (const trap of ['get', 'has', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor'] as const) {
      traps[trap] = (target: object, key?: unknown) => {
        read.push(`${trap} ${String(key)}`);
        return (Reflect[trap] as (...all: unknown[]) => never)(target, key);
      };
    }
    const hostFunctions = new Proxy(
      { ask: new Proxy({ handler: () => new Proxy({}, traps) }, traps), add: (a: unknown) => Number(a) + 1 },
      traps,
    );
    const script = `add(1); try { ask(); } catch (error) { error.message }`;
    const run = shared().run({ script, hostFunctions: hostFunctions as never, onStart: () => void (read.length = 0) });
    expect((await run).value).toMatch(/^the result of ask\(\) is a Proxy/);
    expect(read).toEqual(['get then']);
  });

  it('keeps the name and message of what Node throws for an abort', async () => {
    const ask = (): never => AbortSignal.abort().throwIfAborted() as never;
    const script = 'try { ask() } catch (error) { [error.name, error.message] }';
    const { value } = await shared().run({ script, hostFunctions: { ask } });
    expect(value).toEqual(['AbortError', 'This operation was aborted']);
  });

  it('stands in the traceback of a failure with every function that was under way', async () => {
    const script = 'function inner() { return ask(); }\nfunction outer() { return inner() + 1; }\nouter() + 1';
    const error = await failureOf(shared().run({ script, hostFunctions: { ask: askWithDetails } }));
    const names = error.details.traceback?.map(({ functionName, line }) => [functionName, line]);
    expect(names).toEqual([
      ['inner', 1],
      ['outer', 2],
      [undefined, 3],
    ]);
  });

  it.each([
    ['a function', () => () => 1, /result of ask\(\) is a function/],
    [
      'a cycle',
      () => {
        const a: unknown[] = [];
        a.push(a);
        return a;
      },
      /reference to an object that contains it/,
    ],
    ['a Map', () => new Map(), /is a Map/],
    ['more than 10 MiB', () => 'x'.repeat(11 * 1024 * 1024), /over the limit/],
  ])('that returns %s fails in the script', async (_, ask, message) => {
    const { value } = await shared().run({ script: caught, hostFunctions: { ask } });
    expect(value).toEqual(['Error', expect.stringMatching(message), expect.any(String)]);
  });

  it('that never answers is a capability_timeout, which the script can catch', async () => {
    const ask = { handler: () => new Promise(() => {}), timeoutMs: 50 };
    const error = await failureOf(shared().run({ script: 'ask()', hostFunctions: { ask } }));
    expect(error).toMatchObject({ code: 'capability_timeout', message: expect.stringContaining('50 ms') as string });
    const { value } = await shared().run({ script: caught, hostFunctions: { ask } });
    expect(value).toEqual(['Error', expect.stringContaining('did not answer'), 'capability_timeout']);
  });

  it('does not begin once its run is over', async () => {
    const box = sandbox();
    let closed: Promise<void> | undefined;
    let begun = 0;
    const error = await failureOf(
      box.run({
        script: "console.log('now'); ask()",
        hostFunctions: { ask: () => begun++ },
        // The call comes right behind this line, often in the same bytes.
        onConsole: () => void (closed = box.close()),
      }),
    );
    await closed;
    expect({ code: error.code, begun }).toEqual({ code: 'closed', begun: 0 });
  });

  it('may take longer than the script may', async () => {
    const ask = (): Promise<string> => new Promise((resolve) => setTimeout(() => resolve('a person answered'), 1_500));
    const result = await shared().run({
      script: 'ask() + "!"',
      hostFunctions: { ask },
      limits: { timeoutMs: 1_000 },
    });
    expect(result.value).toBe('a person answered!');
    expect(result.executionMs).toBeLessThan(1_500);
  });

  it('does not stop the clock of the script around it', async () => {
    const script = 'ask(); while (true) {}';
    const error = await failureOf(
      shared().run({ script, hostFunctions: { ask: () => 1 }, limits: { timeoutMs: 200 } }),
    );
    expect(error.code).toBe('timeout');
  });
});
