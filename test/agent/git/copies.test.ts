// Chats that go on in copies of their app, and what comes back into the app, with git itself as the judge.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { Chat, CopyComparison } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import {
  filesOf,
  git,
  gitEnv,
  good,
  hideOwnGit,
  newApp,
  newFolder,
  put,
  removeFolders,
  state,
} from '../changes/apps.ts';
import { Peer, startAgent } from '../support.ts';
import { commit, head } from './team.ts';

hideOwnGit();
afterAll(removeFolders);

const files = { 'a.txt': 'one\ntwo\nthree\nfour\nfive\n', 'b.txt': 'b\n', '.gitignore': 'ignored\nnode_modules\n' };
let tasks = 0;
const taskId = (): string => `task-${++tasks}`;

async function begin(folder = newApp(files)) {
  const program = await startAgent();
  const page = await Peer.ready(program);
  const appId = await program.addFolder(folder);
  const chat = await page.ask('create-chat', { appId });
  await page.ask('update-chat', { chatId: chat.id, title: 'Errors of Monday' });
  return { program, page, appId, folder, chatId: chat.id, dataDir: program.dataDir };
}

/** A chat that works in a copy, in which something was committed. */
async function withCopy(changes: Record<string, string> = { 'c.txt': 'c\n' }) {
  const begun = await begin();
  const copy = await begun.page.ask('work-in-copy', { chatId: begun.chatId, taskId: taskId() });
  if (Object.keys(changes).length > 0) commit(copy.path, changes, 'in the copy');
  const compare = () => begun.page.ask('compare-copy', { appId: copy.id, taskId: taskId() });
  const bring = ({ branch, into, ours, theirs }: CopyComparison) =>
    begun.page.ask('bring-in-copy', { appId: copy.id, taskId: taskId(), branch, into, ours, theirs });
  return { ...begun, copy, compare, bring };
}

const codeOf = async (asked: Promise<unknown>): Promise<unknown> =>
  await asked.then(
    (value) => value,
    (error: { code: string }) => error.code,
  );
const copiesIn = (dataDir: string): string[] =>
  existsSync(join(dataDir, 'copies')) ? readdirSync(join(dataDir, 'copies')) : [];
const chatsOf = async (page: Peer, appId: string): Promise<Chat[]> => await page.ask('list-chats', { appId });
const current = (app: string): string => git(app, 'symbolic-ref', '--short', 'HEAD').trim();

