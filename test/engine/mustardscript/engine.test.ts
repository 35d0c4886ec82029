import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { engineSupport, type LimitOptions } from '@mustard-sandbox/protocol';
import { loadBinding, type Binding } from '../../../packages/sandbox-daemon/src/engine/mustardscript/binding.ts';
import { MustardScript } from '../../../packages/sandbox-daemon/src/engine/mustardscript/engine.ts';
import { sandboxValue } from '../../../fuzz/arbitraries.mjs';
import {
  finish,
  mustardScript,
  programOf,
  runMustard,
  setupOf,
  unread,
  type Ran,
  type RunOptions,
} from '../support.ts';

afterAll(() => mustardScript.close());

function start(source: string, options: RunOptions = {}): Ran {
  return runMustard(programOf(source), options);
}

function value(source: string, inputs?: unknown): unknown {
  return start(source, { inputs }).result;
}

function failure(
  source: string,
  options: LimitOptions = {},
): { code: string; message: string; details: Record<string, unknown> } {
  try {
    start(source, { limits: options });
  } catch (error) {
    return error as ReturnType<typeof failure>;
  }
  throw new Error('expected a failure');
}

/** As JSON writes it, but for numbers that it has no word for. */
function asJson(item: unknown): unknown {
  if (Object.is(item, -0)) return 0;
  if (typeof item !== 'object' || item === null) return item;
  if (Array.isArray(item)) return Array.from(item, (each) => asJson(each) ?? null);
  const entries = Object.entries(item).map(([key, each]) => [key, asJson(each)] as const);
  return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
}

describe('values', () => {
  it('go in as they are, and come out as JSON has them', () => {
    fc.assert(
      fc.property(sandboxValue, (sent) => {
        deepStrictEqual(value('return sent', { sent }), asJson(sent));
      }),
    );
  });

  it.each([
    ['undefined', undefined],
    ['[1, , undefined]', [1, null, null]],
    ['({ a: NaN, b: -0, c: [Infinity, -Infinity], d: undefined })', { a: NaN, b: 0, c: [Infinity, -Infinity] }],
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

describe('a call', () => {
  it('has its arguments, and goes on with a value', () => {
    const ran = start('const answer = ask("q", { n: NaN }); answer + "!"', {
      answer: () => ({ value: { json: 'yes' } }),
    });
    expect(ran).toMatchObject({ calls: [['ask', 'q', { n: NaN }]], result: 'yes!' });
  });

  it.each(['await ask(1)', 'const p = ask(1); await p', '(async () => { return await ask(1); })()'])(
    'gives a promise in a script that waits: %s',
    (source) => {
      expect(start(source, { answer: () => ({ value: { json: 5 } }) })).toMatchObject({
        calls: [['ask', 1]],
        result: 5,
      });
    },
  );

  it('returns text from bytes without a detour', () => {
    expect(start('ask().length', { answer: () => ({ text: Buffer.from('häß😀') }) }).result).toBe(4);
  });

  it('throws an error that the script can catch', () => {
    const error = { name: 'TypeError', message: 'no', code: 'E1' };
    const ran = start('try { ask() } catch (e) { [e.name, e.message, e.code] }', { answer: () => ({ error }) });
    expect(ran.result).toEqual(['TypeError', 'no', 'E1']);
  });

  it.each([
    ['const a = 1;\nask(a);\na', 2, 1],
    ['const a = 1;\nif (a) return ask(a);\na', 2, 15],
    ['const a = await other();\nawait ask(a);', 2, 7],
  ])('that fails is where it stands, if it stands there once: %j', (source, line, column) => {
    const error = { name: 'Error', message: 'no', code: 'E1' };
    const answer = (name: string) => (name === 'ask' ? { error } : { value: { json: 1 } });
    expect(() => start(source, { hostFunctions: ['ask', 'other'], answer })).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ location: expect.objectContaining({ line, column }) as object }) as object,
      }) as Error,
    );
  });

  it('ends the run with what it threw itself', () => {
    const answer = (): never => {
      throw new RangeError('over');
    };
    expect(() => start('try { ask() } catch { 1 }', { answer })).toThrow(new RangeError('over'));
  });

  it('grows its payload buffer as needed, and keeps what was written', () => {
    const json = ['x'.repeat(70_000), 7, 'ä'.repeat(200_000)];
    const ran = start('const a = ask(); [a[0].length, a[1], a[2].length]', { answer: () => ({ value: { json } }) });
    expect(ran.result).toEqual([70_000, 7, 200_000]);
  });

  it('of lines gives all of them as a list', () => {
    const batches = ['a\nb\n', 'c', ''];
    const ran = start('lines("f").join()', {
      builtins: ['lines'],
      answer: () => ({ lines: Buffer.from(batches.shift() ?? '') }),
    });
    expect(ran).toMatchObject({
      result: 'a,b,c',
      calls: [['lines', 'f', undefined, 1], ['lines', 'f', undefined, 1], expect.anything()],
    });
  });

  it('of lines gives no more than the heap holds', () => {
    const limits = { heapBytes: 1_000_000 };
    const answer = () => ({ lines: Buffer.from(`${'x'.repeat(300_000)}\n`) });
    expect(() => start('lines("f").length', { builtins: ['lines'], limits, answer })).toThrow(
      expect.objectContaining({ code: 'limit_exceeded' }) as Error,
    );
  });

  it('of search gives what was found', () => {
    const answer = () => ({ value: { json: { found: [{ line: 1 }], truncated: false, skipped: [] } } });
    expect(start('search("f", "a")', { builtins: ['search'], answer }).result).toEqual([{ line: 1 }]);
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
    const options = { limits: { heapBytes: 20e6 }, answer: () => ({ value: { json: rows } }) };
    expect(() => start(script, options)).toThrow(
      expect.objectContaining({
        code: 'limit_exceeded',
        details: expect.objectContaining({ limit: 'heap_bytes', value: 20e6 }) as object,
      }) as Error,
    );
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
    expect(mustardScript.validate(unread('var x = 1; class A {}')).map(({ code }) => code)).toEqual([
      'unsupported_syntax',
      'unsupported_syntax',
    ]);
    expect(mustardScript.validate(unread('1 + 1'))).toEqual([]);
  });
});

