import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AttachmentStore } from '@mustard-sandbox/agent-tool';
import { makeFolder } from '../../files/support.ts';
import { isFull } from '../../full.ts';
import { blobsIn, bundleFixture, bytes, expectSound, failureOf, leftoversIn, makeApp, sha256 } from './support.ts';

const MiB = 1024 * 1024;

/** Calls `change` when the first bytes are copied, the next time again, at most `times` times. */
function onFirstBytes(change: () => void, times = 1): (bytes: number) => void {
  let last = Infinity;
  return (copied) => {
    if (copied < last && times-- > 0) change();
    last = copied;
  };
}

/** A file whose time is not of this moment, of which the store could not trust that nothing happens to it. */
function makeOld(path: string): void {
  utimesSync(path, 1_000_000, 1_000_000);
}

describe('a file that changes while it is stored', () => {
  const original = randomBytes(2 * MiB);

  function setUp() {
    const app = makeApp({ 'server.log': original });
    const file = join(app.path, 'server.log');
    makeOld(file);
    return { ...app, file };
  }

  async function expectStored(store: AttachmentStore, content: Uint8Array): Promise<void> {
    const [stored] = await store.list();
    expect(readFileSync(stored?.path ?? '').equals(content)).toBe(true);
    expect(blobsIn(store.directory)).toHaveLength(1);
    expectSound(store.directory);
    expect(leftoversIn(store.directory)).toEqual([]);
  }

  test('by growing is stored as long as it was', async () => {
    const { store, file } = setUp();
    const onProgress = onFirstBytes(() => appendFileSync(file, 'one more line\n'), 3);
    expect((await store.store(file, 'server.log', undefined, { onProgress })).size).toBe(original.length);
    await expectStored(store, original);
  });

  test('by being rewritten once is stored as it is then', async () => {
    const { store, file } = setUp();
    const other = randomBytes(2 * MiB);
    await store.store(file, 'server.log', undefined, { onProgress: onFirstBytes(() => writeFileSync(file, other)) });
    await expectStored(store, other);
  });

  test('by being rewritten longer than before is not taken for one that grew', async () => {
    const { store, file } = setUp();
    const other = randomBytes(3 * MiB);
    await store.store(file, 'server.log', undefined, { onProgress: onFirstBytes(() => writeFileSync(file, other)) });
    await expectStored(store, other);
  });

  test('by losing its end is stored without it', async () => {
    const { store, file } = setUp();
    await store.store(file, 'a', undefined, { onProgress: onFirstBytes(() => truncateSync(file, 1000)) });
    await expectStored(store, original.subarray(0, 1000));
  });

  test('within a tick of the clock, so that its times stay the same, is noticed', async () => {
    const { store, file } = setUp();
    const now = new Date();
    utimesSync(file, now, now);
    const rewrite = (): void => {
      const fd = openSync(file, 'r+');
      writeSync(fd, Buffer.alloc(2 * MiB, 'x'), 0, 2 * MiB, 0);
      closeSync(fd);
      utimesSync(file, now, now);
    };
    await store.store(file, 'a', undefined, { onProgress: onFirstBytes(rewrite) });
    await expectStored(store, Buffer.alloc(2 * MiB, 'x'));
  });

  test('only in its times is stored at the first attempt', async () => {
    const { store, file } = setUp();
    let copied = 0;
    const onProgress = onFirstBytes(() => makeOld(file));
    const count = (size: number): void => {
      if (size === original.length) copied++;
      onProgress(size);
    };
    await store.store(file, 'a', undefined, { onProgress: count });
    expect(copied).toBe(1);
    await expectStored(store, original);
  });

  test('again and again is refused', async () => {
    const { store, file } = setUp();
    const onProgress = onFirstBytes(() => writeFileSync(file, randomBytes(2 * MiB)), Infinity);
    const error = await failureOf(store.store(file, 'server.log', undefined, { onProgress }));
    expect(error).toMatchObject({ code: 'changed_while_storing', details: { path: file } });
    expect(error.message).toContain(file);
    expect(await store.list()).toEqual([]);
    expect(leftoversIn(store.directory)).toEqual([]);
  });

  test.each([
    ['removed', (file: string) => rmSync(file)],
    ['replaced', (file: string) => (writeFileSync(`${file}.new`, 'new'), renameSync(`${file}.new`, file))],
  ])('by being %s is stored as it was opened', async (_, change) => {
    const { store, file } = setUp();
    await store.store(file, 'server.log', undefined, { onProgress: onFirstBytes(() => change(file)) });
    await expectStored(store, original);
  });
});

