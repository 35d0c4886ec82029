import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { RunOptions, RunResult, SandboxError, SandboxValue } from '@mustard-sandbox/client';
import { expect, test } from 'vitest';
import { OutputFolder } from '../../packages/sandbox-client/src/outputs/folder.ts';
import { RunOutputs } from '../../packages/sandbox-client/src/outputs/run-outputs.ts';
import { makeFolder } from '../files/support.ts';
import { sandbox, shared } from './support.ts';

/** On a busy machine. */
const limits = { timeoutMs: 10_000 };
const run = async (outputs: RunOptions['outputs'] | undefined, script: string): Promise<RunResult> =>
  await shared().run({ script, limits, ...(outputs !== undefined && { outputs }) });
const failure = async (outputs: RunOptions['outputs'] | undefined, script: string): Promise<SandboxError> =>
  await run(outputs, script).then(
    ({ value }) => expect.unreachable(JSON.stringify(value)),
    (error: unknown) => error as SandboxError,
  );

const rows = '[{ a: 1, b: \'x,"y"\' }, { a: null, c: { d: [1] } }, { b: "two\\nlines" }]';

test.each([
  ['a.csv', rows, 'a,b,c\n1,"x,""y""",\n,,"{""d"":[1]}"\n,"two\nlines",\n'],
  ['a.tsv', '[["x", "y"], [1, "t\\tt"]]', 'x\ty\n1\t"t\tt"\n'],
  ['a.csv', '{ rows: [{ a: 1 }], truncated: false }', 'a\n1\n'],
  ['a.csv', '({ one: 1, two: 2 })', 'key,value\none,1\ntwo,2\n'],
  ['a.csv', '[1, "", 3]', 'value\n1\n""\n3\n'],
  ['a.csv', '"a,b\\n1,2"', 'a,b\n1,2'],
  ['a.json', '[{ a: 1 }, null, "ö"]', '[\n{"a":1},\nnull,\n"ö"\n]\n'],
  ['a.json', '({ a: [1] })', '{\n  "a": [\n    1\n  ]\n}\n'],
  ['a.json', 'JSON.stringify([1])', '[1]'],
  ['a.ndjson', '[{ a: 1 }, 2]', '{"a":1}\n2\n'],
  ['a.jsonl', '{ rows: [{ a: 1 }, { a: 2 }] }', '{"a":1}\n{"a":2}\n'],
  ['a.md', '[{ a: "x|y", b: "<b>" }]', '| a | b |\n| --- | --- |\n| x\\|y | \\<b> |\n'],
  ['a.txt', '["one", 2, { a: 1 }]', 'one\n2\n{"a":1}\n'],
  ['a.txt', '"😀".repeat(3)', '😀😀😀\n'],
])('saves %s of %s', async (name, value, text) => {
  const folder = makeFolder();
  const { outputs } = await run(folder, `const value = ${value}; save('${name}', value)`);
  expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
  expect(outputs).toEqual([
    { name, size: Buffer.byteLength(text), head: expect.any(String), path: join(folder, name) },
  ]);
  expect(readdirSync(folder)).toEqual([name]);
});

test('gives a name the ending of its content, so that nothing runs it', async () => {
  const folder = makeFolder();
  const script = `['a.sh', 'b.html', 'c', 'd.csv'].map((name) => save(name, 'x', name === 'd.csv' ? { format: 'text' } : {}).name).concat(save('e', [1]).name)`;
  const { value } = await run(folder, script);
  expect(value).toEqual(['a.sh.txt', 'b.html.txt', 'c.txt', 'd.csv.txt', 'e.json']);
});

test.each([
  ...['', '.', '..', '../x.csv', '/etc/x.csv', 'a/b.csv', 'a\\\\b.csv', 'C:x.csv', '.env', '.a.csv', '-rf.csv'],
  ...['NUL', 'con.csv', 'a\\u0000.csv', 'a\\n.csv', 'a\\u202ecsv.exe.csv', 'x'.repeat(121), 'a?.csv', 'a\\ud800.csv'],
])('refuses the name "%s"', async (name) => {
  const folder = makeFolder();
  const { code, message, details } = await failure(folder, `save("${name}", 'x')`);
  expect({ code, message, outputs: details['outputs'] }).toEqual({
    code: 'script_error',
    message: expect.stringContaining('TypeError: save: '),
    outputs: undefined,
  });
  expect(message).not.toContain(folder);
  expect(readdirSync(folder)).toEqual([]);
});

