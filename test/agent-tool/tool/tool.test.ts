import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, test, vi } from 'vitest';
import {
  createExecuteSandboxScriptTool,
  inputJsonSchema,
  type Attachment,
  type ConsentFunction,
  type ExecuteSandboxScriptArgs,
  type ExecuteSandboxScriptToolOptions,
} from '@mustard-sandbox/agent-tool';
import { createSandbox, SandboxError } from '@mustard-sandbox/client';
import { failureOf } from '../../client/support.ts';
import { makeFolder } from '../../files/support.ts';
import { completed, crashing, denied, failed, recorder, toolFor } from './support.ts';

describe('execute', () => {
  test('answers with the value and what it took, as JSON', async () => {
    const appPath = makeFolder({ 'src/notes.txt': 'one\ntwo\n' });
    const script = 'read_file("src/notes.txt").split("\\n").filter((line) => line !== "")';
    const result = await toolFor({ appPath }).execute({ script, description: 'the lines' });
    const numbers = {
      executionMs: expect.any(Number) as number,
      instructionsUsed: expect.any(Number) as number,
      heapBytesUsed: expect.any(Number) as number,
      hostCalls: 1,
      bytesRead: 8,
    };
    expect(result).toEqual({
      status: 'completed',
      text: '["one","two"]',
      value: ['one', 'two'],
      truncated: false,
      attachmentsRead: [],
      outputs: [],
      warnings: [],
      engine: 'quickjs',
      durationMs: expect.any(Number) as number,
      ...numbers,
      record: {
        version: 1,
        engine: 'quickjs',
        runId: expect.any(String) as string,
        script,
        description: 'the lines',
        attachmentsRead: [],
        isolation: expect.stringMatching(/^(?:process|jail)$/) as string,
        result: { text: '["one","two"]', truncated: false, totalBytes: 13, shownBytes: 13, empty: false },
        stats: { durationMs: expect.any(Number) as number, ...numbers },
        at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      },
    });
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  test('reads attachments by name, given as names and paths, as paths, or by a source', async () => {
    const folder = makeFolder({ 'server.log': 'log', 'a/spec.txt': 'spec' });
    const script =
      'const read = []; for (const path of list_files("attachments:")) read.push([path, read_file(path)]); read';
    const expected = [
      ['attachments:server.log', 'log'],
      ['attachments:the spec', 'spec'],
    ];
    const log = join(folder, 'server.log');
    const spec = { name: 'the spec', path: join(folder, 'a/spec.txt') };
    const listed = await completed(toolFor({ attachments: [log, spec] }).execute({ script }));
    expect(listed).toMatchObject({ value: expected, attachmentsRead: ['server.log', 'the spec'] });
    const source = {
      list: async () => [
        { name: 'server.log', path: log, size: 3 },
        { ...spec, size: 4 },
      ],
    };
    expect((await completed(toolFor({ attachments: source }).execute({ script }))).value).toEqual(expected);
  });

  test('looks at the attachments anew at each call, and says which are gone', async () => {
    const folder = makeFolder({ 'a.txt': 'a' });
    const attachments = [join(folder, 'a.txt'), join(folder, 'b.txt')];
    const tool = toolFor({ attachments });
    const script = 'list_files("attachments:").join()';
    expect(await completed(tool.execute({ script }))).toMatchObject({
      value: 'attachments:a.txt',
      text: 'attachments:a.txt\n\n[No longer there: attachments:b.txt.]',
    });
    writeFileSync(join(folder, 'b.txt'), 'b');
    rmSync(join(folder, 'a.txt'));
    expect((await completed(tool.execute({ script }))).value).toBe('attachments:b.txt');
  });

  test.each([
    ['1;\nthrow new Error("no such thing")', 'script_error', 'no such thing'],
    ['import "fs"', 'unsupported_syntax', 'mod'],
    ['this is not', 'parse_error', ''],
    ['read_file("attachments:none")', 'script_error', 'No attachment'],
    ['while (true) {}', 'timeout', '150 ms'],
    ["'a'.repeat(500000000).length", 'sidecar_crashed', ''],
  ])('answers a script that fails: %s', async (script, code, words) => {
    // Under load a crash can take longer than that.
    const limits = { timeoutMs: code === 'timeout' ? 150 : 10_000 };
    const crashes = code === 'sidecar_crashed' && crashing();
    const result = await failed(toolFor({ limits, ...crashes }).execute({ script }));
    expect(result.error).toMatchObject({ code, message: expect.stringContaining(words) as string });
    expect(result.text).toContain(words);
    expect(result.record).toMatchObject({ script, error: { code, message: result.error.message, text: result.text } });
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  test('answers an abort, while the script runs and before', async () => {
    const controller = new AbortController();
    const { events, listen, types } = recorder();
    const tool = toolFor({
      events: (event) => {
        listen(event);
        if (event.type === 'sandbox.script.run') controller.abort();
      },
    });
    const running = await failed(tool.execute({ script: 'while (true) {}' }, { signal: controller.signal }));
    expect(running.error.code).toBe('cancelled');
    expect(types()).toEqual(['sandbox.script.run', 'sandbox.script.failed']);
    expect(events[1]).toMatchObject({ code: 'cancelled' });
    const late = await failed(tool.execute({ script: '1' }, { signal: controller.signal }));
    expect(late.error.code).toBe('cancelled');
  });

  test('runs under the time that the user set, unless the tool was given one', async () => {
    let timeoutMs = 100;
    const settings = (): object => ({ consent: 'always', timeoutMs });
    // Each its own: on a busy machine they may be killed, and the same one would soon be quarantined.
    const [first, second, third] = [1, 2, 3].map((number) => ({ script: `while (true) {} ${number}` })) as [
      ExecuteSandboxScriptArgs,
      ExecuteSandboxScriptArgs,
      ExecuteSandboxScriptArgs,
    ];
    const tool = toolFor({ settings });
    expect((await failed(tool.execute(first))).error).toMatchObject({ code: 'timeout', details: { value: 100 } });
    timeoutMs = 200;
    expect((await failed(tool.execute(second))).error.details.value).toBe(200);
    const fixed = toolFor({ settings, limits: { timeoutMs: 150 } });
    expect((await failed(fixed.execute(third))).error.details.value).toBe(150);
  });

  test('gives a time that the user chose the instructions that fit into it', async () => {
    const patient = toolFor({ settings: { consent: 'always', timeoutMs: 10_000 } });
    expect(patient.description).toContain('10 seconds and 1000 million instructions');
    const script = 'for (;;);';
    const { error } = await failed(toolFor({ limits: { timeoutMs: 10_000, instructions: 1e6 } }).execute({ script }));
    expect(error).toMatchObject({ code: 'limit_exceeded', details: { limit: 'instructions', value: 1e6 } });
  });

  test('keeps what a script throws within bounds', async () => {
    const { text, error, record } = await failed(toolFor().execute({ script: 'throw new Error("é".repeat(3000000))' }));
    expect(Buffer.byteLength(text)).toBeLessThan(64 * 1024);
    expect(JSON.stringify([error, record]).length).toBeLessThan(64 * 1024);
    expect(error.message).toMatch(/^Error: é+ … \[\d+ bytes\] … é+/);
  });

  test('refuses a context that it does not know', async () => {
    const wrong = [{ abortSignal: AbortSignal.abort() }, { signal: 'now' }, { turn: {} }, 'x', null];
    for (const context of wrong) {
      const error = await failureOf(toolFor().execute({ script: '1' }, context as never));
      expect(error).toMatchObject({ code: 'invalid_request' });
    }
  });

  test('takes calls that overlap', async () => {
    const tool = toolFor();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => completed(tool.execute({ script: `${index} * 2` }))),
    );
    expect(answers.map(({ value }) => value)).toEqual([0, 2, 4, 6, 8, 10, 12, 14]);
  });

  test('works when taken out of the tool', async () => {
    const { execute, isEnabled, getConsentPreview } = toolFor();
    expect(isEnabled()).toBe(true);
    expect(getConsentPreview({ script: '1' })).toContain('1');
    expect((await completed(execute({ script: '1' }))).value).toBe(1);
  });
});

describe('arguments that do not fit are an answer for the model', () => {
  test.each([
    ['nothing', undefined, 'expected object'],
    ['no script', {}, 'script'],
    ['an empty script', { script: '' }, 'script: is empty'],
    ['a script of spaces', { script: ' \n\t ' }, 'script: is empty'],
    ['a script that is no string', { script: 1 }, 'script'],
    ['a script of too many characters', { script: ' '.repeat(32 * 1024 + 1) }, 'script: is longer than 32768 bytes'],
    ['a script of too many bytes', { script: `"${'€'.repeat(11_000)}"` }, 'script: is longer than 32768 bytes'],
    ['an unknown key', { script: '1', timeout: 5 }, 'timeout'],
    ['a description that is no string', { script: '1', description: 1 }, 'description'],
    ['a description of 1001 characters', { script: '1', description: 'x'.repeat(1001) }, 'description'],
  ])('%s', async (_, args, message) => {
    const { listen, types } = recorder();
    const tool = toolFor({ events: listen });
    const { error, text, record } = await failed(tool.execute(args as ExecuteSandboxScriptArgs));
    expect(error).toMatchObject({ code: 'invalid_request' });
    expect(error.message).toContain(message);
    expect(text).toContain(message);
    expect(Buffer.byteLength(record.script)).toBeLessThanOrEqual(32 * 1024);
    expect(types()).toEqual(['sandbox.script.failed']);
  });

  test('a script of exactly 32 KiB runs', async () => {
    const script = '1'.padStart(32 * 1024, ' ');
    expect((await completed(toolFor().execute({ script }))).value).toBe(1);
  });

  test('the JSON Schema says what they may be', () => {
    expect(inputJsonSchema).toMatchObject({
      type: 'object',
      required: ['script'],
      additionalProperties: false,
      properties: {
        script: { type: 'string', minLength: 1, maxLength: 32 * 1024 },
        description: { type: 'string', maxLength: 1000 },
      },
    });
    expect(toolFor().inputJsonSchema).toBe(inputJsonSchema);
  });
});

describe('bad options', () => {
  const file = fileURLToPath(import.meta.url);
  const handler = (): number => 1;
  test.each([
    ['an unknown option', { rot: '/tmp' }, 'rot'],
    ['no sandbox of ours', { sandbox: { run: () => 1 } }, 'createSandbox()'],
    ['attachments that are none', { attachments: 5 }, 'attachments: must be files'],
    ['the same name twice', { attachments: [file, { name: 'tool.test.ts', path: file }] }, 'is there twice'],
    ['an empty name', { attachments: [{ name: '', path: file }] }, 'a name needs'],
    ['a name with a line break', { attachments: [{ name: 'a\nb', path: file }] }, 'a name needs'],
    ['a name with a slash', { attachments: [{ name: '../a', path: file }] }, 'a name needs'],
    ['an unknown setting', { settings: { consnt: 'ask' } }, 'consnt'],
    ['a setting out of range', { settings: { timeoutMs: 10_001 } }, 'from 100 to 10000'],
    ['a limit over its ceiling', { limits: { callDepth: 513 } }, 'callDepth'],
    ['an unknown limit', { limits: { heap: 1 } }, 'heap'],
    ['a consent that is no function', { consent: 'allow' }, 'consent: must be a function'],
    ['a tracer that is none', { tracer: {} }, 'tracer'],
    ['a function without declaration', { hostFunctions: { ask: { handler } } }, 'ask: declaration'],
    [
      'a declaration of another function',
      { hostFunctions: { ask: { handler, declaration: 'declare function asks(): number;' } } },
      "must begin with 'declare function ask('",
    ],
    [
      'a function named like a built-in one',
      { hostFunctions: { read_file: { handler, declaration: 'declare function read_file(): number;' } } },
      "'read_file' is taken",
    ],
    [
      'a function named like a global',
      { hostFunctions: { JSON: { handler, declaration: 'declare function JSON(): number;' } } },
      "'JSON' is taken",
    ],
  ])('%s', (_, options, message) => {
    const make = (): unknown => createExecuteSandboxScriptTool(options as ExecuteSandboxScriptToolOptions);
    expect(make).toThrow(SandboxError);
    expect(make).toThrow(message);
  });

  test('names of a source that cannot be used are the fault of the host', async () => {
    const source = { list: async () => [{ name: 'a/b', path: file, size: 1 }] };
    const error = await failureOf(toolFor({ attachments: source }).execute({ script: '1' }));
    expect(error).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('a name needs') as string,
    });
  });

  test.each([
    ['nothing', undefined, 'attachments: list(): Invalid input: expected array'],
    ['no list', { 'a.txt': 'a' }, 'attachments: list(): Invalid input: expected array'],
    ['a file without a path', [{ name: 'a.txt' }], 'attachments: list(): 0: path'],
    ['a name that is too long', [{ name: 'a'.repeat(256), path: file }], 'at most 255 characters'],
  ])('a source that lists %s is the fault of the host', async (_, listed, message) => {
    const tool = toolFor({ attachments: { list: async () => listed as unknown as Attachment[] } });
    const error = await failureOf(tool.execute({ script: '1' }));
    expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(message) as string });
  });

  test('a folder that is missing is an answer, and is created for outputs only', async () => {
    const { error } = await failed(toolFor({ appPath: '/no/such' }).execute({ script: '1' }));
    expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('scope.root') as string });
  });
});

