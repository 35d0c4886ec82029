import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createSandbox, type RunOptions } from '@mustard-sandbox/client';
import { buildRunRequest } from '../../packages/sandbox-client/src/run-request.ts';
import { failureOf, isAlive, recorded, sandbox, shared } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'mustard-run-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'notes.txt'), 'first line\nsecond line\n');

describe('a run', () => {
  it('answers with the value and what it took', async () => {
    const result = await shared().run({
      script:
        'const text = read_file("notes.txt"); return text.split("\\n").filter((line) => line.includes(word)).length',
      inputs: { word: 'second' },
      scope: { root: folder },
    });
    expect(result).toEqual({
      value: 1,
      engine: 'quickjs',
      attachmentsRead: [],
      warnings: [],
      executionMs: expect.any(Number),
      instructionsUsed: expect.any(Number),
      heapBytesUsed: expect.any(Number),
      hostCalls: 1,
      bytesRead: 23,
      queueMs: expect.any(Number),
    });
  });

  it('names built-ins to its sidecar only where its caller does: an older one does not know the newest', () => {
    const sent = (scope: NonNullable<RunOptions['scope']>): unknown =>
      buildRunRequest('1', { script: '1', scope }, { maxTimeoutMs: 10_000, engine: 'auto' }, undefined).params.scope;
    expect(sent({ root: folder })).not.toHaveProperty('builtins');
    expect(sent({ root: folder, builtins: ['read_file'] })).toHaveProperty('builtins', ['read_file']);
    expect(() => sent({ root: folder, builtins: ['read_fil' as 'read_file'] })).toThrow(/builtins/);
    expect(() => sent({ roof: folder } as object)).toThrow(/roof/);
  });

  it('that was given up before it began says so, whatever else is wrong with it', async () => {
    const wrong: RunOptions[] = [
      { script: '1', inputs: { a: () => 1 } },
      { script: '1', hostFunctions: { 'no name': () => 1 } },
      { script: 'x'.repeat(1_000_000) },
    ];
    for (const options of wrong) {
      const error = await failureOf(shared().run({ ...options, signal: AbortSignal.abort() }));
      expect(error).toMatchObject({ code: 'cancelled', message: 'The run was cancelled before it began.' });
    }
  });

  it('tells which attachments it looked at, in that order, also when it fails', async () => {
    // Time enough for a busy machine: what is killed cannot tell.
    const box = sandbox({ graceMs: 30_000 });
    const path = join(folder, 'notes.txt');
    const scope = { root: folder, attachments: ['a', 'b', 'c'].map((name) => ({ name, path })) };
    const reads = `
      read_file('attachments:c', { length: 3 }); read_file('attachments:a'); read_file('attachments:c');
      read_file('notes.txt'); file_stats('attachments:b'); list_files('attachments:');
      try { read_file('attachments:b', { length: -1 }) } catch {}
      try { read_file('attachments:none') } catch {}`;
    expect((await box.run({ script: reads, scope })).attachmentsRead).toEqual(['c', 'a', 'b']);
    const error = await failureOf(box.run({ script: `${reads}; throw new Error('late')`, scope }));
    expect(error).toMatchObject({ code: 'script_error', details: { attachmentsRead: ['c', 'a', 'b'] } });
    const limits = { timeoutMs: 1_000 };
    const slow = await failureOf(box.run({ script: `${reads}; while (true) {}`, scope, limits }));
    expect(slow).toMatchObject({ code: 'timeout', details: { attachmentsRead: ['c', 'a', 'b'] } });
    expect((await failureOf(box.run({ script: 'none' }))).details).not.toHaveProperty('attachmentsRead');
  });

  it('names at most 1,000 of the attachments that it read', async () => {
    const path = join(folder, 'notes.txt');
    const attachments = Array.from({ length: 1001 }, (_, index) => ({ name: String(index), path }));
    const script = 'for (const path of list_files("attachments:")) read_file(path, { length: 1 }); 1';
    const { attachmentsRead } = await shared().run({ script, scope: { attachments } });
    expect(attachmentsRead).toHaveLength(1000);
  });

  it('reads nothing without a scope', async () => {
    const error = await failureOf(shared().run({ script: 'read_file("notes.txt")' }));
    expect(error.code).toBe('capability_denied');
  });

  it('has only the built-ins that its scope names', async () => {
    const box = shared();
    const scope = { root: folder, builtins: ['file_stats' as const] };
    await expect(box.run({ script: 'file_stats("notes.txt").size', scope })).resolves.toMatchObject({ value: 23 });
    await expect(box.run({ script: 'read_file("notes.txt")', scope })).rejects.toMatchObject({ code: 'script_error' });
  });

  it('takes relative paths from the folder of the caller', async () => {
    const { value } = await shared().run({ script: 'list_files()', scope: { root: 'test/client' } });
    expect(value).toContain('run.test.ts');
  });

  it('ends with capability_denied when the script lets a refusal through, and can be caught', async () => {
    const box = shared();
    const scope = { root: folder };
    const error = await failureOf(box.run({ script: 'const a = 1;\nread_file("../secret")', scope }));
    expect(error).toMatchObject({ code: 'capability_denied', details: { path: '../secret', capability: 'read_file' } });
    const script = 'try { read_file("../secret") } catch (e) { e.code }';
    await expect(box.run({ script, scope })).resolves.toMatchObject({ value: 'capability_denied' });
  });

  it('that throws a look-alike of a refusal is a script error', async () => {
    const script = 'const e = new Error("no"); e.code = "capability_denied"; throw e';
    expect((await failureOf(shared().run({ script }))).code).toBe('script_error');
  });

  it('says where a script went wrong', async () => {
    const error = await failureOf(shared().run({ script: 'const rows = [];\nrowz.length' }));
    expect(error).toMatchObject({
      code: 'script_error',
      message: 'ReferenceError: rowz is not defined (line 2:1)',
      details: { frame: '1 | const rows = [];\n2 | rowz.length\n  | ^^^^^^^^^^^' },
    });
  });
});