test('replaces nothing of the user, and follows no link', async () => {
  const folder = makeFolder({ 'a.csv': 'mine', 'b.csv/': '', 'c.csv': { link: 'a.csv' }, 'd.csv': { link: '../no' } });
  const { value } = await run(folder, `['a', 'b', 'c', 'd'].map((name) => save(name + '.csv', 'theirs').name)`);
  expect(value).toEqual(['a-2.csv', 'b-2.csv', 'c-2.csv', 'd-2.csv']);
  expect(readFileSync(join(folder, 'a.csv'), 'utf8')).toBe('mine');
  expect(existsSync(join(folder, '../no'))).toBe(false);
});

test('replaces and extends what the run itself has saved, and no file that took its place', async () => {
  const folder = makeFolder();
  const hostFunctions = {
    swap: () => {
      rmSync(join(folder, 'a.csv'));
      symlinkSync('/etc/hostname', join(folder, 'a.csv'));
    },
    put: () => {
      rmSync(join(folder, 'b.csv'));
      writeFileSync(join(folder, 'b.csv'), 'mine');
    },
  };
  const script = `
    save('n.ndjson', [1]); save('n.ndjson', [2, 3], { append: true });
    save('a.csv', [[1]]); save('a.csv', [[2]]);
    swap(); const a = save('a.csv', [[3]], { append: true });
    save('b.csv', [[1]]); put(); const b = save('b.csv', [[2]]);
    [a.name, b.name]`;
  const { value } = await shared().run({ script, outputs: folder, hostFunctions, limits });
  expect(value).toEqual(['a-2.csv', 'b-2.csv']);
  const text = (name: string): string => readFileSync(join(folder, name), 'utf8');
  expect([text('n.ndjson'), text('b.csv'), text('a-2.csv'), text('b-2.csv')]).toEqual([
    '1\n2\n3\n',
    'mine',
    '3\n',
    '2\n',
  ]);
});

test('an appended CSV has one header', async () => {
  const folder = makeFolder();
  await run(folder, `for (let i = 0; i < 3; i++) save('a.csv', [{ i }], { append: true })`);
  expect(readFileSync(join(folder, 'a.csv'), 'utf8')).toBe('i\n0\n1\n2\n');
});

test('is bounded in bytes and in files, and leaves no part of a file', async () => {
  const folder = makeFolder();
  const outputs = { folder, maxBytes: 3_000_000, maxFiles: 2 };
  const large = await failure(outputs, `save('a.txt', 'x'); save('b.txt', 'x'.repeat(4e6))`);
  expect(large).toMatchObject({ code: 'limit_exceeded', details: { capability: 'save' } });
  expect(large.details['outputs']).toEqual([expect.objectContaining({ name: 'a.txt', size: 2 })]);
  expect(readdirSync(folder)).toEqual(['a.txt']);
  const many = await failure(outputs, `for (const name of ['c', 'd', 'e']) save(name, 'x')`);
  expect(many).toMatchObject({ code: 'limit_exceeded' });
  expect(readdirSync(folder).sort()).toEqual(['a.txt', 'c.txt', 'd.txt']);
});

test('a script that is stopped in the middle of a file leaves nothing of it', async () => {
  const folder = makeFolder();
  const stop = new AbortController();
  const box = sandbox();
  const hostFunctions = { stop: () => stop.abort() };
  const script = `save('a.txt', 'whole'); stop(); for (;;) save('b.txt', 'x'.repeat(3e6))`;
  await expect(box.run({ script, outputs: folder, hostFunctions, limits, signal: stop.signal })).rejects.toMatchObject({
    code: 'cancelled',
  });
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('whole\n');
});

test('characters are whole where a long text is cut into parts', async () => {
  const folder = makeFolder();
  await run(folder, `save('a.txt', 'x' + '😀'.repeat(600_000))`);
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe(`x${'😀'.repeat(600_000)}\n`);
});

