// Branches, with git itself as the judge.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createBranch,
  createChatBranch,
  deleteBranch,
  mergeBranch,
  readGit,
  rememberJoin,
  restoreBranch,
  switchBranch,
  undoJoin,
} from '../../../packages/desktop-agent/src/server/git/index.ts';
import { recover } from '../../../packages/desktop-agent/src/server/changes/index.ts';
import { hashOf } from '../../../packages/desktop-agent/src/server/changes/app-files.ts';
import { Staging, type Journal } from '../../../packages/desktop-agent/src/server/changes/journal.ts';
import { openRepository } from '../../../packages/desktop-agent/src/server/git/repository.ts';
import {
  filesOf,
  git,
  good,
  hideOwnGit,
  newApp,
  newFolder,
  put,
  removeFolders,
  state,
  subjects,
} from '../changes/apps.ts';
import { commit, head, options } from './team.ts';

hideOwnGit();
afterAll(removeFolders);

const current = (app: string): string => git(app, 'symbolic-ref', '--short', 'HEAD').trim();

/** An app on main, with a branch `other` that has a commit more. */
function twoBranches(changes: Record<string, string> = { 'a.txt': 'other\n', 'in/new.txt': 'new\n' }): string {
  const app = newApp({ 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' });
  git(app, 'switch', '-qc', 'other');
  commit(app, changes, 'on other');
  git(app, 'switch', '-q', 'main');
  return app;
}

describe('a new branch', () => {
  it('is made of the last commit and switched to; what is not committed stays as it is', async () => {
    const app = newApp();
    put(app, { 'a.txt': 'mine\n', 'b.txt': 'new\n' });
    await createBranch(app, 'feature/täst');
    expect([current(app), head(app)]).toEqual(['feature/täst', head(app, 'main')]);
    expect(filesOf(app)).toMatchObject({ 'a.txt': 'mine\n', 'b.txt': 'new\n' });
    expect(state(app)).toEqual({ ...good, status: ' M a.txt\n?? b.txt\n' });
  });

  it.each([
    'main',
    'MAIN',
    'main/x',
    '-x',
    '--help',
    'a..b',
    'a b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    '*',
    'a[',
    'a\\b',
    '/a',
    'a/',
    'a//b',
    '.a',
    'a/.b',
    'a.',
    'a.lock',
    'a.lock/b',
    '@',
    'a@{1}',
    'HEAD',
    'a\nb',
    'a\u202Eb',
    '../../config',
    'x'.repeat(201),
  ])('with the name %j is refused', async (name) => {
    const app = newApp();
    await expect(createBranch(app, name)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(git(app, 'for-each-ref', '--format=%(refname)').trim()).toBe('refs/heads/main');
    expect(current(app)).toBe('main');
  });

  it('of a chat has its title as the name, and another one each time', async () => {
    const app = newApp();
    expect(await createChatBranch(app, 'Fehler am Montag: "Größe" & <b>Läden</b>')).toBe(
      'mustard/fehler-am-montag-gro-e-b-laden-b',
    );
    expect(await createChatBranch(app, '../../etc; rm -rf')).toBe('mustard/etc-rm-rf');
    expect(await createChatBranch(app, '\u{1F600}')).toBe('mustard/chat');
    expect(await createChatBranch(app, '---')).toBe('mustard/chat-2');
    for (const name of git(app, 'for-each-ref', '--format=%(refname)').trim().split('\n')) {
      git(app, 'check-ref-format', name);
    }
  });

  it('of a detached HEAD keeps its commits; without a commit there is none', async () => {
    const app = newApp();
    git(app, 'switch', '-q', '--detach');
    await createBranch(app, 'kept');
    expect(current(app)).toBe('kept');
    const unborn = newFolder();
    git(unborn, 'init', '-qb', 'main');
    await expect(createBranch(unborn, 'x')).rejects.toMatchObject({ code: 'busy' });
  });
});

describe('switching', () => {
  it('brings the files of the branch, and those of the other back', async () => {
    const app = twoBranches();
    const before = filesOf(app);
    await switchBranch(app, 'other');
    expect([current(app), filesOf(app)]).toEqual(['other', { ...before, 'a.txt': 'other\n', 'in/new.txt': 'new\n' }]);
    expect(state(app)).toEqual(good);
    await switchBranch(app, 'main');
    expect([current(app), filesOf(app)]).toEqual(['main', before]);
    expect(existsSync(join(app, 'in'))).toBe(false);
    expect(state(app)).toEqual(good);
  });

  it('commits what the person has changed on the branch that they leave', async () => {
    const app = twoBranches();
    put(app, { 'a.txt': 'mine\n', 'in/new.txt': 'mine, too\n' });
    await switchBranch(app, 'other');
    expect(filesOf(app)).toMatchObject({ 'a.txt': 'other\n', 'in/new.txt': 'new\n' });
    expect(state(app)).toEqual(good);
    await switchBranch(app, 'main');
    expect(filesOf(app)).toMatchObject({ 'a.txt': 'mine\n', 'in/new.txt': 'mine, too\n' });
    expect(subjects(app)).toEqual(['Changes made by hand - 2 file(s)', 'first']);
  });

  it('overwrites nothing that git does not know, and commits nothing then', async () => {
    const app = twoBranches({ '.gitignore': '' });
    git(app, 'switch', '-q', 'other');
    put(app, { '.env': 'theirs' });
    git(app, 'add', '-f', '.env');
    git(app, 'commit', '-qm', 'secret');
    git(app, 'switch', '-q', 'main');
    put(app, { '.env': 'SECRET=1', 'a.txt': 'mine\n' });
    const told = { code: 'changed', message: expect.stringMatching(/^\.env would be overwritten/) };
    await expect(switchBranch(app, 'other')).rejects.toMatchObject(told);
    expect([current(app), subjects(app)]).toEqual(['main', ['first']]);
    expect(filesOf(app)).toMatchObject({ '.env': 'SECRET=1', 'a.txt': 'mine\n' });
  });

  it('to no branch, or away from a HEAD that nothing names, is refused', async () => {
    const app = twoBranches();
    await expect(switchBranch(app, 'gone')).rejects.toMatchObject({ code: 'not_found' });
    await expect(switchBranch(app, '-f')).rejects.toMatchObject({ code: 'invalid_request' });
    git(app, 'switch', '-q', '--detach');
    commit(app, { 'c.txt': 'c\n' }, 'on nothing');
    await expect(switchBranch(app, 'other')).rejects.toMatchObject({ code: 'busy' });
  });

  it('by two windows at once ends on one of the branches, as it is', async () => {
    const app = twoBranches();
    git(app, 'branch', 'third');
    await Promise.all([switchBranch(app, 'other'), switchBranch(app, 'third'), switchBranch(app, 'main')]);
    expect(['other', 'third', 'main']).toContain(current(app));
    expect(state(app)).toEqual(good);
  });

  it('that was cut before or after HEAD moved is taken back or done', async () => {
    for (const isDone of [false, true]) {
      const app = twoBranches({ 'a.txt': 'other\n' });
      const staging = new Staging(await openRepository(app));
      const old = 'one\ntwo\nthree\n';
      put(staging.folder, { 'old/0': old });
      const journal: Journal = {
        version: 1,
        prefix: '',
        head: { ref: 'refs/heads/main', commit: head(app, 'main') },
        commit: head(app, 'other'),
        to: 'refs/heads/other',
        steps: [{ path: 'a.txt', old: hashOf(old), new: hashOf('other\n') }],
        folders: [],
        modules: null,
        own: true,
      };
      await staging.write(journal);
      put(app, { 'a.txt': 'other\n' });
      if (isDone) {
        git(app, 'symbolic-ref', 'HEAD', 'refs/heads/other');
        git(app, 'add', 'a.txt');
      }
      expect((await recover(app)).outcome).toBe(isDone ? 'finished' : 'taken-back');
      expect([current(app), filesOf(app)['a.txt']]).toEqual(isDone ? ['other', 'other\n'] : ['main', old]);
      expect(state(app)).toEqual(good);
    }
  });

  it('back to a branch that the other one has, and was cut, is taken back', async () => {
    const app = twoBranches({ 'a.txt': 'other\n' });
    git(app, 'switch', '-q', 'other');
    const staging = new Staging(await openRepository(app));
    put(staging.folder, { 'old/0': 'other\n' });
    // HEAD has the commit of main already, so its history does not tell whether it was switched.
    const journal: Journal = {
      version: 1,
      prefix: '',
      head: { ref: 'refs/heads/other', commit: head(app) },
      commit: head(app, 'main'),
      to: 'refs/heads/main',
      steps: [{ path: 'a.txt', old: hashOf('other\n'), new: hashOf('one\ntwo\nthree\n') }],
      folders: [],
      modules: null,
      own: true,
    };
    await staging.write(journal);
    put(app, { 'a.txt': 'one\ntwo\nthree\n' });
    expect((await recover(app)).outcome).toBe('taken-back');
    expect(filesOf(app)['a.txt']).toBe('other\n');
    expect(state(app)).toEqual(good);
  });

  it('of a package is of its whole repository', async () => {
    const app = newApp({ 'packages/web/a.txt': 'a\n', 'packages/api/b.txt': 'b\n' });
    git(app, 'switch', '-qc', 'other');
    commit(app, { 'packages/api/b.txt': 'other\n' }, 'on other');
    await switchBranch(join(app, 'packages/web'), 'main');
    expect([current(app), filesOf(app)['packages/api/b.txt']]).toEqual(['main', 'b\n']);
    expect(state(app)).toEqual(good);
  });
});

describe('merging and deleting', () => {
  it('a branch goes on to the other, which can then be deleted, and both be taken back', async () => {
    const app = twoBranches();
    const [before, other] = [head(app), head(app, 'other')];
    const branch = { name: 'other', commit: other };
    expect((await readGit(app, options())).branches).toEqual([{ ...branch, merged: false }]);
    await expect(deleteBranch(app, branch)).rejects.toMatchObject({ code: 'denied' });
    const joined = await mergeBranch(app, branch, options());
    expect(joined).toEqual({ outcome: 'joined', commit: other, before, merged: false, files: 2 });
    expect((await readGit(app, options())).branches).toEqual([{ ...branch, merged: true }]);
    await deleteBranch(app, branch);
    expect(git(app, 'branch', '--format=%(refname:short)').trim()).toBe('main');
    await restoreBranch(app, branch);
    expect(head(app, 'other')).toBe(other);
    await rememberJoin(app, joined);
    await undoJoin(app, other, {});
    expect(head(app)).toBe(before);
    expect(state(app)).toEqual(good);
  });

  it('both sides are merged, or nothing is changed and the files are named', async () => {
    const app = twoBranches({ 'b.txt': 'other\n' });
    commit(app, { 'a.txt': 'mine\n' }, 'mine');
    const other = { name: 'other', commit: head(app, 'other') };
    expect(await mergeBranch(app, other, options())).toMatchObject({ outcome: 'joined', merged: true });
    expect(subjects(app)[0]).toBe("Merge branch 'other'");
    expect(filesOf(app)).toMatchObject({ 'a.txt': 'mine\n', 'b.txt': 'other\n' });
    expect(state(app)).toEqual(good);
    const again = twoBranches({ 'b.txt': 'other\n' });
    commit(again, { 'b.txt': 'mine\n' }, 'mine');
    const before = head(again);
    const theirs = { name: 'other', commit: head(again, 'other') };
    expect(await mergeBranch(again, theirs, options())).toEqual({ outcome: 'conflicts', files: ['b.txt'] });
    expect([head(again), state(again)]).toEqual([before, good]);
  });

  it('another commit than was shown is neither merged nor deleted', async () => {
    const app = twoBranches();
    const shown = { name: 'other', commit: head(app) };
    await expect(mergeBranch(app, shown, options())).rejects.toMatchObject({ code: 'changed' });
    await expect(deleteBranch(app, shown)).rejects.toMatchObject({ code: 'changed' });
    await expect(deleteBranch(app, { ...shown, name: 'main' })).rejects.toMatchObject({ code: 'denied' });
    await expect(restoreBranch(app, { name: 'x', commit: 'f'.repeat(40) })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(restoreBranch(app, shown)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('works with packed refs, and a folder of branches goes with the last of them', async () => {
    const app = newApp();
    git(app, 'branch', 'team/one');
    git(app, 'pack-refs', '--all');
    const commit = head(app);
    expect((await readGit(app, options())).branches).toEqual([{ name: 'team/one', commit, merged: true }]);
    await deleteBranch(app, { name: 'team/one', commit });
    await createBranch(app, 'team/two');
    await switchBranch(app, 'main');
    await deleteBranch(app, { name: 'team/two', commit });
    await createBranch(app, 'team');
    expect(current(app)).toBe('team');
    expect(state(app)).toEqual(good);
  });

  it('a branch of a hostile repository is neither followed nor used', async () => {
    const app = newApp();
    put(app, { '.git/refs/heads/-evil': `${head(app)}\n`, '.git/refs/heads/link': 'ref: ../../../../etc/passwd\n' });
    put(app, { '.git/refs/heads/noise': 'not a commit\n' });
    expect((await readGit(app, options())).branches).toEqual([]);
    await expect(switchBranch(app, 'noise')).rejects.toMatchObject({ code: 'not_found' });
    await expect(switchBranch(app, 'link')).rejects.toMatchObject({ code: 'not_found' });
    rmSync(join(app, '.git/refs/heads/-evil'));
    expect(current(app)).toBe('main');
  });
});
