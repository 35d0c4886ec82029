import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { App, TemplateName } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import { git, put } from '../changes/apps.ts';
import { load, Peer, startAgent, tempFolder } from '../support.ts';

const { copyTemplate } = await load<
  typeof import('../../../packages/desktop-agent/src/server/apps/starting/templates.ts')
>('server/apps/starting/templates.js');

const templates: TemplateName[] = ['vite-react', 'node-service', 'python-script', 'data-notebook'];

async function begin(): Promise<{ page: Peer; parent: string; dataDir: string }> {
  const program = await startAgent();
  return { page: await Peer.ready(program), parent: await tempFolder(), dataDir: program.dataDir };
}

/** A project of a person, with a repository of its own and a chat. */
async function withApp(): Promise<{ page: Peer; app: App; parent: string; dataDir: string }> {
  const { page, parent, dataDir } = await begin();
  const folder = join(parent, 'shop');
  put(folder, { 'a.txt': 'one\n', '.gitignore': 'ignored\n', ignored: 'kept by hand\n' });
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'first');
  return { page, parent, dataDir, app: await page.ask('add-app', { path: folder }) };
}

const codeOf = async (asked: Promise<unknown>): Promise<unknown> =>
  await asked.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );

describe('a new app', () => {
  test.each(templates)('of %s has its files in one commit, and nothing is installed', async (template) => {
    const { page, parent } = await begin();
    const app = await page.ask('create-app', { template, parent, name: 'Größte App' });
    expect(app).toMatchObject({ name: 'Größte App', path: join(parent, 'Größte App'), git: true, repository: null });
    expect(git(app.path, 'status', '--porcelain')).toBe('');
    expect(git(app.path, 'rev-list', '--count', 'HEAD').trim()).toBe('1');
    expect(readdirSync(app.path)).toContain('.gitignore');
    expect(readdirSync(app.path)).not.toContain('gitignore');
    expect(existsSync(join(app.path, 'node_modules'))).toBe(false);
    expect(readFileSync(join(app.path, 'README.md'), 'utf8')).toMatch(/^# Größte App\n/);
    expect(readdirSync(parent)).toEqual(['Größte App']);
    if (!existsSync(join(app.path, 'package.json'))) return;
    for (const file of ['package.json', 'package-lock.json']) {
      expect(JSON.parse(readFileSync(join(app.path, file), 'utf8'))).toMatchObject({ name: 'gro-te-app' });
    }
  });

  test('pins each package that it names, and its lockfile names no registry', async () => {
    const { page, parent } = await begin();
    const app = await page.ask('create-app', { template: 'vite-react', parent, name: 'site' });
    const { names, manager, installed, refused } = await page.ask('read-packages', { appId: app.id });
    expect({ manager, installed, refused }).toEqual({ manager: 'npm', installed: false, refused: null });
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) expect(name).toMatch(/^@?[\w./-]+@\d+\.\d+\.\d+$/);
    expect(readFileSync(join(app.path, 'package-lock.json'), 'utf8')).not.toContain('"resolved"');
  });

  const refusedNames = [
    '..',
    '.',
    '.git',
    'a/b',
    String.raw`a\b`,
    '-rf',
    'con',
    'NUL.txt',
    'C:x',
    'a\0b',
    'line\nbreak',
    'a\u202Etxt.exe',
    'zero\u200Bwidth',
    'node_modules',
    '   ',
    'trailing.',
    'what?',
    'x'.repeat(200) + 'é',
  ];
  test.each(refusedNames)('is not called %j', async (name) => {
    const { page, parent } = await begin();
    const made = page.ask('create-app', { template: 'python-script', parent, name });
    expect(await codeOf(made)).toBe('invalid_request');
    expect(readdirSync(parent)).toEqual([]);
  });

  test.each([
    ['site', 'site'],
    ['Site', 'site'],
    ['stra\u00dfe', 'STRASSE'],
    ['caf\u00e9', 'cafe\u0301'],
  ])('called %j does not take the place of %j', async (name, there) => {
    const { page, parent } = await begin();
    put(join(parent, there), { 'mine.txt': 'mine' });
    const made = page.ask('create-app', { template: 'python-script', parent, name });
    expect(await codeOf(made)).toBe('invalid_request');
    expect(readFileSync(join(parent, there, 'mine.txt'), 'utf8')).toBe('mine');
  });

  test('does not lie in the data of the agent, or where there is no folder', async () => {
    const { page, parent, dataDir } = await begin();
    const make = (parent: string) => page.ask('create-app', { template: 'python-script', parent, name: 'x' });
    expect(await codeOf(make(dataDir))).toBe('invalid_request');
    expect(await codeOf(make(join(parent, 'none')))).toBe('not_found');
    expect(await codeOf(make('relative'))).toBe('invalid_request');
  });

  test('gets no links of a template, and nothing that they lead to', async () => {
    const [template, folder] = [await tempFolder(), await tempFolder()];
    put(template, { 'a.txt': 'a', 'below/b.txt': 'b' });
    symlinkSync('/etc/passwd', join(template, 'passwd'));
    symlinkSync('/etc', join(template, 'below', 'etc'));
    copyTemplate(template, folder, 'x');
    expect(readdirSync(folder).sort()).toEqual(['a.txt', 'below']);
    expect(readdirSync(join(folder, 'below'))).toEqual(['b.txt']);
  });
});

