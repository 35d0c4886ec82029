import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { FolderFiles } from '@mustard-sandbox/paths';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-folder-')));
const root = join(base, 'root');
mkdirSync(join(root, 'src/.git'), { recursive: true });
mkdirSync(join(root, 'node_modules'));
for (const name of ['a.ts', '.env', 'src/b.ts', 'src/.git/config']) writeFileSync(join(root, name), name);
writeFileSync(join(base, 'outside.ts'), 'outside');
symlinkSync('../outside.ts', join(root, 'out.ts'));
symlinkSync('..', join(root, 'up'));
symlinkSync('.env', join(root, 'inner.ts'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const whole = new FolderFiles(root);
const open = new FolderFiles(root, { refuseSecrets: true });
const namesIn = (files: FolderFiles, folder: string): string[] =>
  [...files.list(folder, 'test')].map(({ name, stats }) => `${name}${stats === undefined ? '/' : ''}`).toSorted();

test('a folder is listed without links, and without secrets where they are refused', () => {
  expect(namesIn(whole, '.')).toEqual(['.env', 'a.ts', 'node_modules/', 'src/']);
  expect(namesIn(open, '.')).toEqual(['a.ts', 'src/']);
  expect(namesIn(open, 'src')).toEqual(['b.ts']);
  expect([...open.list('src', 'test')][0]?.stats?.size).toBe('src/b.ts'.length);
});

test.each(['..', '/etc', 'up', 'src/../..', 'out.ts', 'a.ts', ''])('%j is not listed', (path) => {
  expect(() => namesIn(whole, path)).toThrow(expect.objectContaining({ code: 'capability_denied' }));
});

test.each(['.env', 'inner.ts', 'src/.git/config', 'node_modules/x'])('%j is refused with the secrets', (path) => {
  const denied = expect.objectContaining({ code: 'capability_denied' });
  expect(() => open.read(path, 100, 'test')).toThrow(denied);
  expect(() => open.write(path, 'x', 'test')).toThrow(denied);
  expect(() => open.remove(path, 'test')).toThrow(denied);
  if (!path.includes('x')) expect(whole.read(path, 100, 'test').bytes.toString()).toMatch(/\.env|config/);
});

const strict = new FolderFiles(root, { refuseLinks: true });

test('a file is looked at and moved to its place, in folders that are made for it', () => {
  writeFileSync(join(base, 'ready'), 'ready', { mode: 0o755 });
  expect(strict.look('new/in/x', 'test')).toBe(undefined);
  strict.place(join(base, 'ready'), 'new/in/x', 'test');
  expect(strict.look('new/in/x', 'test')).toMatchObject({ size: 5 });
  expect([
    strict.isFolder('new/in', 'test'),
    strict.isFolder('new/in/x', 'test'),
    strict.isFolder('no', 'test'),
  ]).toEqual([true, false, false]);
  rmSync(join(root, 'new'), { recursive: true });
});

test.each(['inner.ts', 'inner', 'inner/b.ts', 'inner/new/x', 'out.ts', 'up/x', '../x', 'src', 'a.ts/x'])(
  '%j is no place for a file where links are refused',
  (path) => {
    if (!existsSync(join(root, 'inner'))) symlinkSync('src', join(root, 'inner'));
    const denied = expect.objectContaining({ code: 'capability_denied' });
    expect(() => strict.look(path, 'test')).toThrow(denied);
    expect(() => strict.place(join(base, 'outside.ts'), path, 'test')).toThrow(denied);
    expect(() => strict.write(path, 'x', 'test')).toThrow(denied);
    expect(existsSync(join(base, 'outside.ts'))).toBe(true);
  },
);