describe('console', () => {
  it('is bounded in lines a second; what is dropped costs the script nothing and is counted', async () => {
    const texts: string[] = [];
    const onConsole = ({ text }: { text: string }): number => texts.push(text);
    const script = 'for (let i = 0; i < 50000; i++) console.log(i); "done"';
    const box = sandbox({ maxTimeoutMs: 60_000 });
    const { value, executionMs } = await box.run({ script, onConsole, limits: { timeoutMs: 60_000 } });
    expect(value).toBe('done');
    const said = texts.flatMap(
      (text) => /^\[(\d+) console lines over 1000 in a second dropped\]$/.exec(text)?.[1] ?? [],
    );
    const lines = texts.length - said.length;
    expect(lines).toBeLessThanOrEqual(1_000 * (executionMs / 1_000 + 1));
    expect(said.reduce((sum, count) => sum + Number(count), lines)).toBe(50_000);
  });

  it('streams while the script runs, in order, and before the result', async () => {
    const seen: string[] = [];
    const hostFunctions = { mark: () => seen.push('host call') };
    const script = 'console.log("a", { b: 1 }); mark(); console.warn("c"); console.error("d"); 1';
    await shared().run({ script, hostFunctions, onConsole: ({ level, text }) => seen.push(`${level}: ${text}`) });
    expect(seen).toEqual(['log: a { b: 1 }', 'host call', 'warn: c', 'error: d']);
  });

  it('is bounded', async () => {
    const seen: string[] = [];
    const script = 'const long = "x".repeat(100000); for (let i = 0; i < 200; i++) console.log(long); "done"';
    const { value } = await shared().run({ script, onConsole: ({ text }) => seen.push(text) });
    expect(value).toBe('done');
    expect(seen.join('').length).toBeLessThan(1.1 * 1024 * 1024);
    expect(seen[0]).toMatch(/… \[83616 more characters\]$/);
    expect(seen.at(-1)).toMatch(/dropped/);
  });

  it('of a listener that throws harms nothing', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const onConsole = (): void => {
      throw new Error('listener bug');
    };
    await expect(shared().run({ script: 'console.log(1); 2', onConsole })).resolves.toMatchObject({ value: 2 });
    expect(warned).toHaveBeenCalledWith(expect.stringContaining('listener bug'), 'MustardSandboxWarning');
    warned.mockRestore();
  });
});

