import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AttachmentStore } from '@mustard-sandbox/agent-tool';
import { createSandbox } from '@mustard-sandbox/client';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../files/support.ts';
import { bytes } from '../attachments/support.ts';
import { completed, failed, toolFor } from './support.ts';

const long = `'x'.repeat(100000)`;

/** Every file that a script finds by paths, and what `read_file` makes of it. */
const readAll = `
  const found = {};
  const folders = ['.'];
  while (folders.length > 0) {
    for (const path of list_files(folders.pop())) {
      if (path.endsWith('/')) folders.push(path);
      else found[path] = read_file(path);
    }
  }
  found`;

describe('the media folder', () => {
  test.each([
    ['.dyad/media', {}],
    ['files {1}/[x]', { mediaDir: 'files {1}/[x]' }],
  ])('is not reached by paths: %s', async (mediaDir, options) => {
    const appPath = makeFolder({ 'b.txt': 'b', link: { link: mediaDir }, '.dyad/other.txt': 'other' });
    const store = new AttachmentStore(appPath, { chat: 'a', ...options });
    const { path } = await store.store(bytes('secret'), 'a.csv');
    const blob = path.slice(appPath.length + 1);
    const other = new AttachmentStore(appPath, { chat: 'b', ...options });
    const tool = toolFor({ appPath, attachments: other });
    expect((await completed(tool.execute({ script: readAll }))).value).toEqual({
      'b.txt': 'b',
      '.dyad/other.txt': 'other',
    });
    for (const script of [
      `read_file(${JSON.stringify(blob)})`,
      `file_stats(${JSON.stringify(blob)})`,
      `read_file(${JSON.stringify(`${mediaDir}/manifest.json`)})`,
      `list_files(${JSON.stringify(mediaDir)})`,
      `list_files('link')`,
      `read_file('link/manifest.json')`,
    ]) {
      expect((await failed(tool.execute({ script }))).error.code, script).toBe('capability_denied');
    }
  });

  test('is not reached by paths when it is the root, or above it', async () => {
    const app = makeFolder();
    const store = new AttachmentStore(app);
    await store.store(bytes('secret'), 'a.csv');
    const tool = toolFor({ appPath: store.directory, attachments: store });
    expect((await failed(tool.execute({ script: `list_files()` }))).error.code).toBe('capability_denied');
    const { value } = await completed(tool.execute({ script: `read_file('attachments:a.csv')` }));
    expect(value).toBe('secret');
  });

  test('is not reached by paths without a tool either, where it has the usual name', async () => {
    const root = makeFolder({ '.dyad/media/a.csv': 'secret' });
    await using sandbox = createSandbox({ spares: 0 });
    const run = sandbox.run({ script: `read_file('.dyad/media/a.csv')`, scope: { root } });
    await expect(run).rejects.toMatchObject({ code: 'capability_denied' });
  });
});

describe('a stored file that became a link', () => {
  test('is refused, before a run and within it', async () => {
    const appPath = makeFolder({ '.env': 'SECRET=1' });
    const store = new AttachmentStore(appPath);
    const { path } = await store.store(bytes('12345678'), 'a.txt');
    // As a source may list it that looked just before the swap.
    const listed = await store.list();
    const source = { list: async () => listed, directory: store.directory };
    const swap = (): void => (rmSync(path), symlinkSync(join(appPath, '.env'), path));
    const hostFunctions = {
      swap: { handler: (): number => (swap(), 1), declaration: 'declare function swap(): number;' },
    };
    const tool = toolFor({ appPath, attachments: source, hostFunctions });
    const script = `read_file('attachments:a.txt') + swap() + read_file('attachments:a.txt')`;
    const { error } = await failed(tool.execute({ script }));
    expect(error.code).toBe('capability_denied');
    const after = await tool.execute({ script: `read_file('attachments:a.txt')` });
    expect(after.status).toBe('failed');
    await using sandbox = createSandbox({ spares: 0, roots: [appPath] });
    const attachments = [{ name: 'a.txt', path, noLinks: true }];
    await expect(sandbox.run({ script: '1', scope: { attachments } })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('is a link by now'),
    });
  });
});

describe('the outputs of a chat', () => {
  test('are read by that chat alone, also in a later tool, and only by their owner on disk', async () => {
    const appPath = makeFolder();
    const inChat = (chat?: string): ReturnType<typeof toolFor> =>
      toolFor({ appPath, ...(chat !== undefined && { chat }) });
    const { fullOutput = '', fullOutputPath = '' } = await completed(inChat('a').execute({ script: long }));
    expect(statSync(fullOutputPath).mode & 0o777).toBe(0o600);
    const read = { script: `read_file(${JSON.stringify(fullOutput)}).length` };
    expect((await completed(inChat('a').execute(read))).value).toBe(100_000);
    for (const chat of ['b', undefined]) {
      expect((await failed(inChat(chat).execute(read))).error.code).toBe('script_error');
    }
    const outputs = async (chat?: string): Promise<number> =>
      (await new AttachmentStore(appPath, chat === undefined ? {} : { chat }).list()).length;
    expect([await outputs('a'), await outputs('b'), await outputs()]).toEqual([1, 0, 0]);
    // A tool over a chat's store is of that chat.
    const tool = toolFor({ appPath, attachments: new AttachmentStore(appPath, { chat: 'a' }) });
    expect((await completed(tool.execute(read))).value).toBe(100_000);
    await new AttachmentStore(appPath, { chat: 'b' }).cleanup({ olderThanMs: 0 });
    expect(await outputs('a')).toBe(1);
    await new AttachmentStore(appPath, { chat: 'a' }).cleanup({ olderThanMs: 0 });
    expect(await outputs('a')).toBe(0);
    expect(readdirSync(join(appPath, '.dyad/media')).filter((name) => name.startsWith('script'))).toEqual([]);
  });

  test('are of one chat: a tool and its store do not disagree', () => {
    const attachments = new AttachmentStore(makeFolder(), { chat: 'a' });
    expect(() => toolFor({ attachments, chat: 'b' })).toThrow(/"b".*"a"/);
  });

  test('without a chat are those of all tools without one', async () => {
    const appPath = makeFolder();
    const { fullOutput } = await completed(toolFor({ appPath }).execute({ script: long }));
    const script = `read_file('${fullOutput}').length`;
    expect((await completed(toolFor({ appPath }).execute({ script }))).value).toBe(100_000);
    expect((await failed(toolFor({ appPath, chat: 'a' }).execute({ script }))).error.code).toBe('script_error');
  });

  test('are not written through a link in the folder of the store, whatever the root is', async () => {
    const app = makeFolder({ 'sub/': '' });
    const target = makeFolder();
    const store = new AttachmentStore(app);
    mkdirSync(join(app, '.dyad'));
    symlinkSync(target, store.directory);
    writeFileSync(join(target, 'a.txt'), 'a');
    const source = { list: async () => [], directory: store.directory, appPath: store.appPath };
    const { fullOutput } = await completed(
      toolFor({ appPath: join(app, 'sub'), attachments: source }).execute({ script: long }),
    );
    expect(fullOutput).toBeUndefined();
    expect(readFileSync(join(target, 'a.txt'), 'utf8')).toBe('a');
    expect(readdirSync(target)).toEqual(['a.txt']);
  });
});
