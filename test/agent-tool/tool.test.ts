import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import {
  createExecuteSandboxScriptTool,
  type ExecuteSandboxScriptArgs,
  type ExecuteSandboxScriptTool,
  type ExecuteSandboxScriptToolOptions,
} from '@mustard-sandbox/agent-tool';
import { createSandbox, SandboxError } from '@mustard-sandbox/client';
import { failureOf } from '../client/support.ts';
import { makeFolder } from '../files/support.ts';

const sandbox = createSandbox();
afterAll(() => sandbox.close());

function toolFor(options: Partial<ExecuteSandboxScriptToolOptions> = {}): ExecuteSandboxScriptTool {
  return createExecuteSandboxScriptTool({ sandbox, ...options });
}

describe('execute', () => {
  test('answers with the value and what it took, as JSON', async () => {
    const root = makeFolder({ 'src/notes.txt': 'one\ntwo\n' });
    const script = 'read_file("src/notes.txt").split("\\n").filter((line) => line !== "")';
    const result = await toolFor({ root }).execute({ script, description: 'the lines' });
    expect(result).toEqual({
      value: ['one', 'two'],
      truncated: false,
      executionMs: expect.any(Number),
      instructionsUsed: expect.any(Number),
      heapBytesUsed: expect.any(Number),
      bytesRead: 8,
    });
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  test('reads attachments by name, given as names and paths, or as paths', async () => {
    const folder = makeFolder({ 'server.log': 'log', 'a/spec.txt': 'spec' });
    const tool = toolFor({
      attachments: [join(folder, 'server.log'), { name: 'the spec', path: join(folder, 'a/spec.txt') }],
    });
    const script =
      'const read = []; for (const path of list_files("attachments:")) read.push([path, read_file(path)]); read';
    const { value } = await tool.execute({ script });
    expect(value).toEqual([
      ['attachments:server.log', 'log'],
      ['attachments:the spec', 'spec'],
    ]);
  });

  test.each([
    ['undefined', 'undefined'],
    ['NaN', 'NaN'],
    ['1 / 0', 'Infinity'],
    ['-1 / 0', '-Infinity'],
    ['-0', 0],
    ['null', null],
    ['""', ''],
    ['({ a: undefined, b: NaN, c: [1, undefined, -0], d: [, 1] })', { b: 'NaN', c: [1, null, 0], d: [null, 1] }],
  ])('says %s in JSON', async (script, expected) => {
    const { value } = await toolFor().execute({ script });
    expect(value).toStrictEqual(expected);
    expect(Object.is(value, -0)).toBe(false);
  });

  test('rejects with the error of the script', async () => {
    const tool = toolFor();
    const thrown = await failureOf(tool.execute({ script: '1;\nthrow new Error("no such thing")' }));
    expect(thrown).toMatchObject({ name: 'SandboxError', code: 'script_error' });
    expect(thrown.message).toContain('no such thing');
    expect(await failureOf(tool.execute({ script: 'class A {}' }))).toMatchObject({ code: 'unsupported_syntax' });
    expect(await failureOf(tool.execute({ script: 'this is not' }))).toMatchObject({ code: 'parse_error' });
    expect(await failureOf(tool.execute({ script: 'read_file("attachments:none")' }))).toMatchObject({
      code: 'script_error',
    });
  });

  test('ends when its signal is aborted', async () => {
    const controller = new AbortController();
    const running = toolFor().execute({ script: 'while (true) {}' }, { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    expect(await failureOf(running)).toMatchObject({ code: 'cancelled' });
  });

  test('runs under its own limits', async () => {
    const error = await failureOf(toolFor({ limits: { timeoutMs: 100 } }).execute({ script: 'while (true) {}' }));
    expect(error).toMatchObject({ code: 'timeout', details: { value: 100 } });
  });
});

describe('bad arguments', () => {
  test.each([
    ['nothing', undefined, 'expected object'],
    ['no script', {}, 'script'],
    ['an empty script', { script: '' }, 'script: is empty'],
    ['a script that is no string', { script: 1 }, 'script'],
    ['a script of too many characters', { script: ' '.repeat(32 * 1024 + 1) }, 'script: is longer than 32768 bytes'],
    ['a script of too many bytes', { script: `"${'€'.repeat(11_000)}"` }, 'script: is longer than 32768 bytes'],
    ['an unknown key', { script: '1', timeout: 5 }, 'timeout'],
    ['a description that is no string', { script: '1', description: 1 }, 'description'],
  ])('%s', async (_, args, message) => {
    const error = await failureOf(toolFor().execute(args as ExecuteSandboxScriptArgs));
    expect(error).toMatchObject({ name: 'SandboxError', code: 'invalid_request' });
    expect(error.message).toContain(message);
  });

  test('a script of exactly 32 KiB runs', async () => {
    const script = '1'.padStart(32 * 1024, ' ');
    await expect(toolFor().execute({ script })).resolves.toMatchObject({ value: 1 });
  });
});

describe('bad options', () => {
  const file = fileURLToPath(import.meta.url);
  test.each([
    ['an unknown option', { rot: '/tmp' }, 'rot'],
    ['no sandbox', { sandbox: undefined }, 'createSandbox()'],
    ['an attachment that is missing', { attachments: [{ name: 'x', path: '/no/such' }] }, 'there is no file /no/such'],
    ['an attachment that is a folder', { attachments: [{ name: 'x', path: '/' }] }, 'not a regular file'],
    ['the same name twice', { attachments: [file, { name: 'tool.test.ts', path: file }] }, 'is there twice'],
    ['an empty name', { attachments: [{ name: '', path: file }] }, 'a name needs'],
    ['a name with a line break', { attachments: [{ name: 'a\nb', path: file }] }, 'a name needs'],
    ['a name with a slash', { attachments: [{ name: '../a', path: file }] }, 'a name needs'],
  ])('%s', (_, options, message) => {
    const make = (): unknown => toolFor(options as Partial<ExecuteSandboxScriptToolOptions>);
    expect(make).toThrow(SandboxError);
    expect(make).toThrow(message);
  });

  test('a root that is missing is refused at the run', async () => {
    const error = await failureOf(toolFor({ root: '/no/such' }).execute({ script: '1' }));
    expect(error).toMatchObject({ code: 'invalid_request' });
  });
});
