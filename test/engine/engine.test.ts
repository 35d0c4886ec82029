import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { engineSupport } from '@mustard-sandbox/client';
import { loadBinding, type Binding } from '../../packages/sandbox-daemon/src/engine/binding.ts';
import { Engine, type Step } from '../../packages/sandbox-daemon/src/engine/engine.ts';
import { limitsSchema, type LimitOptions } from '../../packages/sandbox-daemon/src/protocol/limits.ts';
import { decodeValue, encodeValue } from '../../packages/sandbox-daemon/src/protocol/values.ts';
import { sandboxValue } from '../../fuzz/arbitraries.mjs';

const engine = new Engine(loadBinding());
afterAll(() => engine.close());

const limits = (options: LimitOptions = {}): ReturnType<typeof limitsSchema.parse> => limitsSchema.parse(options);

function start(
  source: string,
  options: { inputs?: unknown; capabilities?: string[]; limits?: LimitOptions } = {},
): Step {
  using execution = engine.prepare(source, options.capabilities ?? [], limits(options.limits));
  return execution.start(encodeValue(options.inputs ?? {}, 'inputs'));
}

function value(source: string, inputs?: unknown): unknown {
  const step = start(source, { inputs });
  if (step.type !== 'completed') throw new Error('suspended');
  return decodeValue(step.value);
}

function failure(
  source: string,
  options?: LimitOptions,
): { code: string; message: string; details: Record<string, unknown> } {
  try {
    start(source, options === undefined ? {} : { limits: options });
  } catch (error) {
    return error as ReturnType<typeof failure>;
  }
  throw new Error('expected a failure');
}

describe('values', () => {
  it('go in and come out as they are', () => {
    fc.assert(
      fc.property(sandboxValue, (sent) => {
        deepStrictEqual(value('return sent', { sent }), sent);
      }),
    );
  });

  it.each([
    ['undefined', undefined],
    ['[1, , undefined]', Object.assign(new Array<unknown>(3), { 0: 1, 2: undefined })],
    ['({ a: NaN, b: -0, c: [Infinity, -Infinity] })', { a: NaN, b: -0, c: [Infinity, -Infinity] }],
    ['return "last";', 'last'],
    ['const x = 2; x * 21', 42],
    ['await Promise.resolve("later")', 'later'],
    ['JSON.parse(\'{"__proto__": 1}\')', JSON.parse('{"__proto__": 1}')],
  ])('%s', (source, expected) => {
    expect(value(source)).toStrictEqual(expected);
  });

  it('count instructions', () => {
    const few = start('1 + 1');
    const many = start('let n = 0; for (let i = 0; i < 1000; i++) n += i; n');
    expect(few.instructions).toBeGreaterThan(0);
    expect(many.instructions).toBeGreaterThan(5_000);
  });
});

describe('a capability call', () => {
  const suspended = (source: string) => {
    const execution = engine.prepare(source, ['ask'], limits());
    return { execution, step: execution.start(undefined) };
  };

  it('suspends with its arguments, and goes on with a value', () => {
    const { execution, step } = suspended('const answer = ask("q", { n: NaN }); answer + "!"');
    using _ = execution;
    expect(step).toMatchObject({ type: 'suspended', capability: 'ask', args: ['q', { n: NaN }] });
    expect(execution.resume({ value: { json: 'yes' } })).toMatchObject({ type: 'completed', value: { json: 'yes!' } });
  });

  it('returns text from bytes without a detour', () => {
    const { execution } = suspended('ask().length');
    using _ = execution;
    expect(execution.resume({ text: Buffer.from('häß😀') })).toMatchObject({ value: { json: 4 } });
  });

  it('throws an error that the script can catch', () => {
    const { execution } = suspended('try { ask() } catch (e) { [e.name, e.message, e.code] }');
    using _ = execution;
    const step = execution.resume({ error: { name: 'TypeError', message: 'no', code: 'E1' } });
    expect(step).toMatchObject({ value: { json: ['TypeError', 'no', 'E1'] } });
  });

  it('grows its payload buffer as needed, and keeps what was written', () => {
    const long = 'ä'.repeat(200_000);
    const { execution } = suspended('const a = ask(); [a[0].length, a[1], a[2].length]');
    using _ = execution;
    expect(execution.resume({ value: { json: ['x'.repeat(70_000), 7, long] } })).toMatchObject({
      value: { json: [70_000, 7, 200_000] },
    });
  });
});

