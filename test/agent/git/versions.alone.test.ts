import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import {
  applyPlan,
  editFile,
  propose,
  recover,
  type Plan,
} from '../../../packages/desktop-agent/src/server/changes/index.ts';
import {
  listVersions,
  readVersion,
  revertToVersion,
  undoCommit,
} from '../../../packages/desktop-agent/src/server/git/index.ts';
import { authorOf } from '../../../packages/desktop-agent/src/server/git/author.ts';
import { openRepository } from '../../../packages/desktop-agent/src/server/git/repository.ts';
import { asWriter } from '../../../packages/desktop-agent/src/server/writer.ts';
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
  subjects,
} from '../changes/apps.ts';

hideOwnGit();
afterAll(removeFolders);

describe('versions', () => {
  it('are the commits of the branch, with what each changed', async () => {
    const app = newApp({ 'a.txt': 'one\ntwo\n', 'b.txt': 'x\n' });
    rmSync(join(app, 'b.txt'));
    put(app, { 'a.txt': 'one\n2\n', 'c/d.txt': 'new\n', 'e.bin': Buffer.from([0]), 'big.txt': 'x\n'.repeat(300_000) });
    git(app, 'add', '-A');
    git(app, 'commit', '-qm', 'second\n\nwith a body');
    git(app, 'gc', '-q');
    const { versions } = await listVersions(app);
    expect(versions).toMatchObject([{ message: 'second\n\nwith a body', author: 'Person' }, { message: 'first' }]);
    expect(versions.map(({ commit }) => commit)).toEqual(git(app, 'log', '--format=%H').trim().split('\n'));
    expect(versions[0]?.at).toBe(new Date(git(app, 'log', '-1', '--format=%cI').trim()).toISOString());
    const { files, more } = await readVersion(app, versions[0]?.commit as string);
    const shown = files.map(({ path, change, added, removed, hidden }) => ({ path, change, added, removed, hidden }));
    expect(shown).toEqual([
      { path: 'a.txt', change: 'changed', added: 1, removed: 1, hidden: undefined },
      { path: 'b.txt', change: 'deleted', added: 0, removed: 1, hidden: undefined },
      { path: 'big.txt', change: 'added', added: 300_000, removed: 0, hidden: 'large' },
      { path: 'c/d.txt', change: 'added', added: 1, removed: 0, hidden: undefined },
      { path: 'e.bin', change: 'added', added: 0, removed: 0, hidden: 'binary' },
    ]);
    expect(more).toBe(0);
    expect(files[2]).toMatchObject({ unshown: 299_750 });
    expect(files[0]?.hunks).toEqual([
      {
        oldStart: 1,
        newStart: 1,
        lines: [
          { kind: 'context', text: 'one' },
          { kind: 'removed', text: 'two' },
          { kind: 'added', text: '2' },
        ],
      },
    ]);
    await expect(readVersion(app, 'f'.repeat(40))).rejects.toMatchObject({ code: 'not_found' });
    const tree = git(app, 'rev-parse', 'HEAD^{tree}').trim();
    await expect(readVersion(app, tree)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('with very many files shows the first of them, and how many there are beyond', async () => {
    const app = newApp({ 'a.txt': 'one\n' });
    put(app, Object.fromEntries(Array.from({ length: 2_003 }, (_, index) => [`many/${index}.txt`, 'same\n'])));
    git(app, 'add', '-A');
    git(app, 'commit', '-qm', 'many');
    const { files, more } = await readVersion(app, git(app, 'rev-parse', 'HEAD').trim());
    expect({ shown: files.length, more }).toEqual({ shown: 2_000, more: 3 });
  });

  it('can be gone back to, by a new commit, and what the person had changed is not lost', async () => {
    const app = newApp({ a: '1', 'was-file': '1', 'dir/x': '1', 'run.sh': '1', '.env.production': 'tracked' });
    const first = git(app, 'rev-parse', 'HEAD').trim();
    for (const path of ['was-file', 'dir', 'a']) rmSync(join(app, path), { recursive: true });
    put(app, { 'was-file/inner': '2', dir: '2', new: '2', '.env.production': 'changed' });
    chmodSync(join(app, 'run.sh'), 0o755);
    git(app, 'add', '-A');
    git(app, 'commit', '-qm', 'second');
    const files = filesOf(app);
    put(app, { 'by-hand': '3' });
    const version = await revertToVersion(app, first);
    expect(version).toMatchObject({ message: `[agent] Go back to ${first.slice(0, 10)}: first`, messageId: null });
    expect(git(app, 'rev-parse', 'HEAD^{tree}')).toBe(git(app, 'rev-parse', `${first}^{tree}`));
    expect(subjects(app)).toEqual([version.message, 'Changes made by hand - 1 file(s)', 'second', 'first']);
    expect(state(app)).toEqual(good);
    const second = git(app, 'log', '--format=%H', '--grep=^second').trim();
    await revertToVersion(app, second);
    expect(filesOf(app)).toEqual(files);
    expect(state(app)).toEqual(good);
  });

  it('do not overwrite a file that git does not know', async () => {
    const app = newApp({ 'data.txt': 'old' });
    const first = git(app, 'rev-parse', 'HEAD').trim();
    git(app, 'rm', '-q', 'data.txt');
    put(app, { '.gitignore': 'data.txt\n', 'data.txt': 'precious' });
    git(app, 'add', '-A');
    git(app, 'commit', '-qm', 'second');
    await expect(revertToVersion(app, first)).rejects.toMatchObject({ code: 'changed' });
    expect(filesOf(app)).toMatchObject({ 'data.txt': 'precious' });
    expect(state(app)).toEqual(good);
  });

  it('of which one has a link are left to git, and one that names .git is refused', async () => {
    const app = newApp({ a: '1' });
    const first = git(app, 'rev-parse', 'HEAD').trim();
    symlinkSync('/etc/passwd', join(app, 'link'));
    git(app, 'add', '-A');
    git(app, 'commit', '-qm', 'link');
    await expect(revertToVersion(app, first)).rejects.toMatchObject({ code: 'denied' });
    await editFile(app, 'b', 'x', null);
    expect(git(app, 'ls-tree', 'HEAD', 'link')).toContain('120000');
    expect(state(app)).toEqual(good);

    const hostile = newApp({ a: '1' });
    const blob = git(hostile, 'rev-parse', 'HEAD:a').trim();
    const inner = mktree(hostile, `100644 blob ${blob}\tpost-commit\n`);
    const dotGit = mktree(hostile, `040000 tree ${inner}\thooks\n`);
    const top = mktree(hostile, `040000 tree ${dotGit}\t.GIT\n`);
    const commit = git(hostile, 'commit-tree', top, '-m', 'hostile').trim();
    await expect(revertToVersion(hostile, commit)).rejects.toMatchObject({ code: 'unsafe_path' });
    expect(filesOf(hostile)).toEqual({ a: '1' });
    expect(existsSync(join(hostile, '.git/hooks/post-commit'))).toBe(false);
  });

  it('undo takes back one turn, unless its files were changed since', async () => {
    const app = newApp({ a: '1', b: '1' });
    const turn = await applied(app, [
      { type: 'write', path: 'a', content: '2' },
      { type: 'rename', from: 'b', to: 'c' },
    ]);
    await editFile(app, 'other', 'x', null);
    const undone = await undoCommit(app, turn);
    expect(undone.message).toMatch(/^\[agent\] Undo [0-9a-f]{10}: \[agent\] Turn/);
    expect(filesOf(app)).toEqual({ a: '1', b: '1', other: 'x' });
    await expect(undoCommit(app, turn)).rejects.toMatchObject({ code: 'invalid_request' });
    const again = await applied(app, [{ type: 'write', path: 'a', content: '3' }]);
    put(app, { a: 'by hand' });
    await expect(undoCommit(app, again)).rejects.toMatchObject({ code: 'changed' });
    expect(filesOf(app)).toMatchObject({ a: 'by hand' });
    expect(state(app)).toEqual({ ...good, status: ' M a\n' });
  });

  it('carry the name that the person has given git, and leave what she ignores everywhere', async () => {
    const home = newFolder({
      config: '[user]\n\tname = Ada L\n\temail = ada@example.org\n[core]\n\texcludesFile = ~/list\n',
      list: '*.swp\n',
    });
    const app = newApp();
    put(app, { 'x.swp': 'x', '.git/info/exclude': 'mine/\n', 'mine/y': 'y' });
    process.env['HOME'] = home;
    process.env['GIT_CONFIG_GLOBAL'] = join(home, 'config');
    try {
      await editFile(
        app,
        'a.txt',
        'x',
        (await import('../../../packages/desktop-agent/src/server/changes/app-files.ts')).hashOf('one\ntwo\nthree\n'),
      );
    } finally {
      Object.assign(process.env, { HOME: gitEnv.HOME, GIT_CONFIG_GLOBAL: '/nonexistent' });
    }
    expect(git(app, 'log', '-1', '--format=%an <%ae>').trim()).toBe('Ada L <ada@example.org>');
    expect(subjects(app)).toEqual(['Edit a.txt', 'first']);
  });

  it('carry the name that the person has given git for folders like this one, as git would', async () => {
    const app = newApp();
    const parent = dirname(app);
    const home = newFolder({
      config: [
        '[user]\n\tname = Ada\n\temail = ada@example.org',
        '[includeIf "gitdir:~/elsewhere/"]\n\tpath = other',
        `[includeIf "gitdir/i:${parent.toUpperCase()}/"]\n\tpath = "~/work"`,
        '[include]\n\tpath = missing\n[core]\n\teditor = x',
      ].join('\n'),
      other: '[user]\n\tname = Nobody\n',
      work: '[include]\n\tpath = ./deeper ; beside it\n[user]\n\temail = ada@work.example\n',
      deeper: '[user]\n\temail = not@this.example\n\tname = Ada at Work\n',
    });
    const env = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_GLOBAL: join(home, 'config') };
    Object.assign(process.env, env);
    const asGit = (key: string): string =>
      execFileSync('git', ['-C', app, 'config', key], { env, encoding: 'utf8' }).trim();
    try {
      const author = await authorOf(await openRepository(app));
      expect(author).toEqual({ name: asGit('user.name'), email: asGit('user.email') });
      expect(author).toEqual({ name: 'Ada at Work', email: 'ada@work.example' });
      put(home, { deeper: '[include]\n\tpath = deeper\n[user]\n\tname = In a circle\n' });
      expect((await authorOf(await openRepository(app))).name).toBe('In a circle');
    } finally {
      Object.assign(process.env, { HOME: gitEnv.HOME, GIT_CONFIG_GLOBAL: '/nonexistent' });
    }
  });

  async function applied(app: string, changes: Parameters<typeof propose>[1]['changes']): Promise<string> {
    const { plan } = await propose(app, { summary: 'Turn', changes, dependencies: [], commands: [] });
    return (await applyPlan(app, plan as Plan)).commit as string;
  }

  function mktree(app: string, text: string): string {
    writeFileSync(join(app, '.git/tree.txt'), text);
    return git(app, '-c', 'core.protectHFS=false', '-c', 'alias.mk=!git mktree < .git/tree.txt', 'mk').trim();
  }
});

describe('writers of one app', () => {
  it('of this program wait for each other', async () => {
    const app = newApp();
    const order: string[] = [];
    const writer = (name: string) =>
      asWriter(app, {}, async () => {
        order.push(`${name} in`);
        await Promise.resolve();
        order.push(`${name} out`);
      });
    await Promise.all(['1', '2', '3'].map(writer));
    // In which order they come is nobody's promise: only that no two are in.
    expect(order.toSorted()).toEqual(['1 in', '1 out', '2 in', '2 out', '3 in', '3 out']);
    for (const at of [0, 2, 4]) expect(order[at + 1]).toBe(order[at]?.replace('in', 'out'));
  });

  it('of another program are told who writes, and take over from a dead one what it has cut', async () => {
    const app = newApp();
    const holder = await hold(app);
    await expect(asWriter(app, { waitMs: 1 }, async () => {})).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringMatching(new RegExp(`process ${holder.pid}\\) has been changing this app since \\d{4}-`)),
    });
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    expect(await recover(app)).toEqual({ outcome: 'nothing', notes: [] });
    await editFile(app, 'b', 'x', null);
    expect(readdirSync(join(app, '.git/mustard-agent/.lock'))).toEqual([]);
    expect(state(app)).toEqual(good);
  });

  async function hold(app: string): Promise<ChildProcess> {
    const child = fork(fileURLToPath(new URL('fixtures/holder.mjs', import.meta.url)), [app]);
    await once(child, 'message');
    return child;
  }
});