test('without a folder it is refused, and a folder that cannot be written is an error of the script', async () => {
  expect(await failure(undefined, `save('a.csv', [])`)).toMatchObject({ code: 'capability_denied' });
  const caught = `try { save('a.csv', []) } catch (error) { error.message }`;
  const file = join(makeFolder({ file: '' }), 'file');
  expect((await run(join(file, 'below'), caught)).value).toBe('save: "a.csv" could not be written (ENOTDIR).');
  const folder = makeFolder();
  chmodSync(folder, 0o500);
  const asRoot = process.getuid?.() === 0;
  expect((await run(folder, caught)).value).toEqual(asRoot ? expect.anything() : expect.stringContaining('EACCES'));
  chmodSync(folder, 0o700);
});

test('a host function cannot be called save where scripts may', async () => {
  const error = shared().run({ script: '1', outputs: makeFolder(), hostFunctions: { save: () => 1 } });
  await expect(error).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('is a built-in'),
  });
});

test('a later script reads what was saved, in a jail too, and no other file of the folder', async () => {
  const root = makeFolder({ 'x.txt': 'x' });
  const outputs = join(makeFolder(), 'new', 'outputs');
  const box = sandbox({ roots: [root], outputs });
  await box.run({ script: `save('a.csv', [{ n: 1 }]); save('b.txt', 'b')` });
  writeFileSync(join(outputs, 'mine.txt'), 'mine');
  rmSync(join(outputs, 'b.txt'));
  symlinkSync(join(outputs, 'mine.txt'), join(outputs, 'b.txt'));
  const { value, attachmentsRead } = await box.run({
    script: `const errors = ['b.txt', 'mine.txt', '../x', ''].map((name) => {
        try { read_file('outputs:' + name); } catch (error) { return error.name; }
      });
      [list_files('outputs:'), list_files('attachments:'), read_file('outputs:a.csv'), errors]`,
  });
  expect(value).toEqual([
    ['outputs:a.csv'],
    [],
    'n\n1\n',
    ['NotFoundError', 'NotFoundError', 'NotFoundError', 'NotFoundError'],
  ]);
  expect(attachmentsRead).toEqual(['outputs:a.csv']);
});

test('is not for a run in segments', async () => {
  const box = sandbox();
  const given = { script: `save('a', 'x')`, outputs: makeFolder() };
  await expect(box.runSegment(given)).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(box.runSegment({ script: `save('a', 'x')` })).rejects.toMatchObject({ code: 'capability_denied' });
  await expect(box.runSegment({ script: '1', hostFunctions: ['save'] })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});

test('a folder may be made by the first file', async () => {
  const folder = makeFolder();
  mkdirSync(join(folder, 'there'));
  await run(join(folder, 'a', 'b'), `save('x', 'y')`);
  expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['x.txt']);
});

test('a sidecar that was taken over gets no name, no byte and no file more than a script', () => {
  const folder = makeFolder({ 'mine.csv': 'mine' });
  const outputs = new RunOutputs(new OutputFolder(folder), { maxBytes: 1_000, maxFiles: 2 });
  const take = (...args: unknown[]): unknown => {
    try {
      return outputs.take(...(args as SandboxValue[]));
    } catch (error) {
      return (error as SandboxError).code;
    }
  };
  const last = { isLast: true };
  for (const name of [7, null, '', '../a.csv', '/etc/a.csv', 'a/b.csv', '.a.part', 'a.sh', 'a.csv\0', 'a.exe']) {
    expect(take(name, 'x', last)).toBe('invalid_request');
  }
  for (const text of [7, null, undefined, ['x'], { a: 1 }]) expect(take('a.csv', text, last)).toBe('invalid_request');
  // A file that never ends, another one in the middle of it, and one that ends as another.
  expect(take('a.csv', 'x', { isLast: 'yes' })).toBeNull();
  expect(take('b.csv', 'x', last)).toBe('invalid_request');
  expect(take('mine.csv', 'x', { ...last, append: true })).toEqual({ name: 'mine-2.csv', size: 1 });
  for (let part = 0; part < 20; part++) take('c.csv', 'x'.repeat(100), {});
  expect(take('c.csv', 'x', last)).toBe('limit_exceeded');
  outputs[Symbol.dispose]();
  expect(readdirSync(folder).sort()).toEqual(['mine-2.csv', 'mine.csv']);
  expect(readFileSync(join(folder, 'mine.csv'), 'utf8')).toBe('mine');
});