describe('bad input', () => {
  const cases: [string, unknown, RegExp][] = [
    ['an unknown option', { script: '1', scirpt: 1 }, /unknown option 'scirpt'/],
    ['no script', {}, /script: Invalid input/],
    ['an unknown limit', { script: '1', limits: { heap: 1 } }, /unknown option 'limits.heap'/],
    [
      'a limit over its ceiling',
      { script: '1', limits: { heapBytes: 1e12 } },
      /limits.heapBytes: Too big: .*268435456/,
    ],
    [
      'a timeout over what the sandbox allows',
      { script: '1', limits: { timeoutMs: 20_000 } },
      /10000 ms.*maxTimeoutMs/,
    ],
    ['an unknown built-in', { script: '1', scope: { builtins: ['write_file'] } }, /scope.builtins.0: Invalid option/],
    [
      'a capability that is no function',
      { script: '1', hostFunctions: { ask: 5 } },
      /hostFunctions.ask: must be a function/,
    ],
    [
      'a capability name of a built-in',
      { script: '1', hostFunctions: { read_file: () => 1 } },
      /'read_file' is taken: it is built in/,
    ],
    [
      'the name of a host function that is a global',
      { script: '1', hostFunctions: { JSON: () => 1 } },
      /'JSON' is taken/,
    ],
    [
      'a capability name that is no identifier',
      { script: '1', hostFunctions: { 'a-b': () => 1 } },
      /'a-b' is not an identifier/,
    ],
    ['inputs that are no object', { script: '1', inputs: [1] }, /inputs must be an object/],
    ['inputs that cannot cross', { script: '1', inputs: { f: () => 1 } }, /inputs.f is a function/],
    ['an input named as a capability', { script: '1', inputs: { read_file: 1 } }, /'read_file' is taken/],
    ['the same beside a key $', { script: '1', inputs: { $: 1, read_file: 1 } }, /'read_file' is taken/],
    ['an input named as a global', { script: '1', inputs: { Math: 1 } }, /'Math' is taken/],
    ['an input whose name is no identifier', { script: '1', inputs: { 'a b': 1 } }, /"a b" is not an identifier/],
    ['a root that is not there', { script: '1', scope: { root: '/no/such/folder' } }, /root/i],
    ['a root that is a file', { script: '1', scope: { root: join(folder, 'notes.txt') } }, /root/i],
    [
      'an attachment that is not there',
      { script: '1', scope: { attachments: [{ name: 'a', path: '/no/such' }] } },
      /'a'|"a"/,
    ],
    [
      'an attachment that is a folder',
      { script: '1', scope: { attachments: [{ name: 'a', path: folder }] } },
      /"a"|'a'/,
    ],
    [
      'an attachment named twice',
      { script: '1', scope: { attachments: ['a', 'a'].map((name) => ({ name, path: join(folder, 'notes.txt') })) } },
      /twice/,
    ],
    ['a signal that is none', { script: '1', signal: 'stop' }, /signal: must be an AbortSignal/],
  ];
  it.each(cases)('%s is an invalid_request that names it', async (_, options, message) => {
    const error = await failureOf(shared().run(options as RunOptions));
    expect({ code: error.code, message: error.message }).toEqual({
      code: 'invalid_request',
      message: expect.stringMatching(message) as string,
    });
  });

  it('to createSandbox is refused by name', () => {
    expect(() => createSandbox({ maxProcess: 1 } as object)).toThrow(/unknown option 'maxProcess'/);
    expect(() => createSandbox({ maxProcesses: 0 })).toThrow(/maxProcesses: Too small/);
    expect(() => createSandbox({ limits: { timeoutMs: -1 } })).toThrow(/limits.timeoutMs/);
  });

  it('of size is a limit by name', async () => {
    const box = shared();
    const script = `1 // ${'x'.repeat(40_000)}`;
    expect(await failureOf(box.run({ script }))).toMatchObject({
      code: 'limit_exceeded',
      details: { limit: 'script_bytes' },
    });
    await expect(box.run({ script, limits: { scriptBytes: 64 * 1024 } })).resolves.toMatchObject({ value: 1 });
    const inputs = { text: 'x'.repeat(11 * 1024 * 1024) };
    expect(await failureOf(box.run({ script: '1', inputs }))).toMatchObject({ details: { limit: 'input_bytes' } });
    const result = await failureOf(box.run({ script: '"x".repeat(11000000)' }));
    expect(result).toMatchObject({ code: 'limit_exceeded', details: { limit: 'output_bytes' } });
  });
});

it('validate tells every objection and runs nothing', async () => {
  const box = shared();
  await expect(box.validate('read_file("x")')).resolves.toEqual([]);
  const diagnostics = await box.validate('const a = 1;\nimport "fs";');
  expect(diagnostics).toMatchObject([{ code: 'unsupported_syntax', location: { line: 2, column: 1 } }]);
});

it('nothing is spawned at construction, and nothing is left after close', async () => {
  const box = createSandbox();
  const events = recorded(box);
  expect(box.stats()).toMatchObject({ state: 'idle', processes: [] });
  await box.close();
  expect(events).toEqual([]);
  expect(await failureOf(box.run({ script: '1' }))).toMatchObject({ code: 'closed' });
});

it('await using closes', async () => {
  let pid: number | undefined;
  {
    await using box = createSandbox({ spares: 0 });
    await box.warm();
    pid = box.stats().processes[0]?.pid;
    expect(pid).toBeGreaterThan(0);
  }
  expect(isAlive(pid)).toBe(false);
});

it('1 MB goes in and comes out', async () => {
  const text = 'ä'.repeat(500_000);
  const { value } = await shared().run({ script: 'text', inputs: { text } });
  expect(value).toBe(text);
});

it('inputs are those of the moment of the call', async () => {
  const box = sandbox({ maxProcesses: 1, spares: 0 });
  const inputs: Record<string, unknown> = {};
  const runs = [0, 1, 2].map((n) => {
    inputs['n'] = n;
    return box.run({ script: 'n', inputs });
  });
  inputs['n'] = inputs;
  expect((await Promise.all(runs)).map(({ value }) => value)).toEqual([0, 1, 2]);
});
