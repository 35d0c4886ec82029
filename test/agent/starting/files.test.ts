import { existsSync, linkSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { App, FileChange } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import { git, put } from '../changes/apps.ts';
import { Peer, startAgent, tempFolder } from '../support.ts';

const first = { 'a.txt': 'one\n', 'docs/x.md': '# x\n', 'docs/deep/y.md': '# y\n', '.gitignore': 'local\n' };

async function begin(): Promise<{
  page: Peer;
  app: App;
  change: (change: FileChange) => Promise<string | null>;
  code: (change: FileChange) => Promise<string>;
}> {
  const page = await Peer.ready(await startAgent());
  const folder = join(await tempFolder(), 'shop');
  put(folder, first);
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'first');
  const app = await page.ask('add-app', { path: folder });
  const change = async (wanted: FileChange): Promise<string | null> =>
    (await page.ask('change-app-file', { appId: app.id, change: wanted })).commit;
  const code = async (wanted: FileChange): Promise<string> =>
    await change(wanted).then(
      () => 'done',
      (error: { code: string }) => error.code,
    );
  return { page, app, change, code };
}

const subject = (app: App): string => git(app.path, 'log', '-1', '--format=%s').trim();

describe('a file', () => {
  test('is created, renamed and deleted, each by one commit that can be taken back', async () => {
    const { page, app, change } = await begin();
    await change({ type: 'create', path: 'src/new.ts' });
    expect(readFileSync(join(app.path, 'src/new.ts'), 'utf8')).toBe('');
    expect(subject(app)).toBe('Create src/new.ts');
    await change({ type: 'rename', from: 'src/new.ts', to: 'src/old.ts' });
    expect(readdirSync(join(app.path, 'src'))).toEqual(['old.ts']);
    const commit = await change({ type: 'delete', path: 'a.txt' });
    expect(subject(app)).toBe('Delete a.txt');
    await page.ask('undo-version', { appId: app.id, commit: commit ?? '' });
    expect(readFileSync(join(app.path, 'a.txt'), 'utf8')).toBe('one\n');
    expect(git(app.path, 'rev-list', '--count', 'HEAD').trim()).toBe('5');
    expect(git(app.path, 'status', '--porcelain')).toBe('');
  });

  test('takes its folder along, and leaves no empty one behind', async () => {
    const { app, change } = await begin();
    await change({ type: 'rename', from: 'docs', to: 'pages/docs' });
    expect(existsSync(join(app.path, 'docs'))).toBe(false);
    expect(readFileSync(join(app.path, 'pages/docs/deep/y.md'), 'utf8')).toBe('# y\n');
    const commit = await change({ type: 'delete', path: 'pages' });
    expect(existsSync(join(app.path, 'pages'))).toBe(false);
    expect(commit).not.toBeNull();
  });

  test('that git ignores is kept in a copy, and the person hears where', async () => {
    const { page, app, change } = await begin();
    put(app.path, { local: 'only here\n' });
    expect(await change({ type: 'delete', path: 'local' })).toBeNull();
    const kept = readdirSync(join(app.path, '.git/mustard-agent')).find((name) => name.startsWith('kept-'));
    expect(readFileSync(join(app.path, '.git/mustard-agent', kept ?? '', 'local'), 'utf8')).toBe('only here\n');
    expect(JSON.stringify(page.frames)).toContain('It is kept in');
  });

  test("has the person's own changes in a commit before", async () => {
    const { app, change } = await begin();
    put(app.path, { 'a.txt': 'one\nand by hand\n' });
    await change({ type: 'delete', path: 'a.txt' });
    expect(git(app.path, 'show', 'HEAD^:a.txt')).toBe('one\nand by hand\n');
  });

  test('never replaces another one, also where only the case differs', async () => {
    const { app, code, change } = await begin();
    expect(await code({ type: 'create', path: 'a.txt' })).toBe('changed');
    expect(await code({ type: 'create', path: 'A.TXT' })).toBe('unsafe_path');
    expect(await code({ type: 'create', path: 'Docs/z.md' })).toBe('unsafe_path');
    expect(await code({ type: 'rename', from: 'a.txt', to: 'docs/x.md' })).toBe('unsafe_path');
    expect(await code({ type: 'rename', from: 'a.txt', to: 'a.txt' })).toBe('unsafe_path');
    expect(await code({ type: 'delete', path: 'none' })).toBe('not_found');
    expect(await code({ type: 'rename', from: 'none', to: 'some' })).toBe('unsafe_path');
    expect(git(app.path, 'rev-list', '--count', 'HEAD').trim()).toBe('1');
    await change({ type: 'rename', from: 'a.txt', to: 'A.txt' });
    expect(readdirSync(app.path)).toContain('A.txt');
  });

  const outside = [
    '../out.txt',
    '/etc/passwd',
    '.git/hooks/pre-commit',
    '.GIT/config',
    'a/../../x',
    '.env',
    'docs/.ssh/id_rsa',
    'nul',
    'new\nline',
    String.raw`a\b`,
    'folder/',
    'link/x',
  ];
  test.each(outside)('does not get the path %j, nor loses one there', async (path) => {
    const { app, code } = await begin();
    const elsewhere = await tempFolder();
    put(elsewhere, { x: 'precious' });
    symlinkSync(elsewhere, join(app.path, 'link'));
    for (const change of [
      { type: 'create', path },
      { type: 'delete', path },
      { type: 'rename', from: 'a.txt', to: path },
      { type: 'rename', from: path, to: 'b.txt' },
    ] satisfies FileChange[]) {
      expect(await code(change)).not.toBe('done');
    }
    expect(readdirSync(elsewhere)).toEqual(['x']);
    expect(git(app.path, 'rev-list', '--count', 'HEAD').trim()).toBe('1');
    expect(readFileSync(join(app.path, 'a.txt'), 'utf8')).toBe('one\n');
  });

  test('in a folder with a secret is deleted, and the secret stays', async () => {
    const { app, change } = await begin();
    put(app.path, { 'docs/.env': 'KEY=1\n' });
    linkSync(join(app.path, 'a.txt'), join(app.path, 'twin.txt'));
    await change({ type: 'delete', path: 'docs' });
    expect(readdirSync(join(app.path, 'docs'))).toEqual(['.env']);
  });
});
