import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BuiltinCall } from '../../packages/sandbox-daemon/src/files/call.ts';
import { listFiles } from '../../packages/sandbox-daemon/src/files/list-files.ts';
import { byDescriptor, byName, openFlags, segmentsInside, withOpened, type Locator } from '@mustard-sandbox/paths';
import { errorOf, makeFolder, releaseLater } from './support.ts';

/** Opens and reads a path as it looks just after someone swapped something between the check and this. */
function openAfterSwap(locator: Locator, root: string, path: string): string {
  const call = new BuiltinCall('read_file', 'x');
  const accepts = (real: string): boolean => segmentsInside({ root, deny: [] }, real) !== undefined;
  return call.run(() =>
    withOpened(join(root, path), openFlags, accepts, locator, call, (fd) => readFileSync(fd, 'utf8')),
  );
}

const locators: [string, Locator][] = [['byName', byName]];
if (process.platform === 'linux') locators.push(['byDescriptor', byDescriptor]);

describe.each(locators)('opened files, told %s', (_name, locator) => {
  test('a file that is still where it was found is accepted', () => {
    const root = makeFolder({ 'sub/a.txt': 'a', 'gone (deleted)': 'b' });
    expect(openAfterSwap(locator, root, 'sub/a.txt')).toBe('a');
    expect(openAfterSwap(locator, root, 'gone (deleted)')).toBe('b');
  });

  test.each(['file', 'folder/secret.txt', 'sibling', 'env'])('%s, a link by now, is refused', (path) => {
    const world = makeFolder({
      'outside/secret.txt': 'SECRET',
      'root-2/secret.txt': 'SECRET',
      'root/.env': 'SECRET',
      'root/file': { link: '../outside/secret.txt' },
      'root/folder': { link: '../outside' },
      'root/sibling': { link: '../root-2/secret.txt' },
      'root/env': { link: '.env' },
    });
    expect(errorOf(() => openAfterSwap(locator, join(world, 'root'), path))).toMatchObject({
      code: 'capability_denied',
    });
  });

  test('a folder link to a denied folder is refused', () => {
    const root = makeFolder({ '.git/config': 'SECRET', folder: { link: '.git' } });
    expect(errorOf(() => openAfterSwap(locator, root, 'folder/config'))).toMatchObject({ code: 'capability_denied' });
  });

  test('a file whose name is gone, or is another file by now, is not located', () => {
    const root = makeFolder({ '.env': 'SECRET', a: 'a' });
    const path = join(root, '.env');
    const fd = openSync(path, openFlags);
    onTestFinished(() => closeSync(fd));
    rmSync(path);
    const located = (): string | undefined => new BuiltinCall('read_file', 'x').run(() => locator.locate(fd, path));
    // On Linux the kernel now calls it ".env (deleted)", a name that no list denies; even when that is taken.
    expect(valueOf(located)).toBeUndefined();
    writeFileSync(`${path} (deleted)`, 'decoy');
    expect(valueOf(located)).toBeUndefined();
    writeFileSync(path, 'another');
    expect(valueOf(located)).toBeUndefined();
  });
});

test.runIf(process.platform === 'linux')('a file that was moved is told by where it is now', () => {
  const world = makeFolder({ 'root/a': 'a', 'outside/': '' });
  const path = join(world, 'root/a');
  const fd = openSync(path, openFlags);
  onTestFinished(() => closeSync(fd));
  renameSync(path, join(world, 'outside/a'));
  symlinkSync('../outside/a', path);
  expect(byDescriptor.locate(fd, path)).toBe(join(world, 'outside/a'));
  expect(byName.locate(fd, path)).toBeUndefined();
});

test('a folder that is swapped while it is listed by name is refused', () => {
  const world = makeFolder({ 'root/folder/x.txt': '', 'outside/secret.txt': '' });
  const folder = join(world, 'root/folder');
  const swapping: Locator = {
    ...byName,
    folderPath(_fd, path) {
      renameSync(folder, join(world, 'parked'));
      symlinkSync('../outside', folder);
      return path;
    },
  };
  const files = {
    tree: { root: join(world, 'root'), deny: [] },
    attachments: new Map<string, string>(),
    locator: swapping,
  };
  const call = new BuiltinCall('list_files', 'folder');
  expect(errorOf(() => call.run(() => listFiles(files, 'folder', call)))).toMatchObject({ code: 'capability_denied' });
});

test('a FIFO that takes the place of a file does not wait for its other end', () => {
  const root = makeFolder();
  const fifo = join(root, 'fifo');
  execFileSync('mkfifo', [fifo]);
  releaseLater(fifo, 5);
  const started = performance.now();
  closeSync(openSync(fifo, openFlags));
  expect(performance.now() - started).toBeLessThan(4_000);
});

function valueOf<T>(body: () => T): T | undefined {
  try {
    return body();
  } catch {
    return undefined;
  }
}
