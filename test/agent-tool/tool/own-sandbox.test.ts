import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AttachmentStore,
  createExecuteSandboxScriptTool,
  type Attachment,
  type ExecuteSandboxScriptTool,
  type ExecuteSandboxScriptToolOptions,
} from '@mustard-sandbox/agent-tool';
import { createSandbox } from '@mustard-sandbox/client';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeFolder } from '../../files/support.ts';
import { noJail } from '../../isolation/support.ts';
import { completed, failed } from './support.ts';

const expected = noJail === undefined ? 'jail' : 'process';

/** A tool with a sandbox of its own. */
function ownTool(options: ExecuteSandboxScriptToolOptions): ExecuteSandboxScriptTool {
  const tool = createExecuteSandboxScriptTool({ settings: { consent: 'always' }, ...options });
  onTestFinished(() => tool.close());
  return tool;
}

const readAll = `
  const texts = {};
  for (const path of list_files('attachments:')) texts[path] = read_file(path).slice(0, 20);
  texts`;

function pids(tool: ExecuteSandboxScriptTool): number[] {
  return (tool.stats()?.processes ?? []).flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
}

function isAlive(pid: number): boolean {
  try {
    // A zombie has ended; who reaps it is another matter.
    return process.platform !== 'linux' || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe("the tool's own sandbox", () => {
  test('is made at the first run, in a jail where there is one', async () => {
    const appPath = makeFolder({ 'a.txt': 'from the app' });
    const tool = ownTool({ appPath });
    expect(tool.isEnabled()).toBe(true);
    expect(tool.stats()).toBeUndefined();
    expect((await completed(tool.execute({ script: 'read_file("a.txt")' }))).value).toBe('from the app');
    expect(tool.stats()?.isolation).toMatchObject({ requested: 'auto', active: expected });
  });

  test('is in it too without any file, and for files outside of the app', async () => {
    const none = ownTool({});
    expect((await completed(none.execute({ script: '1 + 1' }))).value).toBe(2);
    expect(none.stats()?.isolation.active).toBe(expected);
    const outside = makeFolder({ 'a.log': 'outside' });
    const listed = ownTool({ appPath: makeFolder(), attachments: [join(outside, 'a.log')] });
    expect((await completed(listed.execute({ script: readAll }))).value).toEqual({ 'attachments:a.log': 'outside' });
    expect(listed.stats()?.isolation.active).toBe(expected);
  });

  test('reads what is stored after it began, and the outputs of scripts, in another process too', async () => {
    const appPath = makeFolder({ 'a.txt': 'from the app' });
    const store = new AttachmentStore(appPath);
    const tool = ownTool({ appPath, attachments: store });
    expect((await completed(tool.execute({ script: 'read_file("a.txt")' }))).value).toBe('from the app');
    const before = pids(tool);
    writeFileSync(join(appPath, 'later.log'), 'stored later');
    await store.store(join(appPath, 'later.log'), 'later.log');
    const long = await completed(tool.execute({ script: `'x'.repeat(100000)` }));
    const all = { 'attachments:later.log': 'stored later', [long.fullOutput as string]: 'x'.repeat(20) };
    expect((await completed(tool.execute({ script: readAll }))).value).toEqual(all);
    // The media folder is in the app's: no other sandbox is needed for it.
    expect(pids(tool)).toEqual(expect.arrayContaining(before));
    const program = `
      import { AttachmentStore, createExecuteSandboxScriptTool } from '@mustard-sandbox/agent-tool';
      const [appPath, script] = process.argv.slice(1);
      const attachments = new AttachmentStore(appPath);
      const tool = createExecuteSandboxScriptTool({ appPath, attachments, settings: { consent: 'always' } });
      const { value, text } = await tool.execute({ script });
      console.log(JSON.stringify([value ?? text, tool.stats().isolation.active]));
      await tool.close();
    `;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', program, appPath, readAll]);
    expect(JSON.parse(stdout)).toEqual([all, expected]);
  });

  test('serves a store alone, whose folder is made later', async () => {
    const appPath = makeFolder({ 'a.log': 'stored' });
    const store = new AttachmentStore(appPath);
    const tool = ownTool({ attachments: store });
    expect((await completed(tool.execute({ script: readAll }))).value).toEqual({});
    await store.store(join(appPath, 'a.log'), 'a.log');
    expect((await completed(tool.execute({ script: readAll }))).value).toEqual({ 'attachments:a.log': 'stored' });
    const long = await completed(tool.execute({ script: `'x'.repeat(100000)` }));
    const script = `read_file('${long.fullOutput}').length`;
    expect((await completed(tool.execute({ script }))).value).toBe(100_000);
    expect(tool.stats()?.isolation.active).toBe(expected);
  });

  test('follows a source that lists other files each time, and lets what runs end first', async () => {
    const folder = makeFolder({ 'a.log': 'a', 'b.log': 'b' });
    let names = ['a.log'];
    const list = async (): Promise<Attachment[]> => names.map((name) => ({ name, path: join(folder, name), size: 1 }));
    let asked = (): void => {};
    let answer: (text: string) => void = () => {};
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const handler = async (): Promise<string> => {
      asked();
      return await new Promise<string>((resolve) => (answer = resolve));
    };
    const tool = ownTool({
      attachments: { list },
      hostFunctions: { wait: { handler, declaration: 'declare function wait(): string;' } },
    });
    const running = completed(tool.execute({ script: `wait() + read_file('attachments:a.log')` }));
    await isAsked;
    const first = pids(tool);
    names = ['b.log'];
    expect((await completed(tool.execute({ script: readAll }))).value).toEqual({ 'attachments:b.log': 'b' });
    expect(first.some(isAlive)).toBe(true);
    answer('still ');
    expect((await running).value).toBe('still a');
    await vi.waitFor(() => expect(first.filter(isAlive)).toEqual([]));
    // What it had it still has: a host that goes from chat to chat has one made for each file, not for each turn.
    const second = pids(tool);
    names = ['a.log'];
    expect((await completed(tool.execute({ script: readAll }))).value).toEqual({ 'attachments:a.log': 'a' });
    names = ['b.log', 'a.log'];
    expect((await completed(tool.execute({ script: readAll }))).value).toMatchObject({ 'attachments:b.log': 'b' });
    expect(second.length).toBeGreaterThan(0);
    expect(pids(tool)).toEqual(expect.arrayContaining(second));
  });

  test('takes a thousand files from everywhere, and refuses more: their folders would open more', async () => {
    const folder = makeFolder();
    const files = Array.from({ length: 1001 }, (_, index) => {
      const path = join(folder, `${index}.txt`);
      writeFileSync(path, String(index));
      return path;
    });
    const appPath = makeFolder({ 'a.txt': 'a' });
    const { error } = await failed(ownTool({ appPath, attachments: files }).execute({ script: '1' }));
    expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('at most 999') });
    writeFileSync(join(folder, 'id_rsa'), 'secret');
    const tool = ownTool({ attachments: files.slice(1) });
    const script = `[list_files('attachments:').length, read_file('attachments:1000.txt')]`;
    expect((await completed(tool.execute({ script }))).value).toEqual([1000, '1000']);
    expect(tool.stats()?.isolation.active).toBe(expected);
    if (noJail !== undefined) return;
    expect(readFileSync(`/proc/${pids(tool)[0]}/mountinfo`, 'utf8')).not.toMatch(new RegExp(` ${folder} `));
  });

  test('says what is gone, goes on without it, and takes it up again', async () => {
    const parent = makeFolder({ 'app/a.txt': 'first', 'b.log': 'b' });
    const appPath = join(parent, 'app');
    const tool = ownTool({ appPath, attachments: [join(parent, 'b.log')] });
    const read = { script: 'read_file("a.txt")' };
    expect((await completed(tool.execute(read))).value).toBe('first');
    renameSync(appPath, join(parent, 'away'));
    rmSync(join(parent, 'b.log'));
    const { error, text } = await failed(tool.execute(read));
    expect(error).toMatchObject({ code: 'invalid_request' });
    expect(error.message).toContain('scope.root');
    expect(text).not.toContain(parent);
    mkdirSync(appPath);
    writeFileSync(join(appPath, 'a.txt'), 'second');
    writeFileSync(join(parent, 'b.log'), 'again');
    expect((await completed(tool.execute(read))).value).toBe('second');
    expect((await completed(tool.execute({ script: readAll }))).value).toEqual({ 'attachments:b.log': 'again' });
  });

  test.skipIf(noJail !== undefined)('shows the sidecar the app and the attachments, and no other file', async () => {
    const appPath = makeFolder({ 'a.txt': 'a' });
    const outside = makeFolder({ 'a.log': 'a', 'b.log': 'b' });
    // A project that came from elsewhere, with a link where the media folder would be.
    const target = makeFolder({ 'c.txt': 'c' });
    mkdirSync(join(appPath, '.dyad'));
    symlinkSync(target, join(appPath, '.dyad/media'));
    const tool = ownTool({ appPath, attachments: [join(outside, 'a.log')] });
    expect((await completed(tool.execute({ script: readAll }))).value).toEqual({ 'attachments:a.log': 'a' });
    const [pid] = pids(tool);
    const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8');
    expect(mounts).toContain(` ${appPath} `);
    expect(mounts).toContain(` ${outside}/a.log `);
    expect(mounts).not.toContain(`${outside}/b.log`);
    expect(mounts).not.toContain(target);
  });

  test.skipIf(process.platform === 'win32')('keeps no output behind a link that leads out of the app', async () => {
    const target = makeFolder();
    const appPath = makeFolder({ '.dyad': { link: target } });
    const tool = ownTool({ appPath });
    const { text, fullOutput } = await completed(tool.execute({ script: `'x'.repeat(100000)` }));
    expect(fullOutput).toBeUndefined();
    expect(text).toContain('The rest was not kept');
    const name = `script-output-${'0'.repeat(16)}.txt`;
    mkdirSync(join(target, 'media'), { recursive: true });
    writeFileSync(join(target, 'media', name), 'of another');
    expect((await failed(tool.execute({ script: `read_file('attachments:${name}')` }))).error.code).toBe(
      'script_error',
    );
  });
});

describe('the option isolation', () => {
  test('is that of the own sandbox', async () => {
    const plain = ownTool({ isolation: 'process' });
    expect((await completed(plain.execute({ script: '1' }))).value).toBe(1);
    expect(plain.stats()?.isolation).toMatchObject({ requested: 'process', active: 'process' });
  });

  test.skipIf(process.platform !== 'linux')('jail runs nothing where there can be none', async () => {
    const tool = ownTool({ appPath: '/', isolation: 'jail' });
    const { error } = await failed(tool.execute({ script: '1' }));
    expect(error).toMatchObject({ code: 'invalid_request' });
    expect(error.message).toContain('whole file system');
  });

  test('is refused beside a sandbox, which has its own', async () => {
    await using sandbox = createSandbox();
    expect(() => createExecuteSandboxScriptTool({ sandbox, isolation: 'jail' })).toThrow('pass it to createSandbox()');
    expect(() => createExecuteSandboxScriptTool({ isolation: 'cage' as never })).toThrow('isolation');
    expect(createExecuteSandboxScriptTool({ sandbox }).stats()).toEqual(sandbox.stats());
  });
});
