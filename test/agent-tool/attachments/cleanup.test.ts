import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownerTag } from '../../../packages/agent-tool/src/attachments/owner.ts';
import { blobsIn, bytes, expectSound, failureOf, makeApp, sha256, type App } from './support.ts';

const hourMs = 3_600_000;
const output = (digit: string): string => `script-output-${digit.repeat(16)}.txt`;

async function names({ store }: App): Promise<string[]> {
  return (await store.list()).map(({ name }) => name);
}

/** Makes everything in the folder, up to now, look as if it were stored some time ago. */
function age({ store }: App, ms: number): void {
  const path = join(store.directory, 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  const then = new Date(Date.now() - ms);
  for (const entry of manifest.attachments) entry.storedAt = then.toISOString();
  writeFileSync(path, JSON.stringify(manifest));
  for (const name of readdirSync(store.directory)) {
    if (name.startsWith('script-output-')) utimesSync(join(store.directory, name), then, then);
  }
}

async function makeStored(...files: string[]): Promise<App> {
  const app = makeApp({ '.dyad/media/': '' });
  for (const name of files) await app.store.store(bytes(`content of ${name}`), name);
  return app;
}

describe('cleanup', () => {
  test('removes what is old, and its file', async () => {
    const app = await makeStored('old.log', 'renewed.log');
    for (const digit of ['a', 'b']) writeFileSync(join(app.store.directory, output(digit)), 'output');
    age(app, 2 * hourMs);
    await app.store.store(bytes('content of renewed.log'), 'renewed.log');
    await app.store.store(bytes('content of new.log'), 'new.log');
    writeFileSync(join(app.store.directory, output('c')), 'new output');
    expect(await app.store.cleanup({ olderThanMs: hourMs })).toEqual({
      names: ['old.log', output('a'), output('b')],
      files: 3,
      bytes: 'content of old.log'.length + 2 * 'output'.length,
    });
    expect(await names(app)).toEqual(['renewed.log', 'new.log', output('c')]);
    expect(blobsIn(app.store.directory)).toHaveLength(2);
    expect(await app.store.cleanup({ olderThanMs: hourMs })).toEqual({ names: [], files: 0, bytes: 0 });
  });

  test('keeps what is named, by itself or in a text', async () => {
    const stored = ['by-name.log', 'by reference.log', 'in a message é.log', 'gone.log', 'log'];
    const app = await makeStored(...stored);
    for (const digit of ['a', 'b']) writeFileSync(join(app.store.directory, output(digit)), 'output');
    age(app, 2 * hourMs);
    const messages = [
      'by-name.log',
      'attachments:by reference.log',
      `Look at attachments:in a message é.log, please`.normalize('NFD'),
      JSON.stringify({ script: `read_file('attachments:${output('a')}')` }),
      'gone.log is only a word in a text, and so is attachment:gone.log',
    ];
    async function* chats(): AsyncGenerator<string> {
      yield* messages;
    }
    for (const keep of [messages, new Set(messages), chats()]) {
      await app.store.cleanup({ olderThanMs: hourMs, keep });
      expect(await names(app)).toEqual([...stored.slice(0, 3), output('a')]);
    }
  });

  test('keeps a file that a kept attachment shares', async () => {
    const app = makeApp();
    await app.store.store(bytes('same'), 'old.log');
    await app.store.store(bytes('same'), 'kept.log');
    const removed = await app.store.cleanup({ olderThanMs: 0, keep: ['kept.log'] });
    expect(removed).toEqual({ names: ['old.log'], files: 0, bytes: 0 });
    expect(readFileSync((await app.store.resolve('attachments:kept.log')).path, 'utf8')).toBe('same');
  });

  test('does not remove what is stored while it asks what to keep', async () => {
    const app = await makeStored('old.log');
    async function* keep(): AsyncGenerator<string> {
      await app.store.store(bytes('new'), 'new.log');
      yield 'nothing';
    }
    expect((await app.store.cleanup({ olderThanMs: 0, keep: keep() })).names).toEqual(['old.log']);
    expect(await names(app)).toEqual(['new.log']);
  });

  test('takes away broken manifests that were set aside, and what was left of writing outputs, when they are old', async () => {
    const app = await makeStored('a.log');
    const files = ['manifest.json.corrupt-2001', `${output('a')}.1234.tmp`].map((name) =>
      join(app.store.directory, name),
    );
    for (const file of files) writeFileSync(file, '');
    await app.store.cleanup({ olderThanMs: hourMs });
    expect(files.map((file) => existsSync(file))).toEqual([true, true]);
    // A writer may be at it still: an hour is the least for its file.
    await app.store.cleanup({ olderThanMs: 0, keep: ['a.log'] });
    expect(files.map((file) => existsSync(file))).toEqual([false, true]);
    for (const file of files) writeFileSync(file, '');
    for (const file of files) utimesSync(file, 1_000_000, 1_000_000);
    await app.store.cleanup({ olderThanMs: hourMs, keep: ['a.log'] });
    expect(files.map((file) => existsSync(file))).toEqual([false, false]);
  });

  test('never follows a link', async () => {
    const app = await makeStored('a.log');
    const secret = join(app.path, 'secret.txt');
    writeFileSync(secret, 'secret');
    utimesSync(secret, 1_000_000, 1_000_000);
    symlinkSync(secret, join(app.store.directory, output('a')));
    symlinkSync(secret, join(app.store.directory, `${sha256('secret')}.txt`));
    await app.store.cleanup({ olderThanMs: 0 });
    expect(readFileSync(secret, 'utf8')).toBe('secret');
    expect(readdirSync(app.store.directory).filter((name) => /^(script|[0-9a-f]{64})/.test(name))).toEqual([]);
  });

  test.each([
    [{}, 'olderThanMs'],
    [{ olderThanMs: -1 }, 'olderThanMs'],
    [{ olderThanMs: NaN }, 'olderThanMs'],
    [{ olderThanMs: 1, keep: 'server.log' }, 'keep'],
    [{ olderThanMs: 1, keeps: [] }, 'keeps'],
    [{ olderThanMs: 1, keep: [7] }, 'keep'],
  ])('with %j is refused', async (options, part) => {
    const app = await makeStored('a.log');
    const error = await failureOf(app.store.cleanup(options as { olderThanMs: number }));
    expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(part) });
    expect(await names(app)).toEqual(['a.log']);
  });
});