describe('isEnabled', () => {
  test.each([
    [{}, true],
    [{ enabled: false }, false],
    [{ consent: 'never' as const }, false],
    [{ consent: 'always' as const }, true],
  ])('follows the settings %j', (settings, expected) => {
    expect(toolFor({ settings }).isEnabled()).toBe(expected);
    expect(toolFor({ settings: () => settings }).isEnabled()).toBe(expected);
  });

  test('is true on a platform that MustardScript is not made for', async () => {
    const program = `
      import { createExecuteSandboxScriptTool } from '@mustard-sandbox/agent-tool';
      const tool = createExecuteSandboxScriptTool();
      Object.defineProperty(process, 'arch', { value: 'riscv64' });
      console.log(tool.isEnabled(), process._getActiveHandles().length);
    `;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', program], { stdin: 'ignore' });
    expect(stdout).toMatch(/^true /);
  });
});

describe('the engine of a tool', () => {
  test.each([
    ['auto', 'mustardscript'],
    ['mustardscript', 'mustardscript'],
    ['quickjs', 'quickjs'],
  ] as const)('is %s', async (engine, expected) => {
    await using tool = createExecuteSandboxScriptTool({ engine, settings: { consent: 'always' } });
    const result = await completed(tool.execute({ script: '1 + 1' }));
    expect(result).toMatchObject({ value: 2, engine: expected, record: { engine: expected } });
  });

  test('asks nobody about a script that it cannot run', async () => {
    const consent = vi.fn<ConsentFunction>(async () => 'allow-once');
    await using tool = createExecuteSandboxScriptTool({ engine: 'mustardscript', consent });
    const { error } = await failed(tool.execute({ script: 'class A {}' }));
    expect(error.code).toBe('unsupported_syntax');
    expect(consent).not.toHaveBeenCalled();
  });

  test('is that of a sandbox that is given', async () => {
    await using sandbox = createSandbox({ spares: 0 });
    expect(() => createExecuteSandboxScriptTool({ sandbox, engine: 'quickjs' })).toThrow(
      /engine: a sandbox that is given/,
    );
  });
});

