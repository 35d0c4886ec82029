import {
  appendFileSync,
  chmodSync,
  chownSync,
  createReadStream,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { AttachmentStore, createExecuteSandboxScriptTool, type AgentEventListener } from '@mustard-sandbox/agent-tool';
import { createSandbox } from '@mustard-sandbox/client';
import { makeFolder } from '../../files/support.ts';
import { blobsIn, bytes, expectSound, failureOf, leftoversIn, makeApp, sha256 } from './support.ts';

describe('storing', () => {
  test('puts the file under its hash and answers all about it', async () => {
    const { path, store, events } = makeApp({ 'logs/server.log': 'ready\n' });
    const before = new Date().toISOString();
    const stored = await store.store(join(path, 'logs/server.log'), 'server.log');
    const hash = sha256('ready\n');
    expect(stored).toEqual({
      kind: 'file',
      name: 'server.log',
      originalName: 'server.log',
      path: join(path, '.dyad/media', `${hash}.log`),
      sha256: hash,
      size: 6,
      mediaType: 'text/plain',
      storedAt: expect.any(String),
    });
    expect(stored.storedAt >= before).toBe(true);
    expect(readFileSync(stored.path, 'utf8')).toBe('ready\n');
    expect(await store.list()).toEqual([stored]);
    expect(await store.resolve('attachments:server.log')).toEqual(stored);
    expect(events).toEqual([
      {
        at: expect.any(String),
        type: 'attachment.stored',
        name: 'server.log',
        size: 6,
        mediaType: 'text/plain',
        deduplicated: false,
      },
    ]);
    expectSound(store.directory);
    expect(leftoversIn(store.directory)).toEqual([]);
  });

  test('takes any stream of bytes', async () => {
    const { store } = makeApp();
    const content = 'x'.repeat(700_000);
    const blob = new Blob([content]);
    for (const source of [bytes(content), Readable.from([Buffer.from(content)]), blob.stream(), bytes(content, 7)]) {
      const { size, sha256: hash } = await store.store(source as AsyncIterable<Uint8Array>, 'x.txt');
      expect({ size, hash }).toEqual({ size: content.length, hash: sha256(content) });
    }
    const empty = await store.store(bytes(''), 'empty.txt');
    expect(empty).toMatchObject({ size: 0, mediaType: 'text/plain' });
    expect(readFileSync(empty.path, 'utf8')).toBe('');
    expectSound(store.directory);
  });

  test('the same file twice keeps its name and its one copy', async () => {
    const { path, store, events } = makeApp({ 'a.log': 'same', 'b.log': 'same' });
    const first = await store.store(join(path, 'a.log'), 'server.log');
    const again = await store.store(join(path, 'b.log'), 'logs/server.log');
    expect(again).toEqual({ ...first, storedAt: again.storedAt });
    expect(again.storedAt >= first.storedAt).toBe(true);
    expect(await store.list()).toEqual([again]);
    expect(events.map((event) => 'deduplicated' in event && event.deduplicated)).toEqual([false, true]);
  });

  test('other content under the same name gets the next name', async () => {
    const { store } = makeApp();
    for (const content of ['1', '2', '1', '3']) await store.store(bytes(content), 'server.log');
    await store.store(bytes('4'), 'SERVER.log');
    const names = (await store.list()).map(({ name }) => name);
    expect(names).toEqual(['server.log', 'server-2.log', 'server-3.log', 'SERVER-4.log']);
  });

  test('the same content under another name has both names and one copy', async () => {
    const { store } = makeApp();
    const one = await store.store(bytes('same'), 'one.log');
    const two = await store.store(bytes('same'), 'two.txt');
    expect(two).toEqual({ ...one, name: 'two.txt', originalName: 'two.txt', storedAt: two.storedAt });
    expect(blobsIn(store.directory)).toHaveLength(1);
    expect(await store.remove('one.log')).toBe(true);
    expect(readFileSync((await store.resolve('attachments:two.txt')).path, 'utf8')).toBe('same');
    expect(await store.remove('attachments:two.txt')).toBe(true);
    expect(blobsIn(store.directory)).toEqual([]);
  });

  test('a media type that is given counts; an empty one is guessed', async () => {
    const { store } = makeApp();
    expect((await store.store(bytes('a'), 'a.txt', 'Text/CSV; charset=utf-8')).mediaType).toBe('text/csv');
    expect((await store.store(bytes('b'), 'b.csv', '')).mediaType).toBe('text/csv');
  });

  test('puts a file back whose copy was lost or damaged', async () => {
    const { store } = makeApp();
    const { path } = await store.store(bytes('precious'), 'a.txt');
    for (const damage of [
      () => rmSync(path),
      () => (chmodSync(path, 0o600), appendFileSync(path, '!')),
      () => (rmSync(path), symlinkSync('/etc/passwd', path)),
    ]) {
      damage();
      expect(await store.list()).toEqual([]);
      const again = await store.store(bytes('precious'), 'a.txt');
      expect(again).toMatchObject({ name: 'a.txt', path });
      expect(readFileSync(path, 'utf8')).toBe('precious');
      expect(statSync('/etc/passwd').isFile()).toBe(true);
    }
    expectSound(store.directory);
  });

  test('many at once, of one process', async () => {
    const { store } = makeApp();
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, index) => store.store(bytes(`file ${index % 10}`), 'same.txt')),
    );
    expect(new Set(all.map(({ name }) => name)).size).toBe(10);
    expect((await store.list()).length).toBe(10);
    expectSound(store.directory);
    expect(leftoversIn(store.directory)).toEqual([]);
  });

  test('a listener that throws changes nothing', async () => {
    const { store } = makeApp({}, { events: () => expect.unreachable() });
    await store.store(bytes('a'), 'a.txt');
    expect(await store.list()).toHaveLength(1);
  });

  test('a listener that rejects does not end the process', async () => {
    const listener = vi.fn(() => Promise.reject(new Error('no log')));
    const { store } = makeApp({}, { events: listener as unknown as AgentEventListener });
    // Vitest fails a run with an unhandled rejection.
    await store.store(bytes('a'), 'a.txt');
    writeFileSync(join(store.directory, 'manifest.json'), 'broken');
    expect(await store.list()).toHaveLength(1);
    expect(listener.mock.calls).toMatchObject([
      [{ type: 'attachment.stored', at: expect.stringMatching(/Z$/) }],
      [{ type: 'attachment.manifest_rebuilt', at: expect.stringMatching(/Z$/) }],
    ]);
  });

  test('only the user may read what is stored, and nobody writes into it', async () => {
    const { store } = makeApp();
    const { path } = await store.store(bytes('secret'), 'a.txt');
    const modes = [store.directory, path, join(store.directory, 'manifest.json')].map((p) => statSync(p).mode & 0o777);
    expect(modes).toEqual([0o700, 0o400, 0o600]);
  });
});