describe('a copy', () => {
  it('has the files, the history and what is not committed, on a branch of its own; the chat goes on there', async () => {
    const { page, folder, appId, chatId, dataDir } = await begin();
    put(folder, { 'a.txt': 'by hand\n', ignored: 'kept', 'node_modules/x/index.js': 'x', 'new.txt': 'new\n' });
    const before = { files: filesOf(folder), head: head(folder), status: git(folder, 'status', '--porcelain') };
    const other = await page.ask('create-chat', { appId });
    const copy = await page.ask('work-in-copy', { chatId, taskId: taskId() });
    expect(copy).toMatchObject({ copyOf: appId, git: true, repository: null });
    expect(copy.name).toMatch(/ · mustard\/errors-of-monday$/);
    expect(copy.path.startsWith(join(dataDir, 'copies'))).toBe(true);
    expect(statSync(dirname(copy.path)).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(copy.path))).toHaveLength(1);
    const { 'node_modules/x/index.js': _, ...rest } = before.files;
    expect(filesOf(copy.path)).toEqual(rest);
    expect([current(copy.path), head(copy.path)]).toEqual(['mustard/errors-of-monday', before.head]);
    expect(state(copy.path)).toEqual({ ...good, status: before.status });
    // The app is as it was.
    expect({ files: filesOf(folder), head: head(folder), status: git(folder, 'status', '--porcelain') }).toEqual(
      before,
    );
    expect(git(folder, 'branch', '--format=%(refname:short)').trim()).toBe('main');
    expect((await chatsOf(page, copy.id)).map(({ id }) => id)).toEqual([chatId]);
    expect((await chatsOf(page, appId)).map(({ id }) => id)).toEqual([other.id]);
    const told = page.frames.flatMap(({ event }) => (typeof event === 'string' ? [event] : []));
    expect(told.slice(-2)).toEqual(['app:changed', 'chat:changed']);
  });

  it('of two chats with one title has two branches, and each chat has files of its own', async () => {
    const { page, appId, copy } = await withCopy();
    const { id: chatId } = await page.ask('create-chat', { appId });
    await page.ask('update-chat', { chatId, title: 'Errors of Monday' });
    const second = await page.ask('work-in-copy', { chatId, taskId: taskId() });
    expect(second.name).toBe(`${copy.name}-2`);
    expect(current(second.path)).toBe('mustard/errors-of-monday-2');
    expect(filesOf(second.path)).toEqual(files);
  });

  it('is asked for by two windows at once, and is one', async () => {
    const { program, page, appId, chatId } = await begin();
    const other = await Peer.ready(program);
    const asked = [page, other].map((window) => codeOf(window.ask('work-in-copy', { chatId, taskId: taskId() })));
    expect(await Promise.all(asked)).toContain('busy');
    const [copy, ...more] = (await page.ask('list-apps', {})).filter(({ id }) => id !== appId);
    expect(more).toEqual([]);
    expect((await chatsOf(page, copy?.id ?? '')).map(({ id }) => id)).toEqual([chatId]);
    expect(await chatsOf(page, appId)).toEqual([]);
  });

  it('is not made without a commit, of a package, of a copy, and around the data of the agent', async () => {
    const { page, chatId, copy, program } = await withCopy();
    const of = async (folder: string): Promise<unknown> => {
      const { id } = await page.ask('create-chat', { appId: await program.addFolder(folder) });
      return await codeOf(page.ask('work-in-copy', { chatId: id, taskId: taskId() }));
    };
    expect(await codeOf(page.ask('work-in-copy', { chatId, taskId: taskId() }))).toBe('denied');
    const unborn = newFolder({ 'a.txt': 'a\n' });
    git(unborn, 'init', '-q');
    expect(await of(unborn)).toBe('busy');
    expect(await of(join(newApp({ 'packages/one/a.txt': 'a\n' }), 'packages/one'))).toBe('denied');
    expect(await of(newFolder({ 'a.txt': 'a\n' }))).toBe('no_git');
    const around = dirname(program.dataDir);
    commit((git(around, 'init', '-q'), around), { 'a.txt': 'a\n', '.gitignore': 'data\n' }, 'first');
    expect(await of(around)).toBe('denied');
    const shallow = join(newFolder(), 'shallow');
    git('/', 'clone', '-q', '--depth=1', `file://${newApp(files)}`, shallow);
    expect(await of(shallow)).toBe('no_git');
    expect(copiesIn(program.dataDir)).toEqual([copy.path.split('/').at(-2)]);
  });

  it('begins at the commit of a detached HEAD, and without the lock of a git that runs', async () => {
    const { page, folder, chatId } = await begin();
    git(folder, 'checkout', '-q', '--detach');
    writeFileSync(join(folder, '.git/index.lock'), '');
    const copy = await page.ask('work-in-copy', { chatId, taskId: taskId() });
    expect([current(copy.path), head(copy.path)]).toEqual(['mustard/errors-of-monday', head(folder)]);
    expect(existsSync(join(copy.path, '.git/index.lock'))).toBe(false);
    expect(state(copy.path)).toEqual(good);
    rmSync(join(folder, '.git/index.lock'));
    const asked = page.ask('compare-copy', { appId: copy.id, taskId: taskId() });
    expect(await codeOf(asked)).toBe('busy');
  });

  it('is not made while an answer is under way', async () => {
    const { program, page, appId, chatId, dataDir } = await begin();
    const answer = { chatId, role: 'assistant' as const, parts: [], state: 'streaming' as const };
    const [{ id } = { id: '' }] = await program.services.chats.add(answer);
    expect(await codeOf(page.ask('work-in-copy', { chatId, taskId: taskId() }))).toBe('busy');
    expect([copiesIn(dataDir), await chatsOf(page, appId)]).toMatchObject([[], [{ id: chatId }]]);
    await program.services.chats.updateMessage(id, { state: 'complete' });
    expect(await page.ask('work-in-copy', { chatId, taskId: taskId() })).toMatchObject({ copyOf: appId });
  });

  it('knows which answers made its versions, and takes them back there and not in the app', async () => {
    const { program, page, folder, appId, chatId } = await begin();
    const { chats, versions } = program.services;
    commit(folder, { 'd.txt': 'd\n' }, '[agent] by an answer');
    const answer = { chatId, role: 'assistant' as const, parts: [], state: 'complete' as const };
    const [{ id: messageId } = { id: '' }] = await chats.add(answer);
    const shown = { summary: '', files: [], dependencies: [], commands: [], problems: null };
    await chats.updateMessage(messageId, { proposal: { state: 'approved', ...shown }, commit: head(folder) });
    await versions.add(appId, head(folder), messageId);
    const copy = await page.ask('work-in-copy', { chatId, taskId: taskId() });
    const listed = await page.ask('list-versions', { appId: copy.id });
    expect(listed.versions.map((version) => version.messageId)).toEqual([messageId, null]);
    await page.ask('undo-turn', { chatId, messageId });
    expect(filesOf(copy.path)).toEqual(files);
    expect(filesOf(folder)).toEqual({ ...files, 'd.txt': 'd\n' });
    expect([state(folder), state(copy.path)]).toEqual([good, good]);
  });

  it('that is cancelled leaves nothing, and the chat stays', async () => {
    const { page, folder, appId, chatId, dataDir } = await begin();
    put(folder, Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`many/${index}.txt`, 'x'])));
    const asked = codeOf(page.ask('work-in-copy', { chatId, taskId: 'copying' }));
    await expect.poll(() => copiesIn(dataDir).length, { interval: 1 }).toBe(1);
    await page.ask('cancel-git', { taskId: 'copying' });
    expect(await asked).toBe('cancelled');
    expect(copiesIn(dataDir)).toEqual([]);
    expect(await chatsOf(page, appId)).toHaveLength(1);
    expect(await page.ask('list-apps', {})).toHaveLength(1);
  });

  it('that was being made when the program was killed is gone after the next start, and no other one', async () => {
    const folder = newApp(files);
    put(folder, Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`many/${index}.txt`, 'x'])));
    const dataDir = join(newFolder(), 'data');
    const fixture = fileURLToPath(new URL('fixtures/copier.mjs', import.meta.url));
    const child = fork(fixture, [dataDir, folder], { stdio: 'inherit' });
    const ended = once(child, 'exit');
    const half = (): boolean => {
      const [id] = copiesIn(dataDir);
      return id !== undefined && readdirSync(join(dataDir, 'copies', id)).length === 2;
    };
    while (!half()) await new Promise(setImmediate);
    child.kill('SIGKILL');
    await ended;
    expect(copiesIn(dataDir)).toHaveLength(1);
    mkdirSync(join(dataDir, 'copies/whole/shop'), { recursive: true });
    const page = await Peer.ready(await startAgent({ dataDir }));
    expect(copiesIn(dataDir)).toEqual(['whole']);
    const [app, ...others] = await page.ask('list-apps', {});
    expect(others).toEqual([]);
    expect(await chatsOf(page, app?.id ?? '')).toHaveLength(1);
    expect(state(folder).broken).toBe('');
  });
});