describe('a tool without a sandbox', () => {
  test('makes its own on first use, and ends it', async () => {
    const appPath = makeFolder({ 'a.txt': 'a' });
    const tool = createExecuteSandboxScriptTool({ appPath, settings: { consent: 'always' } });
    await using closing = tool;
    expect((await completed(closing.execute({ script: 'read_file("a.txt")' }))).value).toBe('a');
    const pending = failed(tool.execute({ script: 'while (true) {}' }));
    await tool.close();
    expect((await pending).error.code).toBe('closed');
    expect((await failed(tool.execute({ script: '1' }))).error.code).toBe('closed');
    await tool.close();
  });

  test('lets its host end', async () => {
    const program = `
      import { createExecuteSandboxScriptTool } from '@mustard-sandbox/agent-tool';
      const tool = createExecuteSandboxScriptTool({ settings: { consent: 'always' } });
      console.log((await tool.execute({ script: '1 + 1' })).text);
    `;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', program]);
    expect(stdout).toBe('2');
  });

  test('leaves a sandbox that it was given alone', async () => {
    await using sandbox = createSandbox({ spares: 0 });
    const tool = createExecuteSandboxScriptTool({ sandbox, consent: () => new Promise(() => {}) });
    const asked = failed(tool.execute({ script: '1' }));
    await tool.close();
    expect((await asked).error.code).toBe('closed');
    expect((await sandbox.run({ script: '1' })).value).toBe(1);
  });
});

test('scripts that are turned off are refused, also when the tool is called all the same', async () => {
  const result = await denied(toolFor({ settings: { enabled: false } }).execute({ script: '1' }));
  expect(result).toMatchObject({ by: 'settings', reason: 'disabled' });
  expect(result.text).toContain('turned off');
});