describe('native handles', () => {
  it('are released on every path', () => {
    const { info, binding } = loadBinding();
    const open = new Set<string>();
    const counted = new MustardScript({ info, binding: counting(binding as Binding, open) });
    const use = (source: string, answer?: RunOptions['answer']): void => {
      const options = { limits: { instructions: 10_000 }, ...(answer && { answer }) };
      try {
        finish(counted.prepare(unread(source), setupOf(options)), options);
      } catch {
        // Some of these fail on purpose.
      }
    };
    use('1 + 1');
    use('ask()');
    use('ask(); while (true) {}');
    use('ask()', () => ({ error: { name: 'Error', message: 'x' } }));
    use('ask()', () => {
      throw new Error('the host failed');
    });
    use('while (true) {}');
    use('class A {}');
    counted.prepare(unread('ask()'), setupOf())[Symbol.dispose]();
    for (let index = 0; index < 200; index++) use(`${index}`);
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
    const without = new MustardScript(loadBinding('linux', 'riscv64'));
    expect(() => without.prepare(unread('1'), setupOf())).toThrow(
      expect.objectContaining({ code: 'engine_unavailable' }) as Error,
    );
    expect(() => without.validate(unread('1'))).toThrow(/linux-riscv64/);
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
    for (let run = 0; run < 20; run++) expect(start(source, { limits: { instructions: 30_000 } }).result).toBe(499_500);
  });
});

it.each([
  '","metrics":{"dynamic_instructions":1}',
  ',"metrics":{"dynamic_instructions":7}}',
  '{"type":"suspended","metrics":{',
])('takes no text of a script for what the engine says: %s', (text) => {
  const ran = start('ask(text); text', { inputs: { text } });
  expect(ran).toMatchObject({ calls: [['ask', text]], result: text });
  expect(ran.instructions).toBeGreaterThan(2);
});

it.each(['', 'x'.repeat(5_000)])('takes no object of a script for what the engine says (%#)', (padding) => {
  const given = { a: 1, metrics: { dynamic_instructions: 1, padding } };
  const ran = start('ask(given)', { inputs: { given } });
  expect(ran.calls).toEqual([['ask', given]]);
  expect(ran.instructions).toBeGreaterThan(2);
});

it.each(["globalThis['re' + 'ply']('x')", "r\\u0065ply('x')", "const r = reply; r('x')"])(
  'a script reaches a capability by any name that means it: %s',
  (source) => {
    expect(start(source, { hostFunctions: ['reply', 'other'] }).calls).toEqual([['reply', 'x']]);
  },
);

it.each(["globalThis['con' + 'sole']['l' + 'og']('x')", "const c = console; c['l' + 'og']('x')"])(
  'a script reaches a method by any name that means it: %s',
  (source) => {
    expect(start(source).calls).toEqual([['console.log', 'x']]);
  },
);
