import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { blobsIn, bundleFixture, expectSound, leftoversIn, makeApp } from './support.ts';

test('processes that store the same file at once share it, and give other files other names', async () => {
  const { path, store } = makeApp({ 'big.bin': randomBytes(3 * 1024 * 1024) });
  const script = await bundleFixture('store-same', path);
  const children = Array.from({ length: 4 }, (_, index) => {
    const child = spawn(process.execPath, [script, path, join(path, 'big.bin'), `process ${index}`]);
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  });
  await Promise.all(children.map((child) => once(child.stderr, 'data')));
  const outputs = children.map((child) => text(child.stdout));
  for (const child of children) child.stdin.end();
  const names = (await Promise.all(outputs)).map((output) => JSON.parse(output) as [string, string]);
  const [same] = names[0] as [string, string];
  expect(new Set(names.map(([name]) => name))).toEqual(new Set([same]));
  const all = [same, ...names.map(([, name]) => name)];
  expect(all.sort()).toEqual(['same-2.bin', 'same-3.bin', 'same-4.bin', 'same-5.bin', 'same.bin']);
  expect((await store.list()).map(({ name }) => name).sort()).toEqual(all);
  expect(blobsIn(store.directory)).toHaveLength(5);
  expectSound(store.directory);
  expect(leftoversIn(store.directory)).toEqual([]);
});
