import { spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AttachmentStore } from '@mustard-sandbox/agent-tool';
import { makeFolder } from '../../files/support.ts';
import { bundleFixture, bytes, expectSound, failureOf, makeApp, sha256, type App } from './support.ts';

function manifestOf(store: AttachmentStore): string {
  return join(store.directory, 'manifest.json');
}

function setAside(store: AttachmentStore): string[] {
  return readdirSync(store.directory).filter((name) => name.startsWith('manifest.json.corrupt-'));
}

async function names(store: AttachmentStore): Promise<string[]> {
  return (await store.list()).map(({ name }) => name);
}

/** An app with three attachments, two of them with the same content. */
async function makeStored(): Promise<App> {
  const app = makeApp();
  await app.store.store(bytes('one'), 'one.log');
  await app.store.store(bytes('two'), 'two.csv');
  await app.store.store(bytes('one'), 'copy.log');
  app.events.length = 0;
  return app;
}

interface Manifest {
  version: number;
  attachments: object[];
}

function edit(store: AttachmentStore, change: (manifest: Manifest) => unknown): void {
  const manifest = JSON.parse(readFileSync(manifestOf(store), 'utf8')) as Manifest;
  writeFileSync(manifestOf(store), JSON.stringify(change(manifest) ?? manifest));
}

describe('a malformed manifest', () => {
  const outside = `../../${sha256('secret')}.txt`;

  test.each<[string, (store: AttachmentStore) => void]>([
    ['empty', (store) => writeFileSync(manifestOf(store), '')],
    ['not JSON', (store) => writeFileSync(manifestOf(store), '<<<<<<< HEAD\n{')],
    ['torn', (store) => writeFileSync(manifestOf(store), readFileSync(manifestOf(store), 'utf8').slice(0, 200))],
    ['not an object', (store) => writeFileSync(manifestOf(store), '[1]')],
    ['null', (store) => writeFileSync(manifestOf(store), 'null')],
    [
      'of something else',
      (store) => writeFileSync(manifestOf(store), '{"schema":"other","version":7,"attachments":{}}'),
    ],
    ['without entries', (store) => edit(store, (manifest) => ({ ...manifest, attachments: undefined }))],
    ['larger than any of ours', (store) => truncateSync(manifestOf(store), 65 * 1024 * 1024)],
    ['of version 1', (store) => edit(store, (manifest) => void (manifest.version = 1))],
    ['of version 0', (store) => edit(store, (manifest) => void (manifest.version = 0))],
    ['with a wrong entry', (store) => edit(store, ({ attachments }) => void attachments.push({ name: 'x' }))],
    ['with a name twice', (store) => edit(store, ({ attachments }) => void attachments.push({ ...attachments[0] }))],
    [
      'with a name that forges',
      (store) => edit(store, ({ attachments }) => void attachments.push({ ...attachments[0], name: 'a\nb' })),
    ],
    [
      'that leads out',
      (store) =>
        edit(store, ({ attachments }) => void attachments.push({ ...attachments[0], name: 'x', file: outside })),
    ],
    ['a folder', (store) => (rmSync(manifestOf(store)), mkdirSync(manifestOf(store)))],
    [
      'a link',
      (store) => (
        renameSync(manifestOf(store), `${manifestOf(store)}.real`),
        symlinkSync('manifest.json.real', manifestOf(store))
      ),
    ],
  ])('(%s) is set aside and rebuilt, and no name is lost that was there before the last change', async (_, damage) => {
    const { store, events } = await makeStored();
    damage(store);
    const found = await names(store);
    expect(found).toEqual(expect.arrayContaining(['one.log', 'two.csv']));
    expect(found.every((name) => ['one.log', 'two.csv', 'copy.log'].includes(name))).toBe(true);
    expect(setAside(store)).toHaveLength(1);
    expect(events).toEqual([
      {
        at: expect.any(String),
        type: 'attachment.manifest_rebuilt',
        attachments: found.length,
        renamed: 0,
        setAside: setAside(store)[0],
      },
    ]);
    expectSound(store.directory);
    expect((await store.store(bytes('three'), 'one.log')).name).toBe('one-2.log');
    expect(await names(store)).toEqual([...found, 'one-2.log']);
    expect(events).toHaveLength(2);
  });

  test('keeps what is right in it', async () => {
    const { store } = await makeStored();
    edit(store, ({ attachments }) => void attachments.push({ name: 'broken' }));
    rmSync(join(store.directory, 'manifest.previous.json'));
    expect(await names(store)).toEqual(['one.log', 'two.csv', 'copy.log']);
  });

  test('of which nothing is known loses the names, never a file', async () => {
    const { store, events } = await makeStored();
    for (const name of ['manifest.json', 'manifest.previous.json']) writeFileSync(join(store.directory, name), '?');
    const made = ['one', 'two'].map((content) => `attachment-${sha256(content).slice(0, 8)}`);
    const found = await store.list();
    expect(found.map(({ name }) => name).sort()).toEqual([`${made[0]}.log`, `${made[1]}.csv`].sort());
    expect(found.find(({ name }) => name.endsWith('.csv'))).toMatchObject({ size: 3, mediaType: 'text/csv' });
    expect(events).toMatchObject([{ type: 'attachment.manifest_rebuilt', attachments: 2, renamed: 2 }]);
    expectSound(store.directory);
    const again = await store.store(bytes('one'), 'one.log');
    expect(again.name).toBe('one.log');
    expect(await store.list()).toHaveLength(3);
  });

  test('that is gone is rebuilt as well; an empty folder is not', async () => {
    const { store, events } = await makeStored();
    rmSync(manifestOf(store));
    expect((await names(store)).slice(0, 2)).toEqual(['one.log', 'two.csv']);
    expect(events).toMatchObject([{ type: 'attachment.manifest_rebuilt', attachments: 2, renamed: 0 }]);
    expect(events[0]).not.toHaveProperty('setAside');
    const fresh = makeApp({ '.dyad/media/': '' });
    expect(await fresh.store.list()).toEqual([]);
    expect(fresh.events).toEqual([]);
    expect(readdirSync(fresh.store.directory)).toEqual([]);
  });

  test('does not bring back what was removed', async () => {
    const { store } = await makeStored();
    await store.remove('two.csv');
    writeFileSync(manifestOf(store), '?');
    expect(await names(store)).toEqual(['one.log', 'copy.log']);
  });

  test('is rebuilt once, however many look at the same time', async () => {
    const { store, events } = await makeStored();
    writeFileSync(manifestOf(store), '?');
    const lists = await Promise.all(Array.from({ length: 8 }, () => names(store)));
    expect(new Set(lists.map((list) => list.join())).size).toBe(1);
    expect(events).toHaveLength(1);
    expect(setAside(store)).toHaveLength(1);
  });

  test('does not take a link for a stored file', async () => {
    const { path, store } = makeApp({ 'secret.txt': 'secret' });
    await store.store(bytes('one'), 'one.log');
    symlinkSync(join(path, 'secret.txt'), join(store.directory, `${sha256('secret')}.txt`));
    writeFileSync(manifestOf(store), '?');
    rmSync(join(store.directory, 'manifest.previous.json'));
    expect((await store.list()).map(({ size }) => size)).toEqual([3]);
  });
});