describe('errors', () => {
  it.each([
    ['let a = ;', 'parse_error', 1, 9],
    ['const ok = 1;\nconst b = (1;', 'parse_error', 2, 13],
    ['this is not a script', 'parse_error', 1, 6],
    ['"ééé"; class A {}', 'unsupported_syntax', 1, 8],
    ['const a = 1;\nfunction* g() {}', 'unsupported_syntax', 2, 1],
    ['import x from "y"', 'unsupported_syntax', 1, 1],
    ['if (true) { return 1 }\n2', 'unsupported_syntax', 1, 13],
    ['var x = 1', 'unsupported_syntax', 1, 1],
    ['"é";\nthrow new TypeError("bad")', 'script_error', 2, 1],
    ['const a = 1;\nfoo(a)', 'script_error', 2, 1],
    ['function f() {\n  return null.x;\n}\nconst a = 1;\nf()', 'script_error', 1, 1],
    ['const f = (a) => a.b.c;\n[1].map(f)', 'script_error', 1, 11],
  ])('%j is %s at line %i, column %i', (source, code, line, column) => {
    const error = failure(source);
    expect(error.code).toBe(code);
    expect(error.details['location']).toMatchObject({ line, column });
    expect(error.details['frame']).toContain('^');
  });

  it('show the line and a mark under the failing code', () => {
    expect(failure('const a = 1;\nfoo(a)').details['frame']).toBe('1 | const a = 1;\n2 | foo(a)\n  | ^^^');
  });

  it('show a part of a very long line', () => {
    const frame = failure(`${'/* */ '.repeat(100)}foo()`).details['frame'] as string;
    expect(frame).toContain('foo()');
    expect(Math.max(...frame.split('\n').map((row) => row.length))).toBeLessThan(140);
  });

  it('say that only the function is known where that is so', () => {
    const { details } = failure('function f() {\n  return null.x;\n}\nf()');
    expect(details['location']).toMatchObject({ precision: 'function', functionName: 'f', endLine: 3 });
  });

  it('of a thrown message that imitates a traceback keep it as the message', () => {
    const { details, message } = failure('throw new Error("a [0..3]\\n  at evil [1..2]")');
    expect(message).toContain('a [0..3]\n  at evil [1..2]');
    expect(details['location']).toMatchObject({ line: 1, column: 1 });
  });

  it('name the thrown code', () => {
    expect(failure('throw { code: "E1", message: "no" }').details).toMatchObject({
      thrownCode: 'E1',
      thrownMessage: 'no',
    });
  });

  it.each<[string, LimitOptions, string]>([
    ['while (true) {}', { instructions: 1000 }, 'instructions'],
    ['let s = []; for (;;) s.push("x".repeat(1e5))', { heapBytes: 1e6 }, 'heap_bytes'],
    ['function f() { return f() } f()', {}, 'call_depth'],
    ['const a = []; for (let i = 0; i < 1e5; i++) a.push([i]); a.length', { allocations: 100 }, 'allocations'],
  ])('%j exceeds a limit by name and value', (source, options, limit) => {
    const error = failure(source, options);
    expect(error).toMatchObject({ code: 'limit_exceeded', details: { limit } });
    expect(error.message).toContain(String(error.details['value']));
  });

  it('of an answer that does not fit beside what a script keeps name the heap', () => {
    const rows = Array.from({ length: 3_000 }, (_, line) => ({ line, text: 'x'.repeat(200), groups: [] }));
    const script = 'const kept = []; for (;;) kept.push(ask());';
    using execution = engine.prepare(script, ['ask'], limitsSchema.parse({ heapBytes: 20e6 }));
    let failed: unknown;
    try {
      let step = execution.start(undefined);
      while (step.type === 'suspended') step = execution.resume({ value: { json: rows } });
    } catch (error) {
      failed = error;
    }
    expect(failed).toMatchObject({ code: 'limit_exceeded', details: { limit: 'heap_bytes', value: 20e6 } });
  });

  it.each([
    ['const a = []; a.push(a); a', /contains itself/],
    ['const o = {}; [o, o]', /occurs twice/],
    ['() => 1', /functions cannot cross/],
    ['new Map()', /Map and Set/],
    ['10n', /BigInt/],
    ['await new Promise(() => {})', /never|nothing will ever settle/],
  ])('of the result %j say what to return instead', (source, message) => {
    const error = failure(source);
    expect(error.code).toBe('script_error');
    expect(error.message).toMatch(message);
  });

  it('of validate are all of them, each once', () => {
    expect(engine.validate('var x = 1; class A {}').map(({ code }) => code)).toEqual([
      'unsupported_syntax',
      'unsupported_syntax',
    ]);
    expect(engine.validate('1 + 1')).toEqual([]);
  });
});

