import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runs } from '../full.ts';
import type { FileAccess } from '../../packages/sandbox-daemon/src/files/index.ts';
import { accessTo, errorOf, makeFolder, openScope } from './support.ts';

const calls: [name: string, call: (files: FileAccess, path: unknown) => unknown][] = [
  ['read_file', (files, path) => files.readFile(path, undefined)],
  ['file_stats', (files, path) => files.fileStats(path)],
  ['list_files', (files, path) => files.listFiles(path)],
];

function makeWorld(): { world: string; root: string } {
  const world = makeFolder({
    'outside/secret.txt': 'SECRET',
    'root-sibling/secret.txt': 'SECRET',
    'root/a.txt': 'a',
    'root/src/b.txt': 'b',
    'root/.env': 'SECRET',
    'root/.git/config': 'SECRET',
    'root/src/node_modules/x/index.js': 'SECRET',
    'root/to-file': { link: '../outside/secret.txt' },
    'root/to-folder': { link: '../outside' },
    'root/to-parent': { link: '..' },
    'root/to-sibling': { link: '../root-sibling' },
    'root/chain-1': { link: 'chain-2' },
    'root/chain-2': { link: 'src/chain-3' },
    'root/src/chain-3': { link: '../../outside/secret.txt' },
    'root/to-env': { link: '.env' },
    'root/to-git': { link: '.git' },
    'root/to-modules': { link: 'src/node_modules' },
    'root/dangling': { link: 'nothing' },
    'root/dangling-outside': { link: '../outside/nothing' },
    'root/loop': { link: 'loop' },
    'root/to-device': { link: '/dev/null' },
    'root/to-proc': { link: '/proc/self' },
    'root/round': { link: '../root/src' },
    'root/to-a': { link: 'src/../a.txt' },
  });
  symlinkSync(join(world, 'outside/secret.txt'), join(world, 'root/to-absolute'));
  return { world, root: join(world, 'root') };
}

describe.each(calls)('%s refuses', (capability, call) => {
  test.each([
    ...['to-file', 'to-folder', 'to-parent', 'to-sibling', 'to-absolute', 'chain-1', 'chain-2', 'src/chain-3'],
    ...['to-folder/secret.txt', 'to-folder/nothing', 'to-folder/nothing/x', 'to-parent/outside/secret.txt'],
    ...['to-parent/root/to-env', 'to-sibling/secret.txt', 'to-device', 'to-device/x', 'to-proc', 'to-proc/environ'],
    ...['to-env', 'to-env/x', 'to-git', 'to-git/config', 'to-git/nothing', 'to-modules/x/index.js', 'to-modules/no'],
    ...['dangling', 'dangling/x', 'dangling-outside', 'loop', 'loop/x'],
  ])('a link that leads where it must not: %s', (path) => {
    const error = errorOf(() => call(accessTo(makeWorld().root), path));
    expect(error.toJSON()).toEqual({
      code: 'capability_denied',
      message: `${capability}: "${path}" is refused: it leads through a link to something outside the root, denied, or missing.`,
      details: { capability, path },
    });
  });

  test.each(['.env', '.git', '.git/config', '.git/nothing', '.ENV', 'nothing/.env', 'a.txt/.env', '.ssh/x', 'x.pem'])(
    'a denied name, there or not: %s',
    (path) => {
      const error = errorOf(() => call(accessTo(makeWorld().root), path));
      expect(error.toJSON()).toEqual({
        code: 'capability_denied',
        message: `${capability}: "${path}" is refused: names like this are on the denylist.`,
        details: { capability, path },
      });
    },
  );

  test.each(['/etc/passwd', '../outside/secret.txt', '~/x', 'C:\\x', 'NUL', 'a.txt::$DATA', '', 7])(
    'what the path policy refuses: %j',
    (path) => {
      const error = errorOf(() => call(accessTo(makeWorld().root), path));
      expect(error).toMatchObject({ code: 'capability_denied', details: { capability } });
      if (typeof path !== 'string') return;
      expect(error.details.path).toBe(path);
      expect(error.message).toContain(`"${path}"`);
    },
  );

  test('any path when the run has no root', () => {
    const files = openScope({});
    expect(errorOf(() => call(files, 'a.txt'))).toMatchObject({
      code: 'capability_denied',
      message: expect.stringContaining('no folder'),
    });
  });
});

test("a caller's pattern holds behind a link, whether or not the file is there", () => {
  const root = makeFolder({ 'data/raw/x.txt': 'SECRET', 'data/y.txt': 'y', to: { link: 'data' } });
  const files = accessTo(root, { deny: ['data/raw', 'data/none'] });
  expect(files.readFile('to/y.txt', undefined).toString()).toBe('y');
  const messages = ['to/raw/x.txt', 'to/raw/no.txt', 'to/none', 'to/none/x'].map((path) => {
    const { code, message } = errorOf(() => files.readFile(path, undefined));
    expect(code).toBe('capability_denied');
    return message.replace(path, '');
  });
  expect(new Set(messages).size).toBe(1);
});

test('links that stay inside are fine', () => {
  const files = accessTo(makeWorld().root);
  expect(files.readFile('round/b.txt', undefined).toString()).toBe('b');
  expect(files.readFile('to-a', undefined).toString()).toBe('a');
  expect(files.listFiles('round')).toEqual(['round/b.txt']);
});