/** A small disk of its own, where bubblewrap can make one. */
const disk = ['--dev-bind', '/', '/', '--size', String(24 * 1024 * 1024), '--tmpfs', '/mnt'];
const canMount = spawnSync('bwrap', [...disk, 'true']).status === 0;

it.skipIf(!canMount)('a full disk is named as that, and nothing is left of the copy', () => {
  const folder = newApp({ ...files, 'large.bin': Buffer.alloc(40 * 1024 * 1024, 7) });
  const fixture = fileURLToPath(new URL('fixtures/copier.mjs', import.meta.url));
  const args = [...disk, process.execPath, fixture, '/mnt/data', folder, 'report'];
  const { stdout, stderr, status } = spawnSync('bwrap', args, { encoding: 'utf8', env: { ...gitEnv, HOME: '/tmp' } });
  expect(status, stderr).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ code: 'disk_full', copies: [], apps: 1, chats: 1 });
});

describe('bringing in', () => {
  it('shows the commits first, brings just those into the branch of the app, and can be taken back', async () => {
    const { page, folder, appId, copy, compare, bring } = await withCopy();
    const seen = await compare();
    expect(seen).toMatchObject({ branch: 'mustard/errors-of-monday', into: 'main', uncommitted: 0 });
    expect(seen.incoming).toMatchObject({ count: 1, shown: [{ commit: head(copy.path), subject: 'in the copy' }] });
    expect([head(folder), filesOf(folder)]).toEqual([seen.ours, files]);
    expect(await bring(seen)).toMatchObject({ outcome: 'joined', merged: false, commit: head(copy.path) });
    expect([current(folder), head(folder)]).toEqual(['main', head(copy.path)]);
    expect(filesOf(folder)).toEqual({ ...files, 'c.txt': 'c\n' });
    expect(state(folder)).toEqual(good);
    expect(await compare()).toMatchObject({ incoming: { count: 0 } });
    expect(await bring({ ...(await compare()) })).toEqual({ outcome: 'up-to-date' });
    await page.ask('undo-join', { appId, commit: head(folder) });
    expect([head(folder), filesOf(folder)]).toEqual([seen.ours, files]);
    expect(await compare()).toMatchObject({ incoming: { count: 1 } });
  });

  it('merges what both have done, commits what was changed by hand in the app first, and keeps other files', async () => {
    const { folder, compare, bring } = await withCopy({ 'a.txt': 'ONE\ntwo\nthree\nfour\nfive\n' });
    commit(folder, { 'b.txt': 'more\n' }, 'in the app');
    put(folder, { 'a.txt': 'one\ntwo\nthree\nfour\nFIVE\n', 'mine.txt': 'mine\n' });
    expect(await bring(await compare())).toMatchObject({ outcome: 'joined', merged: true });
    expect(filesOf(folder)).toMatchObject({ 'a.txt': 'ONE\ntwo\nthree\nfour\nFIVE\n', 'b.txt': 'more\n' });
    expect(git(folder, 'log', '--format=%s', '-1').trim()).toBe("Merge branch 'mustard/errors-of-monday'");
    expect(git(folder, 'log', '--format=%s', '-2', '--first-parent')).toContain('Changes made by hand');
    expect(state(folder)).toEqual({ ...good, status: '?? mine.txt\n' });
  });

  it('with the same lines changed on both sides changes nothing and names the files', async () => {
    const { folder, compare, bring } = await withCopy({ 'a.txt': 'ONE\ntwo\nthree\nfour\nfive\n', 'c.txt': 'c\n' });
    commit(folder, { 'a.txt': 'Eins\ntwo\nthree\nfour\nfive\n' }, 'in the app');
    const before = [head(folder), filesOf(folder)];
    expect(await bring(await compare())).toEqual({ outcome: 'conflicts', files: ['a.txt'] });
    expect([head(folder), filesOf(folder)]).toEqual(before);
    expect(state(folder)).toEqual(good);
  });

  it('would overwrite no file that git does not know', async () => {
    const { folder, compare, bring } = await withCopy({ ignored: 'theirs\n', '.gitignore': 'node_modules\n' });
    put(folder, { ignored: 'mine\n' });
    expect(await codeOf(bring(await compare()))).toBe('changed');
    expect(filesOf(folder)).toEqual({ ...files, ignored: 'mine\n' });
  });

  it('leaves what is in no commit of the copy there, says how many files, and commits them when that is wanted', async () => {
    const { page, folder, copy, compare, bring } = await withCopy({});
    put(copy.path, { 'a.txt': 'by hand\n', 'new.txt': 'new\n', ignored: 'x' });
    const seen = await compare();
    expect(seen).toMatchObject({ incoming: { count: 0 }, uncommitted: 2 });
    expect(await bring(seen)).toEqual({ outcome: 'up-to-date' });
    expect(filesOf(folder)).toEqual(files);
    await page.ask('commit-copy', { appId: copy.id });
    const again = await compare();
    expect(again).toMatchObject({ incoming: { count: 1 }, uncommitted: 0 });
    expect(await bring(again)).toMatchObject({ outcome: 'joined' });
    expect(filesOf(folder)).toEqual({ ...files, 'a.txt': 'by hand\n', 'new.txt': 'new\n' });
    expect([state(folder), state(copy.path)]).toEqual([good, good]);
  });

  it('does nothing once either side is not what was shown: new commits, a forced branch, another branch', async () => {
    const { folder, copy, compare, bring } = await withCopy();
    const seen = await compare();
    const refused = async (): Promise<void> => {
      const before = [head(folder), filesOf(folder)];
      expect(await codeOf(bring(seen))).toBe('changed');
      expect([head(folder), filesOf(folder)]).toEqual(before);
    };
    commit(copy.path, { 'd.txt': 'd\n' }, 'later');
    await refused();
    git(copy.path, 'reset', '-q', '--hard', seen.ours);
    await refused();
    git(copy.path, 'reset', '-q', '--hard', seen.theirs);
    git(copy.path, 'switch', '-qc', 'elsewhere');
    await refused();
    git(copy.path, 'switch', '-q', seen.branch);
    git(folder, 'switch', '-qc', 'other');
    await refused();
    git(folder, 'switch', '-q', 'main');
    commit(folder, { 'e.txt': 'e\n' }, 'in the app');
    await refused();
    expect(await bring(await compare())).toMatchObject({ outcome: 'joined', merged: true });
  });

  it('by two windows at once is done once', async () => {
    const { program, folder, copy, compare } = await withCopy();
    const { branch, into, ours, theirs } = await compare();
    const windows = [await Peer.ready(program), await Peer.ready(program)];
    const asked = windows.map((window) =>
      codeOf(window.ask('bring-in-copy', { appId: copy.id, taskId: taskId(), branch, into, ours, theirs })),
    );
    const [one, two] = await Promise.all(asked);
    expect([one, two]).toContainEqual(expect.objectContaining({ outcome: 'joined' }));
    expect([one, two]).toContainEqual('changed');
    expect([head(folder), state(folder)]).toEqual([theirs, good]);
  });

  it('says what is the matter with a copy that was changed by hand', async () => {
    const { folder, copy, compare } = await withCopy();
    git(copy.path, 'checkout', '-q', '--detach');
    expect(await codeOf(compare())).toBe('busy');
    git(copy.path, 'checkout', '-q', '--orphan', 'unborn');
    expect(await codeOf(compare())).toBe('busy');
    commit(copy.path, { 'x.txt': 'x\n' }, 'of another history');
    expect(await codeOf(compare())).toMatchObject({ branch: 'unborn' });
    writeFileSync(join(copy.path, '.git/HEAD'), 'ref: refs/heads/-x..y\n');
    expect(await codeOf(compare())).toBe('busy');
    writeFileSync(join(copy.path, '.git/HEAD'), 'nonsense\n');
    expect(await codeOf(compare())).toBe('no_git');
    rmSync(join(copy.path, '.git'), { recursive: true });
    expect(await codeOf(compare())).toBe('no_git');
    rmSync(copy.path, { recursive: true });
    expect(await codeOf(compare())).toBe('not_found');
    expect(state(folder)).toEqual(good);
  });

  it('takes nothing of another history, no broken object, and runs nothing that the copy names', async () => {
    const { folder, copy, compare, bring } = await withCopy();
    const mark = join(newFolder(), 'ran');
    const hook = `#!/bin/sh\ntouch ${mark}\n`;
    for (const name of ['post-merge', 'reference-transaction', 'post-index-change']) {
      writeFileSync(join(copy.path, '.git/hooks', name), hook, { mode: 0o755 });
    }
    git(copy.path, 'config', 'core.fsmonitor', `touch ${mark}`);
    git(copy.path, 'config', 'uploadpack.packObjectsHook', `touch ${mark};`);
    git(copy.path, 'config', 'core.alternateRefsCommand', `touch ${mark};`);
    rmSync(mark, { force: true });
    expect(await compare()).toMatchObject({ incoming: { count: 1 } });
    expect(existsSync(mark)).toBe(false);
    git(copy.path, 'config', '--unset', 'core.fsmonitor');
    git(copy.path, 'checkout', '-q', '--orphan', 'other-history');
    commit(copy.path, { 'x.txt': 'x\n' }, 'first of another');
    const before = [head(folder), filesOf(folder)];
    expect(await codeOf(bring(await compare()))).toBe('denied');
    const tree = git(copy.path, 'rev-parse', 'HEAD^{tree}').trim();
    const raw = `tree ${tree}\nauthor nobody\ncommitter nobody\n\nbroken\n`;
    const made = spawnSync('git', ['-C', copy.path, 'hash-object', '-t', 'commit', '-w', '--literally', '--stdin'], {
      input: raw,
      encoding: 'utf8',
    });
    writeFileSync(join(copy.path, '.git/refs/heads/other-history'), made.stdout);
    expect(typeof (await codeOf(compare()))).toBe('string');
    expect([head(folder), filesOf(folder), state(folder)]).toEqual([...before, good]);
  });
});

