import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AttachmentStore } from '@mustard-sandbox/agent-tool';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../files/support.ts';
import { blobsIn, bytes, expectSound, failureOf } from './support.ts';

async function namesOf(store: AttachmentStore): Promise<string[]> {
  return (await store.list()).map(({ name }) => name);
}

describe('the attachments of a chat', () => {
  test('are seen by that chat alone, whatever they are called, and are on disk once', async () => {
    const app = makeFolder();
    const [a, b, none] = [{ chat: 'a' }, { chat: 'b' }, {}].map((options) => new AttachmentStore(app, options)) as [
      AttachmentStore,
      AttachmentStore,
      AttachmentStore,
    ];
    expect(await a.store(bytes('of a'), 'data.csv')).toMatchObject({ name: 'data.csv', chat: 'a' });
    expect(await namesOf(b)).toEqual([]);
    expect(await namesOf(none)).toEqual([]);
    expect(await failureOf(b.resolve('attachments:data.csv'))).toMatchObject({ code: 'not_found' });
    expect(await failureOf(none.resolve('attachments:data.csv'))).toMatchObject({ code: 'not_found' });
    // The same name is free in another chat, and the same content is shared.
    expect((await b.store(bytes('of b'), 'data.csv')).name).toBe('data.csv');
    expect((await none.store(bytes('of a'), 'data.csv')).name).toBe('data.csv');
    expect(await b.remove('data.csv')).toBe(true);
    expect(await b.remove('data.csv')).toBe(false);
    expect([await namesOf(a), await namesOf(b), await namesOf(none)]).toEqual([['data.csv'], [], ['data.csv']]);
    expect(await a.remove('data.csv')).toBe(true);
    const left = await none.resolve('attachments:data.csv');
    expect(readFileSync(left.path, 'utf8')).toBe('of a');
    expect(blobsIn(none.directory)).toHaveLength(1);
    expectSound(none.directory);
  });

  test('are handed on by storing them in the other one, which takes no room', async () => {
    const app = makeFolder();
    const [a, b] = [new AttachmentStore(app, { chat: 'a' }), new AttachmentStore(app, { chat: 'b' })];
    const file = await a.store(bytes('shared'), 'server.log');
    const handedOn = await b.store(file.path, file.originalName, file.mediaType);
    expect(handedOn).toMatchObject({ name: 'server.log', path: file.path, chat: 'b' });
    expect(blobsIn(a.directory)).toHaveLength(1);
    await a.remove('server.log');
    expect(readFileSync((await b.resolve('attachments:server.log')).path, 'utf8')).toBe('shared');
  });

  test('are cleaned up with their chat alone, or by a store without one with all', async () => {
    const app = makeFolder();
    const [a, b, all] = [
      new AttachmentStore(app, { chat: 'a' }),
      new AttachmentStore(app, { chat: 'b' }),
      new AttachmentStore(app),
    ];
    for (const store of [a, b]) await store.store(bytes(`of ${store.chat}`), 'x.log');
    await a.store(bytes('old'), 'old.log');
    expect((await a.cleanup({ olderThanMs: 0, keep: ['see attachments:x.log'] })).names).toEqual(['old.log']);
    expect([await namesOf(a), await namesOf(b)]).toEqual([['x.log'], ['x.log']]);
    expect((await b.cleanup({ olderThanMs: 0 })).names).toEqual(['x.log']);
    expect((await all.cleanup({ olderThanMs: 0, keep: ['attachments:x.log'] })).names).toEqual([]);
    expect((await all.cleanup({ olderThanMs: 0 })).names).toEqual(['x.log']);
    expect(blobsIn(all.directory)).toEqual([]);
  });

  test('stay theirs when the manifest is broken', async () => {
    const app = makeFolder();
    const a = new AttachmentStore(app, { chat: 'a' });
    await a.store(bytes('one'), 'one.log');
    await a.store(bytes('two'), 'two.log');
    const manifest = join(a.directory, 'manifest.json');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"version": 2', '"version": 1'));
    expect(await namesOf(new AttachmentStore(app))).toEqual([]);
    expect(await namesOf(a)).toEqual(['one.log', 'two.log']);
    rmSync(manifest);
    // The manifest before the last change knew of the first one only; nobody knows whose the other one is.
    expect(await namesOf(a)).toEqual(['one.log']);
    expect(await namesOf(new AttachmentStore(app))).toEqual([expect.stringMatching(/^attachment-/)]);
  });
});

test('a .lock that is a link makes and removes nothing where it leads', async () => {
  const elsewhere = makeFolder({ 'a.txt': 'a' });
  const claim = `000000000.00000000-1-0-${'0'.repeat(12)}`;
  writeFileSync(join(elsewhere, claim), '');
  const app = makeFolder({ '.dyad/media/.lock': { link: elsewhere } });
  const error = await failureOf(new AttachmentStore(app).store(bytes('a'), 'a'));
  expect(error).toMatchObject({ code: 'not_a_file', details: { path: join(app, '.dyad/media/.lock') } });
  expect(readdirSync(elsewhere).sort()).toEqual([claim, 'a.txt'].sort());
});