describe('an abort', () => {
  test('in the middle of a file leaves nothing behind', async () => {
    const { path, store } = makeApp({ 'a.bin': randomBytes(2 * MiB) });
    const controller = new AbortController();
    const reason = new Error('closed the chat');
    const onProgress = (copied: number): void => {
      if (copied >= MiB) controller.abort(reason);
    };
    const call = store.store(join(path, 'a.bin'), 'a', undefined, { signal: controller.signal, onProgress });
    expect(await failureOf(call)).toMatchObject({ code: 'cancelled', cause: reason });
    expect(await store.list()).toEqual([]);
    expect(leftoversIn(store.directory)).toEqual([]);
  });

  test('before the call touches nothing', async () => {
    const { path, store } = makeApp({ 'a.txt': 'a' });
    const call = store.store(join(path, 'a.txt'), 'a', undefined, { signal: AbortSignal.abort() });
    expect((await failureOf(call)).code).toBe('cancelled');
    expect(() => statSync(store.directory)).toThrow('ENOENT');
  });

  test('does not wait for a stream that gives nothing, and closes it', async () => {
    const { store } = makeApp();
    const controller = new AbortController();
    const silent = new Readable({ read: () => void setImmediate(() => controller.abort()) });
    const call = store.store(silent, 'a', undefined, { signal: controller.signal });
    expect((await failureOf(call)).code).toBe('cancelled');
    expect(silent.destroyed).toBe(true);
    expect(leftoversIn(store.directory)).toEqual([]);
  });

  test('closes a generator between its chunks', async () => {
    const { store } = makeApp();
    const controller = new AbortController();
    let closed = false;
    async function* chunks(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.alloc(MiB);
      } finally {
        closed = true;
      }
    }
    const onProgress = (copied: number): void => {
      if (copied > 3 * MiB) controller.abort();
    };
    const call = store.store(chunks(), 'a', undefined, { signal: controller.signal, onProgress });
    expect((await failureOf(call)).code).toBe('cancelled');
    expect(closed).toBe(true);
  });
});

test('progress counts the bytes up to the last one, and what its listener throws is ignored', async () => {
  const { path, store } = makeApp({ 'a.bin': Buffer.alloc(3 * MiB + 1) });
  const seen: number[] = [];
  const onProgress = (copied: number): never => {
    seen.push(copied);
    throw new Error('a bad listener');
  };
  await store.store(join(path, 'a.bin'), 'a', undefined, { onProgress });
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  expect(seen.length).toBeGreaterThan(3);
  expect(seen.at(-1)).toBe(3 * MiB + 1);
});

test('memory does not grow with the file', async () => {
  const folder = makeFolder({ 'app/': '' });
  const file = join(folder, 'big');
  const fd = openSync(file, 'w');
  const mebibytes = isFull ? 256 : 96;
  ftruncateSync(fd, mebibytes * MiB);
  closeSync(fd);
  makeOld(file);
  const script = await bundleFixture('store-one', folder);
  const output = execFileSync(process.execPath, [script, join(folder, 'app'), file], { encoding: 'utf8' });
  const { size, sha256: hash, grown } = JSON.parse(output);
  const expected = createHash('sha256');
  for (let count = 0; count < mebibytes; count++) expected.update(Buffer.alloc(MiB));
  expect({ size, hash }).toEqual({ size: mebibytes * MiB, hash: expected.digest('hex') });
  // Measured: 4 MiB.
  expect(grown).toBeLessThan(64 * MiB);
});

