import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorOf, fill, makeFolder, openScope } from './support.ts';

describe('attachments', () => {
  test('are reached by name only, wherever they are and whatever they are called', () => {
    const folder = makeFolder({
      '.ssh/id_rsa': 'key',
      'log.txt': 'log',
      link: { link: 'log.txt' },
    });
    const files = openScope({
      attachments: [
        { name: '.env', path: join(folder, '.ssh/id_rsa') },
        { name: 'by link.log', path: join(folder, 'link') },
        { name: 'C:\\..', path: join(folder, 'log.txt') },
        { name: '__proto__', path: join(folder, 'log.txt') },
      ],
      deny: ['*'],
    });
    expect(files.listFiles('attachments:')).toEqual([
      'attachments:.env',
      'attachments:C:\\..',
      'attachments:__proto__',
      'attachments:by link.log',
    ]);
    expect(files.listFiles('attachments:').map((path) => files.readFile(path, {}).toString())).toEqual([
      'key',
      'log',
      'log',
      'log',
    ]);
    expect(files.fileStats('attachments:.env')).toMatchObject({ size: 3, isText: true });
  });

  test.each(['log', 'LOG.txt', 'log.txt/', './log.txt', 'log.txt/../x', '', 'constructor', 'x\0'])(
    '%j is no attachment',
    (name) => {
      const folder = makeFolder({ 'log.txt': 'log' });
      const files = openScope({ attachments: [{ name: 'log.txt', path: join(folder, 'log.txt') }] });
      expect(errorOf(() => files.readFile(`attachments:${name}`, {}))).toMatchObject({
        code: 'script_error',
        message: expect.stringContaining('list_files("attachments:")'),
        details: { name: 'NotFoundError', path: `attachments:${name}` },
      });
    },
  );

  test('are not folders', () => {
    const folder = makeFolder({ 'log.txt': 'log' });
    const files = openScope({ root: folder, attachments: [{ name: 'log.txt', path: join(folder, 'log.txt') }] });
    expect(errorOf(() => files.listFiles('attachments:log.txt'))).toMatchObject({ code: 'capability_denied' });
  });

  test('may be rotated, but not turned into a link or a FIFO', () => {
    const folder = makeFolder({ 'log.txt': 'old', 'secret.txt': 'SECRET' });
    const log = join(folder, 'log.txt');
    const files = openScope({ attachments: [{ name: 'log', path: log }] });
    renameSync(log, `${log}.1`);
    expect(errorOf(() => files.readFile('attachments:log', {}))).toMatchObject({ details: { name: 'NotFoundError' } });
    writeFileSync(log, 'new');
    expect(files.readFile('attachments:log', {}).toString()).toBe('new');
    for (const replace of [
      () => symlinkSync(join(folder, 'secret.txt'), log),
      () => execFileSync('mkfifo', [log]),
      () => fill(log, { 'x.txt': 'x' }),
    ]) {
      rmSync(log);
      replace();
      expect(errorOf(() => files.readFile('attachments:log', {}))).toMatchObject({ code: 'capability_denied' });
      rmSync(log, { recursive: true });
      writeFileSync(log, '');
    }
  });
});

describe('a scope that cannot be opened is refused, without a host path', () => {
  const folder = (): string => makeFolder({ 'a.txt': 'a', 'sub/b.txt': 'b', dangling: { link: 'nothing' } });
  test.each<[what: string, scope: (folder: string) => Parameters<typeof openScope>[0], message: RegExp]>([
    ['root missing', (at) => ({ root: join(at, 'nothing') }), /scope.root is not there/],
    ['root a file', (at) => ({ root: join(at, 'a.txt') }), /scope.root is not a folder/],
    ['root relative', () => ({ root: 'src' }), /scope.root must have an absolute path/],
    ['root empty', () => ({ root: '' }), /scope.root must have an absolute path/],
    ['root with NUL', (at) => ({ root: `${at}\0` }), /scope.root is not there/],
    ['missing', (at) => ({ attachments: [{ name: 'x', path: join(at, 'no') }] }), /"x" is not there/],
    ['dangling', (at) => ({ attachments: [{ name: 'x', path: join(at, 'dangling') }] }), /"x" is not there/],
    ['a folder', (at) => ({ attachments: [{ name: 'x', path: join(at, 'sub') }] }), /"x" is not a regular file/],
    ['a device', () => ({ attachments: [{ name: 'x', path: '/dev/null' }] }), /"x" is not a regular file/],
    ['relative', () => ({ attachments: [{ name: 'x', path: 'a.txt' }] }), /"x" must have an absolute path/],
    ...['a/b', '/', 'a\nb', 'a\0', '\x7f'].map(
      (name): [string, (at: string) => Parameters<typeof openScope>[0], RegExp] => [
        `name ${JSON.stringify(name)}`,
        (at) => ({ attachments: [{ name, path: join(at, 'a.txt') }] }),
        /must be a name without/,
      ],
    ),
    ['empty name', (at) => ({ attachments: [{ name: '', path: join(at, 'a.txt') }] }), /empty name/],
    [
      'the same name twice',
      (at) => ({ attachments: ['a.txt', 'sub/b.txt'].map((path) => ({ name: 'x', path: join(at, path) })) }),
      /"x" is there twice/,
    ],
    ['a bad pattern', (at) => ({ root: at, deny: ['ok', '*.{a,b}'] }), /scope.deny: the pattern "\*\.\{a,b\}"/],
    ['a bad pattern and no root', () => ({ deny: ['../x'] }), /scope.deny/],
  ])('%s', (_what, scope, message) => {
    const at = folder();
    const error = errorOf(() => openScope(scope(at)));
    expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(message) });
    expect(JSON.stringify(error)).not.toContain(at);
  });
});