describe('a copy', () => {
  test('has the files and the history, but no packages, pipes and no worktree of another', async () => {
    const { page, app, parent } = await withApp();
    put(app.path, { 'node_modules/x/index.js': 'x', 'own.txt': 'not committed' });
    symlinkSync('a.txt', join(app.path, 'link'));
    const copy = await page.ask('copy-app', { appId: app.id, name: 'shop two' });
    expect(copy).toMatchObject({ path: join(parent, 'shop two'), git: true });
    expect(readdirSync(copy.path).sort()).toEqual(['.git', '.gitignore', 'a.txt', 'ignored', 'link', 'own.txt']);
    expect(git(copy.path, 'log', '--format=%s').trim()).toBe('first');
    expect(git(copy.path, 'fsck')).toBe('');
    await page.ask('edit-app-file', { appId: copy.id, path: 'b.txt', content: 'b', hash: null });
    expect(existsSync(join(app.path, 'b.txt'))).toBe(false);
    expect(await codeOf(page.ask('copy-app', { appId: app.id, name: 'SHOP' }))).toBe('invalid_request');

    const worktree = join(parent, 'worktree');
    git(app.path, 'worktree', 'add', '-q', worktree);
    const { id } = await page.ask('add-app', { path: worktree });
    expect(await page.ask('copy-app', { appId: id, name: 'w2' })).toMatchObject({ git: false });
    expect(existsSync(join(parent, 'w2', '.git'))).toBe(false);
  });
});

describe('the name on the list', () => {
  test('is another one, and the folder keeps its own', async () => {
    const { page, app } = await withApp();
    expect(await page.ask('rename-app', { appId: app.id, name: ' My shop ' })).toEqual({
      ...app,
      name: 'My shop',
      updatedAt: expect.any(String) as string,
    });
    expect(existsSync(app.path)).toBe(true);
    for (const name of ['  ', 'a\nb', '\u202Eevil']) {
      expect(await codeOf(page.ask('rename-app', { appId: app.id, name }))).toBe('invalid_request');
    }
  });
});