describe('prune', () => {
  test('removes files without a name and leftovers of dead processes, and nothing else', async () => {
    const app = await makeStored('a.log');
    const { directory } = app.store;
    const { pid } = spawnSync(process.execPath, ['--version']);
    const dead = `.partial-${ownerTag().replace(`-${process.pid}-`, `-${pid}-`)}`;
    const old = `.partial-00000000${ownerTag().slice(8)}`;
    const stay = [
      `.partial-${ownerTag()}`,
      `.partial-00000000${ownerTag().slice(8)}`,
      'notes.txt',
      `${'a'.repeat(63)}.txt`,
    ];
    const go = [`${sha256('nobody knows me')}.txt`, dead, old];
    for (const name of [...stay, ...go]) writeFileSync(join(directory, name), 'x');
    utimesSync(join(directory, old), 1_000_000, 1_000_000);
    expect(await app.store.prune()).toEqual({ names: [], files: 3, bytes: 3 });
    for (const name of stay) expect(existsSync(join(directory, name)), name).toBe(true);
    for (const name of go) expect(existsSync(join(directory, name)), name).toBe(false);
    expect(await names(app)).toEqual(['a.log']);
    expectSound(directory);
  });

  test('forgets attachments whose file is gone', async () => {
    const app = await makeStored('a.log', 'b.log');
    const [first] = await app.store.list();
    rmSync(first?.path ?? '');
    await app.store.prune();
    expect(expectSound(app.store.directory).map(({ name }) => name)).toEqual(['b.log']);
    expect((await app.store.store(bytes('new'), 'a.log')).name).toBe('a.log');
  });

  test('leaves what another call is storing', async () => {
    const app = await makeStored();
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(300_000);
      await app.store.prune();
      yield Buffer.alloc(300_000);
    }
    expect((await app.store.store(slow(), 'slow.bin')).size).toBe(600_000);
    expectSound(app.store.directory);
  });

  test('leaves folders alone', async () => {
    const app = await makeStored('a.log');
    mkdirSync(join(app.store.directory, 'own'));
    await app.store.prune();
    expect(existsSync(join(app.store.directory, 'own'))).toBe(true);
  });
});
