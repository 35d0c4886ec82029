import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileCache } from '../../packages/fleet/src/files/cache.ts';
import { filesOfRoot } from '../../packages/fleet/src/files/root.ts';
import { queueSealer } from '../../packages/fleet/src/wire/seal.ts';
import { noJail } from '../isolation/support.ts';
import { inject, jobBody } from './hostile.ts';
import { noRedis } from './redis.ts';
import { Fleet, folder } from './support.ts';

/** A project with what a script may not read, and a link that leads out of it. */
function project(): string {
  const root = folder();
  const outside = folder();
  writeFileSync(join(outside, 'passwd'), 'canary-outside');
  mkdirSync(join(root, 'src/deep'), { recursive: true });
  mkdirSync(join(root, 'node_modules'));
  writeFileSync(join(root, 'src/a.txt'), 'in a');
  writeFileSync(join(root, 'src/deep/b.txt'), 'in b');
  writeFileSync(join(root, '.env'), 'canary-secret');
  writeFileSync(join(root, 'denied.log'), 'canary-denied');
  writeFileSync(join(root, 'node_modules/x.js'), 'canary-module');
  symlinkSync(join(outside, 'passwd'), join(root, 'link.txt'));
  symlinkSync(outside, join(root, 'src/out'));
  return root;
}

const names = (root: string, deny: string[] = []): string[] =>
  [...filesOfRoot(root, deny)].map(({ name }) => name).toSorted();

test('of a root goes what a script could read there, and nothing else', () => {
  const root = project();
  expect(names(root)).toEqual(['denied.log', 'src/a.txt', 'src/deep/b.txt']);
  expect(names(root, ['*.log', 'src/deep/**'])).toEqual(['src/a.txt']);
});

test('a root has an end', () => {
  const deep = folder();
  mkdirSync(join(deep, Array.from({ length: 70 }, () => 'd').join('/')), { recursive: true });
  expect(() => names(deep)).toThrow('64 deep');
});

describe.skipIf(noRedis)('a root at a fleet', () => {
  const script = `[list_files('.'), list_files('src'), read_file('src/deep/b.txt'), search('.', 'in', { count: true })]`;
  const expected = [['src/'], ['src/a.txt', 'src/deep/'], 'in b', 2];

  test('is there for a script as at home, and gone after it', async () => {
    const fleet = await Fleet.start();
    const cacheFolder = folder();
    await fleet.worker({ cacheFolder });
    const sandbox = fleet.client({ uploadDirectories: true });
    const scope = { root: project(), deny: ['*.log'] };
    expect((await sandbox.run({ script, scope })).value).toEqual(expected);
    const left = readdirSync(join(cacheFolder, '0/acme'));
    expect(left.filter((name) => name.startsWith('root-'))).toEqual([]);
    expect(left).toHaveLength(2);
    await expect(sandbox.run({ script: `read_file('link.txt')`, scope })).rejects.toMatchObject({
      code: 'script_error',
      details: { name: 'NotFoundError' },
    });
    const stored = readdirSync(fleet.files, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(stored).toHaveLength(2);
  });

  test.skipIf(noJail !== undefined)('is there in a jail', async () => {
    const fleet = await Fleet.start();
    await fleet.worker({ isolation: 'jail' });
    const sandbox = fleet.client({ uploadDirectories: true });
    expect((await sandbox.run({ script, scope: { root: project(), deny: ['*.log'] } })).value).toEqual(expected);
  });

  test('goes nowhere unless the client says so, and stays within its roots', async () => {
    const fleet = await Fleet.start();
    await expect(fleet.client().run({ script, scope: { root: project() } })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('--upload-dir') as string,
    });
    const sandbox = fleet.client({ uploadDirectories: true, roots: [project()] });
    await expect(sandbox.run({ script, scope: { root: project() } })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  test('is made by no job outside of its folder', async () => {
    const fleet = await Fleet.start();
    const worker = await fleet.worker();
    const link = fleet.server.client();
    const store = { sha256: 'a'.repeat(64), size: 1, mtimeMs: 0 };
    const paths = ['../x', '/etc/x', 'a/../../x', 'a//b', '.', 'a\\..\\b', 'a\0b', `${'a/'.repeat(200)}b`];
    for (const path of paths) {
      const job = randomUUID();
      const more = { hasRoot: true, files: [{ name: path, inRoot: true, ...store }] };
      const bytes = Buffer.from(JSON.stringify({ ...jobBody(), ...more }));
      const sealed = queueSealer(fleet.keys).seal(bytes, { tenant: 'acme', job, what: 'job' }).toString('base64');
      await inject(link, 'acme', job, { client: randomUUID(), sealed });
    }
    // The files are not in the store; in no case was one made.
    await expect.poll(() => worker.stats().ended.failed, { timeout: 60_000 }).toBe(paths.length);
    const cache = await FileCache.open(folder(), 1_000_000, undefined);
    for (const name of paths) {
      const files = [{ name, path: join(folder(), 'x') }];
      await expect(cache.makeRoot('acme', files)).rejects.toMatchObject({ code: 'invalid_request' });
    }
    expect(readdirSync(await cache.folderOf('acme'))).toEqual([]);
  });
});