describe('a deleted app', () => {
  test('comes back with its files, ignored ones too, its history and its chats', async () => {
    const { page, app, parent } = await withApp();
    const chat = await page.ask('create-chat', { appId: app.id });
    const deleted = await page.ask('delete-app', { appId: app.id });
    expect(deleted).toMatchObject({ id: app.id, from: app.path });
    expect(existsSync(app.path)).toBe(false);
    expect(readdirSync(parent)).toEqual([]);
    expect(await page.ask('list-apps', {})).toEqual([]);
    expect(await codeOf(page.ask('get-app', { appId: app.id }))).toBe('not_found');
    expect(await page.ask('list-deleted-apps', {})).toEqual([deleted]);
    expect(await page.ask('restore-app', { appId: app.id })).toMatchObject({ path: app.path, git: true });
    expect(readFileSync(join(app.path, 'ignored'), 'utf8')).toBe('kept by hand\n');
    expect(git(app.path, 'status', '--porcelain')).toBe('');
    expect((await page.ask('list-chats', { appId: app.id })).map(({ id }) => id)).toEqual([chat.id]);
    expect(existsSync(dirname(deleted.path))).toBe(false);
    expect(await page.ask('list-deleted-apps', {})).toEqual([]);
  });

  test('does not come back over something else', async () => {
    const { page, app } = await withApp();
    await page.ask('delete-app', { appId: app.id });
    put(app.path, { 'other.txt': 'other' });
    expect(await codeOf(page.ask('restore-app', { appId: app.id }))).toBe('changed');
    expect(readdirSync(app.path)).toEqual(['other.txt']);
    expect(await page.ask('list-deleted-apps', {})).toHaveLength(1);
  });

  test('is removed for good only when that is asked for, without following its links', async () => {
    const { page, app, parent } = await withApp();
    put(join(parent, 'precious'), { 'x.txt': 'x' });
    symlinkSync(join(parent, 'precious'), join(app.path, 'link'));
    expect(await codeOf(page.ask('purge-app', { appId: app.id }))).toBe('not_found');
    const { path } = await page.ask('delete-app', { appId: app.id });
    await page.ask('purge-app', { appId: app.id });
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(join(parent, 'precious'))).toEqual(['x.txt']);
    expect(await page.ask('list-deleted-apps', {})).toEqual([]);
    expect(await codeOf(page.ask('restore-app', { appId: app.id }))).toBe('not_found');
  });

  test('is none when another app or the data of the agent is in its folder, or it is a link by now', async () => {
    const { page, app, parent, dataDir } = await withApp();
    put(join(app.path, 'inner'), { 'x.txt': 'x' });
    const inner = await page.ask('add-app', { path: join(app.path, 'inner') });
    expect(await codeOf(page.ask('delete-app', { appId: app.id }))).toBe('denied');
    const around = await page.ask('add-app', { path: dirname(dataDir) });
    expect(await codeOf(page.ask('delete-app', { appId: around.id }))).toBe('denied');
    await page.ask('delete-app', { appId: inner.id });
    mkdirSync(join(parent, 'victim'));
    symlinkSync(join(parent, 'victim'), inner.path);
    const again = await page.ask('add-app', { path: join(parent, 'victim') });
    expect(again.path).toBe(join(parent, 'victim'));
    expect(await codeOf(page.ask('restore-app', { appId: inner.id }))).toBe('changed');
    expect(existsSync(app.path)).toBe(true);
  });

  test('is on the list again when the program died before its folder was moved', async () => {
    const { page, app, dataDir } = await withApp();
    const program = await startAgent();
    const { id } = await (await Peer.ready(program)).ask('add-app', { path: app.path });
    await program.services.apps.markDeleted(id, join(program.dataDir, 'deleted', id, basename(app.path)));
    await program.close();
    const next = await startAgent({ dataDir: program.dataDir });
    expect((await (await Peer.ready(next)).ask('list-apps', {})).map(({ path }) => path)).toEqual([app.path]);
    expect(await page.ask('list-apps', {})).toHaveLength(1);
    expect(existsSync(join(dataDir, 'deleted'))).toBe(false);
  });

  test('is named in every window that is open', async () => {
    const { page, app } = await withApp();
    await page.ask('delete-app', { appId: app.id });
    await vi.waitFor(() => expect(page.frames).toContainEqual(expect.objectContaining({ event: 'app:removed' })));
    writeFileSync(join(dirname(app.path), 'free'), '');
  });
});