test('a script reads what is stored, and what another script put out', async () => {
  const { store } = makeApp();
  await store.store(bytes('one\ntwo\n'), "it's a log.txt");
  writeFileSync(join(store.directory, 'script-output-0123456789abcdef.txt'), 'three\n');
  await using sandbox = createSandbox({ spares: 0 });
  const tool = createExecuteSandboxScriptTool({
    sandbox,
    attachments: store,
    settings: { consent: 'always' },
  });
  const script = `list_files('attachments:').map((path) => path).join() + '|' +
    read_file('attachments:it_s a log.txt') + read_file('attachments:script-output-0123456789abcdef.txt')`;
  const result = await tool.execute({ script });
  expect(result).toMatchObject({ value: expect.stringMatching(/\|one\ntwo\nthree\n$/) as string });
});

describe('script outputs', () => {
  const output = 'script-output-0123456789abcdef.txt';

  test('are listed and resolved by their own name, marked, and are no broken files', async () => {
    const { store, events } = makeApp({ [`.dyad/media/${output}`]: 'all of it' });
    const expected = {
      kind: 'script-output',
      name: output,
      path: join(store.directory, output),
      size: 9,
      mediaType: 'text/plain',
      storedAt: expect.any(String),
    };
    expect(await store.list()).toEqual([expected]);
    expect(await store.resolve(`attachments:${output}`)).toEqual(expected);
    const upload = await store.store(bytes('mine'), output);
    expect(upload.name).toBe(`file-${output}`);
    expect((await store.list()).map(({ kind, name }) => [kind, name])).toEqual([
      ['file', `file-${output}`],
      ['script-output', output],
    ]);
    expect(await store.remove(output)).toBe(true);
    expect(await store.remove(output)).toBe(false);
    expect(await store.list()).toEqual([upload]);
    expect(events.map(({ type }) => type)).toEqual(['attachment.stored']);
  });

  test('that are links are not there', async () => {
    const { store } = makeApp({ 'secret.txt': 'secret', [`.dyad/media/${output}`]: { link: '../../secret.txt' } });
    expect(await store.list()).toEqual([]);
    expect((await failureOf(store.resolve(`attachments:${output}`))).code).toBe('not_found');
  });
});