/** Mounts something at `folder`, for this test; whether that worked. Takes root, so most machines skip it. */
function mount(folder: string, ...args: string[]): boolean {
  try {
    execFileSync('mount', [...args, folder], { stdio: 'ignore' });
  } catch {
    return false;
  }
  onTestFinished(() => void execFileSync('umount', [folder]));
  return true;
}

describe('a full disk', () => {
  function onSmallDisk(size: string) {
    const app = makeApp({ '.dyad/media/': '', 'big.bin': randomBytes(2 * MiB), 'small.txt': 'small' });
    return { ...app, mounted: mount(app.store.directory, '-t', 'tmpfs', '-o', `size=${size}`, 'none') };
  }

  test('is said, and what was there stays', async ({ skip }) => {
    const { path, store, mounted } = onSmallDisk('1m');
    if (!mounted) skip('cannot mount');
    const small = await store.store(join(path, 'small.txt'), 'small.txt');
    for (const source of [join(path, 'big.bin'), bytes(randomBytes(2 * MiB))]) {
      const error = await failureOf(store.store(source, 'big.bin'));
      expect(error).toMatchObject({ code: 'disk_full', details: { systemCode: 'ENOSPC' } });
    }
    expect(leftoversIn(store.directory)).toEqual([]);
    expect(blobsIn(store.directory)).toHaveLength(1);
    expect(await store.list()).toEqual([small]);
    expect((await store.store(bytes('again'), 'again.txt')).name).toBe('again.txt');
  });

  test('up to the last byte still lets attachments be removed', async ({ skip }) => {
    const { store, mounted } = onSmallDisk('1m');
    if (!mounted) skip('cannot mount');
    const kept = await store.store(bytes('keep me'), 'keep.txt');
    let stored = 0;
    for (let size = 256 * 1024; size >= 1; size = Math.floor(size / 2)) {
      const content = randomBytes(size);
      const error = await store.store(bytes(content), 'fill.bin').catch((caught: unknown) => caught);
      if ('name' in (error as object) && 'sha256' in (error as object)) stored++;
      else expect(error).toMatchObject({ code: 'disk_full' });
    }
    // Whatever room the store left, for its own files and ours.
    expect(() => writeFileSync(join(store.directory, 'filler'), randomBytes(2 * MiB))).toThrow('ENOSPC');
    expect(statfsSync(store.directory).bavail).toBe(0);
    expect((await failureOf(store.store(bytes(randomBytes(5000)), 'more.bin'))).code).toBe('disk_full');
    expect((await store.list()).length).toBe(stored + 1);
    expect(await store.remove('fill.bin')).toBe(true);
    expect((await store.list()).length).toBe(stored);
    const removed = await store.cleanup({ olderThanMs: 0, keep: ['keep.txt'] });
    expect(removed.names.length).toBe(stored - 1);
    expect((await store.list()).map(({ path }) => path)).toEqual([kept.path]);
    expectSound(store.directory);
  });
});

test('a file system that can share blocks stores a file without a second copy', async ({ skip }) => {
  const { path, store } = makeApp({ 'disk/': '' });
  const image = join(makeFolder(), 'image');
  try {
    execFileSync('truncate', ['-s', '512M', image]);
    execFileSync('mkfs.xfs', ['-q', image], { stdio: 'ignore' });
  } catch {
    skip('has no mkfs.xfs');
  }
  const disk = join(path, 'disk');
  if (!mount(disk, '-o', 'loop', image)) skip('cannot mount');
  const file = join(disk, 'big.bin');
  const content = randomBytes(64 * MiB);
  writeFileSync(file, content, { mode: 0o444 });
  execFileSync('sync', ['-f', disk]);
  mkdirSync(join(disk, 'app'));
  const cloning = new AttachmentStore(join(disk, 'app'));
  const free = (): number => statfsSync(disk).bfree * statfsSync(disk).bsize;
  const before = free();
  const stored = await cloning.store(file, 'big.bin');
  expect(before - free()).toBeLessThan(4 * MiB);
  expect(stored).toMatchObject({ size: content.length, sha256: sha256(content) });
  expect(statSync(stored.path).mode & 0o777).toBe(0o400);
  expectSound(cloning.directory);
  expect(await store.list()).toEqual([]);
});