test('the root may lie in a denied folder and be given by a link', () => {
  const world = makeFolder({ '.config/node_modules/a.txt': 'a', 'by-link': { link: '.config/node_modules' } });
  for (const root of ['.config/node_modules', 'by-link', '.config/../by-link/']) {
    const files = accessTo(join(world, root));
    expect(files.readFile('a.txt', undefined).toString()).toBe('a');
    expect(files.listFiles(undefined)).toEqual(['a.txt']);
  }
});

describe('what is no regular file', () => {
  test('folders say how to list them', () => {
    const files = accessTo(makeWorld().root);
    expect(errorOf(() => files.readFile('src', undefined))).toMatchObject({
      code: 'capability_denied',
      message: expect.stringContaining('list_files("src")'),
    });
    expect(errorOf(() => files.listFiles('a.txt'))).toMatchObject({ code: 'capability_denied' });
  });

  test('a FIFO is refused, and does not wait for its other end', () => {
    const root = makeFolder({ 'to-fifo': { link: 'fifo' } });
    execFileSync('mkfifo', [join(root, 'fifo')]);
    const files = accessTo(root);
    for (const [, call] of calls) {
      for (const path of ['fifo', 'to-fifo']) {
        expect(errorOf(() => call(files, path))).toMatchObject({ code: 'capability_denied' });
      }
    }
    expect(files.listFiles(undefined)).toEqual([]);
  });

  test('a socket is refused', async () => {
    const root = makeFolder();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(root, 'socket'), resolve));
    onTestFinished(() => void server.close());
    const files = accessTo(root);
    expect(errorOf(() => files.readFile('socket', undefined))).toMatchObject({
      code: 'capability_denied',
      message: expect.stringContaining('not a regular file'),
    });
    expect(files.listFiles(undefined)).toEqual([]);
  });

  test('a device is refused', () => {
    const files = accessTo('/dev');
    expect(errorOf(() => files.readFile('zero', undefined))).toMatchObject({
      code: 'capability_denied',
      message: expect.stringContaining('not a regular file'),
    });
    expect(files.listFiles(undefined)).not.toContain('zero');
  });
});

describe('errors of the file system', () => {
  test.each(['nothing', 'nothing/x', 'a.txt/x', 'src/nothing', 'x'.repeat(300)])('missing: %s', (path) => {
    const files = accessTo(makeWorld().root);
    for (const [capability, call] of calls) {
      expect(errorOf(() => call(files, path))).toMatchObject({
        code: 'script_error',
        details: { capability, path, name: 'NotFoundError' },
      });
    }
  });

  // Root may read everything, so there is nothing to see as root.
  test.skipIf(process.getuid?.() === 0)('not permitted (skipped as root)', () => {
    const root = makeFolder({ 'a.txt': 'a', 'locked/b.txt': 'b' });
    chmodSync(join(root, 'a.txt'), 0);
    chmodSync(join(root, 'locked'), 0);
    onTestFinished(() => chmodSync(join(root, 'locked'), 0o700));
    const files = accessTo(root);
    for (const path of ['a.txt', 'locked/b.txt']) {
      expect(errorOf(() => files.readFile(path, undefined))).toMatchObject({
        code: 'script_error',
        details: { name: 'NotReadableError' },
      });
    }
  });

  test('the root goes away during the run', () => {
    const root = makeFolder({ 'a.txt': 'a' });
    const files = accessTo(root);
    rmSync(root, { recursive: true });
    for (const [, call] of calls) expect(errorOf(() => call(files, '.')).message).not.toContain(root);
    // What comes to stand there later is inside, whoever made it.
    mkdirSync(root);
    expect(files.listFiles(undefined)).toEqual([]);
  });
});

describe('messages', () => {
  test('escape what does not print and cut what is long', () => {
    const files = accessTo(makeWorld().root);
    expect(errorOf(() => files.readFile('a\n\u202e\x1b[31m', {})).message).toContain('"a\\u{a}\\u{202e}\\u{1b}[31m"');
    expect(errorOf(() => files.readFile('x'.repeat(1_000_000), {})).message.length).toBeLessThan(400);
  });

  test('hold no host path, and everything thrown is a SandboxError', () => {
    const { world, root } = makeWorld();
    const files = accessTo(root);
    const segment = fc.oneof(
      fc.constantFrom('..', '.', '', 'src', 'to-folder', 'to-git', 'loop', 'dangling', 'a.txt', '.env', 'round', '~'),
      fc.string({ unit: 'binary', maxLength: 6 }),
    );
    const path = fc.oneof(
      fc.array(segment, { maxLength: 5 }).map((segments) => segments.join('/')),
      fc.string({ unit: 'binary' }).map((name) => `attachments:${name}`),
      fc.anything(),
    );
    fc.assert(
      fc.property(path, fc.anything(), (written, options) => {
        for (const call of [...calls.map(([, one]) => one), (): unknown => files.readFile(written, options)]) {
          try {
            const result = call(files, written);
            expect(String(result)).not.toContain('SECRET');
          } catch (error) {
            expect(error).toHaveProperty('name', 'SandboxError');
            expect(JSON.stringify(error)).not.toContain(world);
          }
        }
      }),
      runs(3000, 20),
    );
  });
});

test.runIf(process.platform === 'linux')('no call leaves a descriptor open', () => {
  const files = accessTo(makeWorld().root);
  const openDescriptors = (): string[] => readdirSync('/proc/self/fd');
  const before = openDescriptors();
  for (const path of ['a.txt', 'src', '.', 'to-file', 'nothing', '.env']) {
    for (const [, call] of calls) {
      try {
        call(files, path);
      } catch {
        // Which of them throw is the matter of other tests.
      }
    }
  }
  expect(openDescriptors()).toEqual(before);
});