describe('resolving', () => {
  test.each(['server.log', '../a', '', '/etc/passwd', 'Attachments:a.txt'])('%j is no reference', async (reference) => {
    const { store } = makeApp();
    const { code, message } = await failureOf(store.resolve(reference));
    expect(code).toBe('invalid_request');
    expect(message).toContain(JSON.stringify(reference));
  });

  test.each(['../../secret.txt', 'manifest.json', '', '.lock', '..', 'a.txt/', 'A.TXT'])(
    'attachments:%s is not there',
    async (name) => {
      const { store } = makeApp({ 'secret.txt': 'secret' });
      await store.store(bytes('a'), 'a.txt');
      const error = await failureOf(store.resolve(`attachments:${name}`));
      expect(error).toMatchObject({ code: 'not_found', details: { name, attachments: 1 } });
    },
  );

  test('a file that was replaced by a link is not there', async () => {
    const { path: app, store } = makeApp({ 'secret.txt': 'secret' });
    const { path } = await store.store(bytes('public'), 'a.txt');
    rmSync(path);
    symlinkSync(join(app, 'secret.txt'), path);
    const { code, message } = await failureOf(store.resolve('attachments:a.txt'));
    expect(code).toBe('not_found');
    expect(message).toContain('store it again');
    expect(await store.list()).toEqual([]);
  });
});

describe('refused, with nothing left behind', () => {
  test('a folder, a device, a missing file', async () => {
    const { path, store } = makeApp({ 'folder/': '' });
    expect(await failureOf(store.store(join(path, 'folder'), 'a'))).toMatchObject({
      code: 'not_a_file',
      details: { path: join(path, 'folder') },
    });
    expect((await failureOf(store.store('/dev/null', 'a'))).code).toBe('not_a_file');
    const missing = await failureOf(store.store(join(path, 'gone.log'), 'a'));
    expect(missing).toMatchObject({ code: 'not_found', message: `There is no file ${join(path, 'gone.log')}.` });
    expect(leftoversIn(store.directory)).toEqual([]);
  });

  test('a FIFO does not hang', async () => {
    const { path, store } = makeApp();
    execFileSync('mkfifo', [join(path, 'fifo')]);
    expect((await failureOf(store.store(join(path, 'fifo'), 'a'))).code).toBe('not_a_file');
  });

  test.each<[string, unknown[]]>([
    ['path', ['', 'a']],
    ['NUL', ['a\0b', 'a']],
    ['source', [null, 'a']],
    ['source', [Buffer.from('a'), 'a']],
    ['originalName', [bytes('a'), undefined]],
    ['originalName', [bytes('a'), 'x'.repeat(5000)]],
    ['mediaType', [bytes('a'), 'a', 'text']],
    ['mediaType', [bytes('a'), 'a', 'text/plain\nforged']],
    ['mediaType', [bytes('a'), 'a', 7]],
    ['signal', [bytes('a'), 'a', 'text/plain', { signal: true }]],
    ['progress', [bytes('a'), 'a', 'text/plain', { progress: () => {} }]],
    ['a string, not bytes', [Readable.from(['text']), 'a']],
  ])('what makes no sense is called by its name: %s', async (part, args) => {
    const { store } = makeApp();
    const { code, message } = await failureOf(store.store(...(args as Parameters<AttachmentStore['store']>)));
    expect(code).toBe('invalid_request');
    expect(message).toContain(part);
    expect(await store.list()).toEqual([]);
  });

  test('a stream that breaks off', async () => {
    const { store } = makeApp();
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw new Error('connection reset');
    }
    const error = await failureOf(store.store(broken(), 'a.txt'));
    expect(error.code).toBe('unreadable');
    expect(error.message).toContain('connection reset');
    expect(await store.list()).toEqual([]);
    expect(leftoversIn(store.directory)).toEqual([]);
  });
});

describe('a Readable', () => {
  test('that fails before it is read does not end the process', async () => {
    const { path, store } = makeApp();
    const error = await failureOf(store.store(createReadStream(join(path, 'gone.log')), 'gone.log'));
    expect(error).toMatchObject({ code: 'unreadable', message: expect.stringContaining('ENOENT') });
  });

  test('is closed, also when it could not be stored', async () => {
    const { path, store } = makeApp({ 'a.txt': 'a' });
    const read = createReadStream(join(path, 'a.txt'));
    await store.store(read, 'a.txt');
    const unread = createReadStream(join(path, 'a.txt'));
    const nowhere = new AttachmentStore(path, { mediaDir: 'a.txt' });
    expect((await failureOf(nowhere.store(unread, 'a.txt'))).code).toBe('not_a_file');
    expect([read.destroyed, unread.destroyed]).toEqual([true, true]);
  });
});

