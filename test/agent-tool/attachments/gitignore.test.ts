import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AttachmentStore } from '@mustard-sandbox/agent-tool';
import { makeFolder, type Layout } from '../../files/support.ts';
import { bytes, failureOf } from './support.ts';

function makeRepository(layout: Layout = {}, app = '.'): { root: string; store: AttachmentStore; file: string } {
  const root = makeFolder({ ...layout, [`${app}/`]: '' });
  execFileSync('git', ['init', '--quiet'], { cwd: root });
  return { root, store: new AttachmentStore(join(root, app)), file: join(root, app, '.gitignore') };
}

/** What git itself thinks of the folder. */
function ignores(root: string, path: string): boolean {
  try {
    execFileSync('git', ['check-ignore', '--quiet', path], { cwd: root });
    return true;
  } catch {
    return false;
  }
}

describe('in a git work tree the folder is added', () => {
  test.each<[string, string | undefined, string]>([
    ['to a new file', undefined, '/.dyad/media/\n'],
    ['to an empty file', '', '/.dyad/media/\n'],
    ['after the last line', 'dist/\n', 'dist/\n/.dyad/media/\n'],
    ['after a last line without an end', 'dist/', 'dist/\n/.dyad/media/\n'],
    ['with the line ends that are there', 'dist/\r\n*.log\r\n', 'dist/\r\n*.log\r\n/.dyad/media/\r\n'],
    [
      'after what only looks alike',
      '# .dyad/media\n.dyad2\n/dyad\nx/.dyad\n',
      '# .dyad/media\n.dyad2\n/dyad\nx/.dyad\n/.dyad/media/\n',
    ],
  ])('%s, once', async (_, content, expected) => {
    const { root, store, file } = makeRepository(content === undefined ? {} : { '.gitignore': content });
    expect(await store.ensureGitignored()).toEqual({ status: 'added', file });
    expect(readFileSync(file, 'utf8')).toBe(expected);
    expect(await store.ensureGitignored()).toEqual({ status: 'present', file });
    expect(readFileSync(file, 'utf8')).toBe(expected);
    await store.store(bytes('a'), 'a.txt');
    expect(ignores(root, '.dyad/media/manifest.json')).toBe(true);
    expect(execFileSync('git', ['status', '--short'], { cwd: root, encoding: 'utf8' })).not.toContain('.dyad');
    expect(readdirSync(root).sort()).toEqual(['.dyad', '.git', '.gitignore']);
  });

  test('with its bytes and its mode as they were', async () => {
    const latin1 = Buffer.from('caf\xe9/\n', 'latin1');
    const { store, file } = makeRepository({ '.gitignore': latin1 });
    chmodSync(file, 0o664);
    await store.ensureGitignored();
    expect(readFileSync(file)).toEqual(Buffer.concat([latin1, Buffer.from('/.dyad/media/\n')]));
    expect(statSync(file).mode & 0o777).toBe(0o664);
  });

  test("in the app's own file, when the app is below the top", async () => {
    const { root, store, file } = makeRepository({ '.gitignore': 'dist/\n' }, 'packages/app');
    expect(await store.ensureGitignored()).toEqual({ status: 'added', file });
    expect(ignores(root, 'packages/app/.dyad/media/x')).toBe(true);
  });

  test('as a name, whatever patterns it looks like', async () => {
    const { root } = makeRepository();
    const store = new AttachmentStore(root, { mediaDir: 'me*dia [x]' });
    expect((await store.ensureGitignored()).status).toBe('added');
    expect((await store.ensureGitignored()).status).toBe('present');
    expect(ignores(root, 'me*dia [x]/file')).toBe(true);
    expect(ignores(root, 'meXdia x/file')).toBe(false);
  });

  test('by any number of calls at once, once', async () => {
    const { store, file } = makeRepository({ '.gitignore': 'dist/\n' });
    await Promise.all(Array.from({ length: 8 }, () => store.ensureGitignored()));
    expect(readFileSync(file, 'utf8')).toBe('dist/\n/.dyad/media/\n');
  });
});

test('a media folder that we make shows nothing in git status, whoever writes first', async () => {
  const { root, store } = makeRepository({});
  await store.store(join(makeFolder({ 'a.txt': 'x' }), 'a.txt'), 'a.txt');
  expect(execFileSync('git', ['status', '--short'], { cwd: root, encoding: 'utf8' })).toBe('');
  expect(statSync(join(store.directory, '.gitignore')).mode & 0o777).toBe(0o600);
});

describe('a .gitignore that already speaks of the folder is left alone', () => {
  test.each([
    '.dyad',
    '/.dyad',
    '.dyad/',
    '/.dyad/media',
    '.dyad/media/',
    '.dyad/*',
    '.dyad/**',
    '**/.dyad/',
    'media',
    '.dyad/  ',
  ])('%j', async (line) => {
    const { root, store, file } = makeRepository({ '.gitignore': `dist/\r\n${line}\r\n*.log` });
    expect(await store.ensureGitignored()).toEqual({ status: 'present', file });
    expect(ignores(root, '.dyad/media/x')).toBe(true);
  });

  test('but not when it says the opposite, or says it last', async () => {
    for (const lines of ['!/.dyad/media\n', '.dyad/media\n!.dyad/media/\n']) {
      const { root, store, file } = makeRepository({ '.gitignore': lines });
      expect(await store.ensureGitignored()).toEqual({ status: 'added', file });
      expect(ignores(root, '.dyad/media/x')).toBe(true);
    }
    const { store, file } = makeRepository({ '.gitignore': '!.dyad/media\n.dyad\n' });
    expect(await store.ensureGitignored()).toEqual({ status: 'present', file });
  });

  test.each(['.dyad/', 'packages/app/.dyad/media', 'packages/'])('above the app: %j', async (line) => {
    const { root, store } = makeRepository({ '.gitignore': `${line}\n` }, 'packages/app');
    expect(await store.ensureGitignored()).toEqual({ status: 'present', file: join(root, '.gitignore') });
    expect(ignores(root, 'packages/app/.dyad/media/x')).toBe(true);
  });
});

test('elsewhere nothing is written', async () => {
  // An empty `.git` is what some tools leave in a temporary folder.
  const app = makeFolder({ '.gitignore': 'dist/\n', '.git/': '' });
  expect(await new AttachmentStore(app).ensureGitignored()).toEqual({ status: 'no_git' });
  expect(readdirSync(app)).toEqual(['.git', '.gitignore']);
  expect(readFileSync(join(app, '.gitignore'), 'utf8')).toBe('dist/\n');
});

test('a link is not written through', async () => {
  const profile = join(makeFolder({ '.profile': 'PATH=/bin\n' }), '.profile');
  const { store } = makeRepository({ '.gitignore': { link: profile } });
  expect(await failureOf(store.ensureGitignored())).toMatchObject({ code: 'not_a_file' });
  expect(readFileSync(profile, 'utf8')).toBe('PATH=/bin\n');
});