describe('the app of a copy', () => {
  it('that is renamed keeps its copy; one that is deleted, moved or off the list is said to be so', async () => {
    const { page, folder, appId, copy, compare } = await withCopy();
    await page.ask('rename-app', { appId, name: 'another name' });
    expect(await compare()).toMatchObject({ incoming: { count: 1 } });
    await page.ask('delete-app', { appId });
    expect(await codeOf(compare())).toBe('not_found');
    expect(await page.ask('get-app', { appId: copy.id })).toMatchObject({ copyOf: appId });
    await page.ask('restore-app', { appId });
    expect(await compare()).toMatchObject({ incoming: { count: 1 } });
    renameSync(folder, `${folder}-moved`);
    expect(await codeOf(compare())).toBe('not_found');
    await page.ask('remove-app', { appId });
    await expect.poll(async () => (await page.ask('get-app', { appId: copy.id })).copyOf).toBeNull();
    expect(await codeOf(compare())).toBe('invalid_request');
    expect(filesOf(copy.path)).toHaveProperty('c.txt');
    rmSync(`${folder}-moved`, { recursive: true });
  });

  it('is not touched by the removal of the copy, which can be taken back with its chat', async () => {
    const { page, folder, chatId, copy, compare } = await withCopy();
    const deleted = await page.ask('delete-app', { appId: copy.id });
    expect(existsSync(copy.path)).toBe(false);
    expect(filesOf(folder)).toEqual(files);
    await page.ask('restore-app', { appId: copy.id });
    expect((await chatsOf(page, copy.id)).map(({ id }) => id)).toEqual([chatId]);
    expect(await compare()).toMatchObject({ incoming: { count: 1 } });
    expect(deleted.from).toBe(copy.path);
  });
});