describe('content that a repository brought along', () => {
  test('is not taken for the file whose hash it is named after', async () => {
    const known = 'a file that anybody may know';
    const blob = `${sha256(known)}.txt`;
    const { store } = makeApp({ [`.dyad/media/${blob}`]: 'x'.repeat(known.length) });
    const stored = await store.store(bytes(known), 'known.txt');
    expect(readFileSync(stored.path, 'utf8')).toBe(known);
    writeFileSync(join(store.directory, 'swapped'), 'y'.repeat(known.length));
    renameSync(join(store.directory, 'swapped'), stored.path);
    const again = await store.store(bytes(known), 'known.txt');
    expect([again.path, readFileSync(again.path, 'utf8')]).toEqual([stored.path, known]);
  });
});

describe('the media folder', () => {
  test.each(['', '.', '..', '../out', '/tmp', 'a/../..', 'a\0b'])('cannot be %j', (mediaDir) => {
    expect(() => new AttachmentStore('/app', { mediaDir })).toThrow(/mediaDir/);
  });

  test('is made in the app, which must be there itself', async () => {
    const folder = makeFolder();
    const store = new AttachmentStore(join(folder, 'gone'), { mediaDir: 'files' });
    expect(await failureOf(store.store(bytes('a'), 'a'))).toMatchObject({ code: 'not_found' });
    expect(readdirSync(folder)).toEqual([]);
    mkdirSync(join(folder, 'gone'));
    expect(await store.list()).toEqual([]);
    expect(await store.remove('a')).toBe(false);
    expect(await store.prune()).toEqual({ names: [], files: 0, bytes: 0 });
    expect(readdirSync(join(folder, 'gone'))).toEqual([]);
    await store.store(bytes('a'), 'a');
    expect(readdirSync(join(folder, 'gone'))).toEqual(['files']);
  });

  test.each(['.dyad', '.dyad/media'])('%s must not be a link out of the app', async (link) => {
    const output = 'script-output-0123456789abcdef.txt';
    const elsewhere = makeFolder({ [output]: '', [`media/${output}`]: '' });
    const { store } = makeApp({ '.dyad-real/': '', [link]: { link: elsewhere } });
    for (const call of [
      () => store.store(bytes('a'), 'a'),
      () => store.list(),
      () => store.prune(),
      () => store.resolve(`attachments:${output}`),
    ]) {
      expect(await failureOf(call())).toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('link'),
      });
    }
    expect(readdirSync(elsewhere)).toEqual(['media', output]);
    expect(readdirSync(join(elsewhere, 'media'))).toEqual([output]);
  });

  test('must not be a link within the app either: it may lead to the files of another one', async () => {
    const { path, store } = makeApp({ '.dyad/media': { link: '../other/.dyad/media' }, 'other/.dyad/media/': '' });
    const other = new AttachmentStore(join(path, 'other'));
    const { path: kept } = await other.store(bytes('of the other'), 'a.txt');
    for (const call of [() => store.store(bytes('a'), 'a'), () => store.cleanup({ olderThanMs: 0 })]) {
      expect(await failureOf(call())).toMatchObject({ code: 'invalid_request' });
    }
    expect(readFileSync(kept, 'utf8')).toBe('of the other');
  });

  test.skipIf(process.getuid?.() !== 0)('of another user that everybody may write to is refused', async () => {
    const { path, store } = makeApp({ '.dyad/media/': '' });
    chownSync(join(path, '.dyad/media'), 12345, 12345);
    await store.store(bytes('a'), 'a');
    chmodSync(join(path, '.dyad/media'), 0o777);
    expect(await failureOf(store.store(bytes('b'), 'b'))).toMatchObject({ code: 'unsafe_folder' });
    expect(await failureOf(store.list())).toMatchObject({ code: 'unsafe_folder' });
  });

  test('that is a file is no folder', async () => {
    const { store } = makeApp({ '.dyad/media': 'a file' });
    for (const call of [() => store.store(bytes('a'), 'a'), () => store.list()]) {
      expect(await failureOf(call())).toMatchObject({ code: 'not_a_file', message: expect.stringContaining('media') });
    }
  });

  test('may be moved, with all that is in it', async () => {
    const { path, store } = makeApp();
    await store.store(bytes('a'), 'a.txt');
    renameSync(join(path, '.dyad'), join(path, '.agent'));
    const moved = new AttachmentStore(path, { mediaDir: '.agent/media' });
    expect(readFileSync((await moved.resolve('attachments:a.txt')).path, 'utf8')).toBe('a');
    expect(await store.list()).toEqual([]);
  });
});