describe('native handles', () => {
  it('are released on every path', () => {
    const { info, binding } = loadBinding();
    const open = new Set<string>();
    const counted = new Engine({ info, binding: counting(binding as Binding, open) });
    const use = (source: string, answer: (execution: ReturnType<Engine['prepare']>) => unknown): void => {
      try {
        using execution = counted.prepare(source, ['ask'], limits({ instructions: 10_000 }));
        execution.start(undefined);
        answer(execution);
      } catch {
        // Some of these fail on purpose.
      }
    };
    const value = { value: { json: 1 } };
    use('1 + 1', () => {});
    use('ask()', (execution) => execution.resume(value));
    use('ask(); ask()', (execution) => execution.resume(value)); // left suspended
    use('ask(); while (true) {}', (execution) => execution.resume(value));
    use('ask()', (execution) => execution.resume({ error: { name: 'Error', message: 'x' } }));
    use('ask()', () => {
      throw new Error('the host failed');
    });
    use('while (true) {}', () => {});
    use('class A {}', () => {});
    for (let index = 0; index < 200; index++) use(`${index}`, () => {});
    // The programs that are kept, each with the context of its last run.
    const kinds = [...open].map((handle) => handle.replace(/-.*/, ''));
    expect(new Set(kinds)).toEqual(new Set(['program', 'context']));
    for (const kind of ['program', 'context']) expect(kinds.filter((each) => each === kind)).toHaveLength(64);
    counted.close();
    expect(open).toEqual(new Set());
  });
});

/** The real binding, with a list of what it handed out and has not got back. */
function counting(binding: Binding, open: Set<string>): Binding {
  const opened = (handle: string): string => {
    open.add(handle);
    return handle;
  };
  const step = (json: string): string => {
    const { snapshot_handle: handle } = JSON.parse(json) as { snapshot_handle?: string };
    if (handle !== undefined) open.add(handle);
    return json;
  };
  const closed = (release: (handle: string) => void) => (handle: string) => {
    open.delete(handle);
    release(handle);
  };
  return {
    ...binding,
    compileProgramWithOptions: (...args) => opened(binding.compileProgramWithOptions(...args)),
    createExecutionContext: (policy) => opened(binding.createExecutionContext(policy)),
    createCancellationToken: () => opened(binding.createCancellationToken()),
    startProgramWithExecutionContextHandleBuffer: (...args) =>
      step(binding.startProgramWithExecutionContextHandleBuffer(...args)),
    resumeSnapshotHandleBuffer: (...args) => step(binding.resumeSnapshotHandleBuffer(...args)),
    releaseProgram: closed((handle) => binding.releaseProgram(handle)),
    releaseExecutionContext: closed((handle) => binding.releaseExecutionContext(handle)),
    releaseCancellationToken: closed((handle) => binding.releaseCancellationToken(handle)),
    releaseSnapshotHandle: closed((handle) => binding.releaseSnapshotHandle(handle)),
  };
}