test('the manifest before the last change is no second file on disk', async () => {
  const { store } = await makeStored();
  const previous = JSON.parse(readFileSync(join(store.directory, 'manifest.previous.json'), 'utf8'));
  expect(previous.attachments.map(({ name }: { name: string }) => name)).toEqual(['one.log', 'two.csv']);
});

describe('a manifest of a newer version', () => {
  test('is not touched, and says what to do', async () => {
    const { store, events } = await makeStored();
    edit(store, (manifest) => ({ ...manifest, version: 3, attachments: { 'one.log': {} } }));
    const text = readFileSync(manifestOf(store), 'utf8');
    const before = readdirSync(store.directory);
    for (const call of [
      () => store.list(),
      () => store.resolve('attachments:one.log'),
      () => store.store(bytes('new'), 'new'),
      () => store.remove('one.log'),
      () => store.prune(),
      () => store.cleanup({ olderThanMs: 0 }),
    ]) {
      const error = await failureOf(call());
      expect(error).toMatchObject({ code: 'newer_version', details: { version: 3, knownVersion: 2 } });
      expect(error.message).toContain('update');
    }
    expect(readFileSync(manifestOf(store), 'utf8')).toBe(text);
    expect(readdirSync(store.directory)).toEqual(before);
    expect(events).toEqual([]);
  });
});

test('keys that a later version may add do no harm', async () => {
  const { store, events } = await makeStored();
  edit(store, (manifest) => ({
    ...manifest,
    note: 'new',
    attachments: manifest.attachments.map((entry: object) => ({ ...entry, pinned: true })),
  }));
  expect(await names(store)).toEqual(['one.log', 'two.csv', 'copy.log']);
  expect((await store.list())[0]).not.toHaveProperty('pinned');
  expect(events).toEqual([]);
});

test('a hard link to a stored file elsewhere does not matter', async () => {
  const { path, store } = await makeStored();
  const [first] = await store.list();
  linkSync(first?.path ?? '', join(path, 'elsewhere'));
  await store.remove('one.log');
  await store.remove('copy.log');
  expect(readFileSync(join(path, 'elsewhere'), 'utf8')).toBe('one');
  expect(existsSync(first?.path ?? '')).toBe(false);
});

test('a folder or file without the permission is called by its path', async ({ skip }) => {
  if (process.platform === 'win32') skip('has other permissions');
  const folder = makeFolder({ 'app/': '' });
  const script = await bundleFixture('without-permission', folder);
  const { stdout, stderr } = spawnSync(process.execPath, [script, join(folder, 'app')], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const media = join(folder, 'app', '.dyad', 'media');
  expect(JSON.parse(stdout)).toEqual({
    'source: store': { code: 'unreadable', path: join(folder, 'app', 'secret.txt') },
    'read-only: list': 1,
    'read-only: store': { code: 'unwritable', path: expect.stringContaining(media) },
    'read-only: remove': { code: 'unwritable', path: expect.stringContaining(media) },
    'read-only: cleanup': { code: 'unwritable', path: expect.stringContaining(media) },
    'unreadable: list': { code: 'unreadable', path: expect.stringContaining(media) },
    'unreadable: resolve': { code: 'unreadable', path: expect.stringContaining(media) },
    'unreadable: store': {
      code: expect.stringMatching(/^un(readable|writable)$/),
      path: expect.stringContaining(media),
    },
  });
});