describe('a missing engine', () => {
  it('names the platform and what is published', () => {
    expect(loadBinding('linux', 'riscv64').info).toMatchObject({
      available: false,
      reason: expect.stringMatching(/linux-riscv64.*linux-x64/) as string,
    });
  });

  it('names the package to install', () => {
    // No machine has the bindings of two platforms.
    const other = process.platform === 'win32' ? 'darwin' : 'win32';
    const { info, binding } = loadBinding(other, 'x64');
    expect(binding).toBeUndefined();
    expect(info.reason).toMatch(/@mustardscript\/binding-/);
  });

  it('is known without loading anything', () => {
    expect(engineSupport('linux', 'riscv64')).toEqual({
      available: false,
      reason: loadBinding('linux', 'riscv64').info.reason,
    });
    const here = engineSupport();
    expect(here).toMatchObject({ available: true, manifestPath: expect.stringMatching(/package\.json$/) as string });
  });

  it('fails a run with engine_unavailable', () => {
    const without = new Engine(loadBinding('linux', 'riscv64'));
    expect(() => without.prepare('1', [], limits())).toThrow(
      expect.objectContaining({ code: 'engine_unavailable' }) as Error,
    );
    expect(() => without.validate('1')).toThrow(/linux-riscv64/);
  });
});

describe('one script run again and again', () => {
  const source = 'let sum = 0; for (let i = 0; i < 1000; i++) sum += i; sum';

  it('has the limits of each run', () => {
    const tight = { instructions: 1_000 };
    expect(value(source)).toBe(499_500);
    expect(failure(source, tight).code).toBe('limit_exceeded');
    expect(value(source)).toBe(499_500);
    expect(failure(source, tight).code).toBe('limit_exceeded');
    expect(failure(source, tight).code).toBe('limit_exceeded');
  });

  it('begins with nothing used each time', () => {
    for (let run = 0; run < 20; run++)
      expect(start(source, { limits: { instructions: 30_000 } }).type).toBe('completed');
  });
});

it.each([
  '","metrics":{"dynamic_instructions":1}',
  ',"metrics":{"dynamic_instructions":7}}',
  '{"type":"suspended","metrics":{',
])('takes no text of a script for what the engine says: %s', (text) => {
  const step = start('f(text); text', { inputs: { text }, capabilities: ['f'] });
  expect(step).toMatchObject({ type: 'suspended', capability: 'f', args: [text] });
  expect(step.instructions).toBeGreaterThan(2);
  expect(value('text', { text })).toBe(text);
});

it.each(['', 'x'.repeat(5_000)])('takes no object of a script for what the engine says (%#)', (padding) => {
  const given = { a: 1, metrics: { dynamic_instructions: 1, padding } };
  const step = start('f(given)', { inputs: { given }, capabilities: ['f'] });
  expect(step).toMatchObject({ type: 'suspended', capability: 'f', args: [given] });
  expect(step.instructions).toBeGreaterThan(2);
});

it.each(["globalThis['re' + 'ply']('x')", "r\\u0065ply('x')", "const r = reply; r('x')"])(
  'a script reaches a capability by any name that means it: %s',
  (source) => {
    expect(start(source, { capabilities: ['reply', 'other'] })).toMatchObject({
      type: 'suspended',
      capability: 'reply',
    });
  },
);

it.each(["globalThis['con' + 'sole']['l' + 'og']('x')", "const c = console; c['l' + 'og']('x')"])(
  'a script reaches a method by any name that means it: %s',
  (source) => {
    const step = start(source, { capabilities: ['console.log', 'console.warn'] });
    expect(step).toMatchObject({ type: 'suspended', capability: 'console.log' });
  },
);
