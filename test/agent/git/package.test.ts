// An app that is a folder of a repository above it: only its paths are looked at and changed there.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { hashOf } from '../../../packages/desktop-agent/src/server/changes/app-files.ts';
import {
  applyPlan,
  editFile,
  propose,
  recover,
  type Change,
  type Plan,
} from '../../../packages/desktop-agent/src/server/changes/index.ts';
import { wasInterrupted } from '../../../packages/desktop-agent/src/server/changes/interrupted.ts';
import { Staging } from '../../../packages/desktop-agent/src/server/changes/journal.ts';
import { listNames } from '../../../packages/desktop-agent/src/server/context/reading.ts';
import {
  initRepository,
  listVersions,
  readVersion,
  repositoryState,
  revertToVersion,
  undoCommit,
} from '../../../packages/desktop-agent/src/server/git/index.ts';
import { snapshotOf } from '../../../packages/desktop-agent/src/server/workspace/snapshot.ts';
import { changesOf } from '../../../packages/desktop-agent/src/server/workspace/take-over.ts';
import { commitOwnChanges } from '../../../packages/desktop-agent/src/server/git/commit.ts';
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

hideOwnGit();
afterAll(removeFolders);

const files = {
  'packages/web/a.txt': 'one\n',
  'packages/web/b.txt': 'one\n',
  'packages/api/a.txt': 'one\n',
  'top.txt': 'one\n',
};

function newPackage(more: Record<string, string> = {}): { root: string; app: string } {
  const root = newApp({ ...files, ...more });
  return { root, app: join(root, 'packages/web') };
}

const wanted = (changes: readonly Change[], dependencies: string[] = []) => ({
  summary: 'Change',
  changes,
  dependencies,
  commands: [],
});

async function apply(app: string, changes: readonly Change[]) {
  const { plan, proposal } = await propose(app, wanted(changes));
  if (plan === null) throw new Error(proposal.error);
  return await applyPlan(app, plan);
}

const filesIn = (root: string, commit: string): string =>
  git(root, 'show', '--name-status', '--format=', commit).trim();

/** Work of the person in all states, in the app and beside it. */
function atWork(root: string): void {
  put(root, {
    'top.txt': 'staged\n',
    'packages/api/a.txt': 'staged\n',
    'packages/web/b.txt': 'staged\n',
    'new.txt': 'x',
  });
  git(root, 'add', '-A');
  put(root, { 'packages/api/a.txt': 'unstaged\n', 'packages/web/b.txt': 'unstaged\n', 'untracked.txt': 'x' });
}

const work = (root: string): string[] =>
  ['diff', 'diff --cached', 'status --porcelain'].map((args) => git(root, ...args.split(' ')));

describe('a change of a package', () => {
  it('is one commit of its paths, and leaves what the person has staged and begun', async () => {
    const { root, app } = newPackage();
    atWork(root);
    const before = work(root);
    const { commit, personCommit, notes } = await apply(app, [
      { type: 'write', path: 'a.txt', content: 'two\n' },
      { type: 'write', path: 'sub/c.txt', content: 'new\n' },
    ]);
    expect([personCommit, notes]).toEqual([null, []]);
    expect(filesIn(root, commit as string)).toBe('M\tpackages/web/a.txt\nA\tpackages/web/sub/c.txt');
    expect(git(root, 'rev-parse', 'HEAD').trim()).toBe(commit);
    expect(work(root)).toEqual(before);
    expect(state(root).broken).toBe('');
    expect(existsSync(join(app, '.git'))).toBe(false);
  });

  it('has before it, by itself, what the person has changed in the same file, and nothing else of theirs', async () => {
    const { root, app } = newPackage();
    atWork(root);
    const { commit, personCommit } = await apply(app, [{ type: 'write', path: 'b.txt', content: 'two\n' }]);
    expect(filesIn(root, personCommit as string)).toBe('M\tpackages/web/b.txt');
    expect(git(root, 'show', `${personCommit}:packages/web/b.txt`)).toBe('unstaged\n');
    expect(filesIn(root, commit as string)).toBe('M\tpackages/web/b.txt');
    expect(git(root, 'diff', '--cached', '--name-only')).toBe('new.txt\npackages/api/a.txt\ntop.txt\n');
    expect(git(root, 'diff', '--name-only')).toBe('packages/api/a.txt\n');
  });

  it('that fails leaves files, index and commits as they were', async () => {
    const { root, app } = newPackage();
    atWork(root);
    const { plan } = await propose(app, wanted([{ type: 'write', path: 'b.txt', content: 'two\n' }]));
    put(app, { 'b.txt': 'once more\n' });
    const before = [...work(root), git(root, 'rev-parse', 'HEAD'), JSON.stringify(filesOf(root))];
    await expect(applyPlan(app, plan as Plan)).rejects.toMatchObject({ code: 'changed' });
    expect([...work(root), git(root, 'rev-parse', 'HEAD'), JSON.stringify(filesOf(root))]).toEqual(before);
  });

  it('leads nowhere above the package', async () => {
    const { root, app } = newPackage();
    for (const path of ['../api/a.txt', join(root, 'top.txt'), '../../.git/hooks/pre-commit', 'sub/../../api/a.txt']) {
      const { plan } = await propose(app, wanted([{ type: 'write', path, content: 'x' }]));
      expect(plan, path).toBe(null);
    }
    expect(state(root)).toEqual(good);
  });

  it('runs no program that the repository names', async () => {
    const { root, app } = newPackage({ '.gitattributes': '*.md filter=evil\n' });
    const mark = join(newFolder(), 'ran');
    for (const hook of ['pre-commit', 'post-commit', 'commit-msg', 'post-index-change', 'reference-transaction']) {
      put(root, { [`.git/hooks/${hook}`]: `#!/bin/sh\ntouch ${mark}\n` });
      chmodSync(join(root, '.git/hooks', hook), 0o755);
    }
    const settings = {
      'core.fsmonitor': 1,
      'filter.evil.clean': 1,
      'gpg.program': 1,
      'core.editor': 1,
      'diff.external': 1,
    };
    for (const key of Object.keys(settings)) git(root, 'config', key, `touch ${mark}`);
    git(root, 'config', 'commit.gpgSign', 'true');
    const { commit } = await apply(app, [{ type: 'write', path: 'a.txt', content: 'two\n' }]);
    await editFile(app, 'a.txt', 'three\n', hashOf('two\n'));
    await undoCommit(app, (await listVersions(app)).versions[0]?.commit as string);
    await revertToVersion(app, (await listVersions(app)).versions.at(-1)?.commit as string);
    expect(commit).not.toBe(null);
    expect(existsSync(mark)).toBe(false);
    // The filter of the folder above holds for the package.
    await expect(apply(app, [{ type: 'write', path: 'x.md', content: 'x' }])).rejects.toMatchObject({ code: 'denied' });
  });

  it('of two apps of one repository at once is two commits', async () => {
    const { root, app } = newPackage();
    const other = join(root, 'packages/api');
    const edits = Array.from({ length: 6 }, (_, index) => editFile(index % 2 ? app : other, `${index}.txt`, 'x', null));
    await Promise.all(edits);
    expect(subjects(root).filter((subject) => /^Edit packages\/(web|api)\/\d\.txt$/.test(subject))).toHaveLength(6);
    expect(state(root)).toEqual(good);
  });

  it('that deletes its last file can be taken back', async () => {
    const { root, app } = newPackage();
    const deletions = ['a.txt', 'b.txt'].map((path): Change => ({ type: 'delete', path }));
    const { commit } = await apply(app, deletions);
    expect(filesOf(app)).toEqual({});
    await undoCommit(app, commit as string);
    expect(Object.keys(filesOf(app))).toEqual(['a.txt', 'b.txt']);
    expect(state(root)).toEqual(good);
  });

  it('installs no packages where a folder above is the workspace', async () => {
    const { app } = newPackage({ 'package.json': '{"workspaces":["packages/*"]}', 'packages/web/package.json': '{}' });
    const { plan, proposal } = await propose(app, wanted([], ['zod']));
    expect([plan, proposal.error]).toEqual([null, expect.stringContaining('part of the workspace')]);
  });
});

describe('versions of a package', () => {
  it('are the commits that changed it, with what each changed of it', async () => {
    const { root, app } = newPackage();
    put(root, { 'top.txt': 'two\n' });
    git(root, 'commit', '-qam', 'elsewhere');
    put(root, { 'top.txt': 'three\n', 'packages/web/a.txt': 'two\n' });
    git(root, 'commit', '-qam', 'both');
    git(root, 'switch', '-qc', 'side', 'HEAD~2');
    put(root, { 'packages/web/b.txt': 'side\n' });
    git(root, 'commit', '-qam', 'side');
    git(root, 'switch', '-q', 'main');
    git(root, 'merge', '-q', '--no-edit', 'side');
    git(root, 'gc', '-q');
    const { versions, more } = await listVersions(app);
    expect(more).toBe(false);
    expect(versions.map(({ message }) => message).sort()).toEqual(["Merge branch 'side'", 'both', 'first', 'side']);
    const both = versions.find(({ message }) => message === 'both');
    const { files: shown } = await readVersion(app, both?.commit as string);
    expect(shown.map(({ path }) => path)).toEqual(['a.txt']);
    expect(await listVersions(join(root, 'packages/api'))).toMatchObject({ versions: [{ message: 'first' }] });
    expect(await listVersions(app, { limit: 3 })).toMatchObject({ versions: [{}, {}, {}], more: true });
  });

  it('of a shallow clone end where it ends, and the last one has all of its files', async () => {
    const { root } = newPackage();
    for (const content of ['two\n', 'three\n']) {
      put(root, { 'packages/web/a.txt': content });
      git(root, 'commit', '-qam', content.trim());
    }
    const clone = join(newFolder(), 'clone');
    git(root, 'clone', '-q', '--depth', '2', `file://${root}`, clone);
    for (const app of [join(clone, 'packages/web'), clone]) {
      const { versions, more } = await listVersions(app);
      expect([versions.map(({ message }) => message), more]).toEqual([['three', 'two'], false]);
      const last = await readVersion(app, versions[1]?.commit as string);
      expect(last.files.map(({ change }) => change)).toEqual(Array(app === clone ? 4 : 2).fill('added'));
      await expect(undoCommit(app, versions[1]?.commit as string)).rejects.toMatchObject({ code: 'not_found' });
      await revertToVersion(app, versions[1]?.commit as string);
      expect(filesOf(clone)).toMatchObject({ 'packages/web/a.txt': 'two\n', 'top.txt': 'one\n' });
      git(clone, 'reset', '-q', '--hard', 'HEAD~1');
    }
  });

  it('are gone back to and taken back within the package', async () => {
    const { root, app } = newPackage();
    const [first] = (await listVersions(app)).versions;
    put(root, { 'top.txt': 'two\n', 'packages/web/a.txt': 'two\n', 'packages/web/c.txt': 'new\n' });
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'both');
    const [both] = (await listVersions(app)).versions;
    put(root, { 'packages/api/a.txt': 'begun\n', 'packages/web/b.txt': 'begun\n' });
    const back = await revertToVersion(app, first?.commit as string);
    expect(filesIn(root, back.commit)).toBe('M\tpackages/web/a.txt\nM\tpackages/web/b.txt\nD\tpackages/web/c.txt');
    expect(filesIn(root, `${back.commit}~1`)).toBe('M\tpackages/web/b.txt');
    expect(filesOf(root)).toMatchObject({ ...files, 'top.txt': 'two\n', 'packages/api/a.txt': 'begun\n' });
    expect(git(root, 'status', '--porcelain')).toBe(' M packages/api/a.txt\n');
    await revertToVersion(app, both?.commit as string);
    const undone = await undoCommit(app, both?.commit as string);
    expect(filesIn(root, undone.commit)).toBe('M\tpackages/web/a.txt\nD\tpackages/web/c.txt');
    expect(filesOf(root)).toMatchObject({ 'top.txt': 'two\n', 'packages/api/a.txt': 'begun\n' });
  });
});

describe('what a package is not', () => {
  it('is a file that a folder above ignores', async () => {
    const { root, app } = newPackage({
      '.gitignore': 'dist\n/packages/*/tmp\n',
      'packages/.gitignore': '*.log\n!keep.log\n',
    });
    put(root, { '.git/info/exclude': '*.bak\n' });
    put(app, { 'dist/x.js': '1', 'tmp/x': '1', 'x.log': '1', 'keep.log': '1', 'x.bak': '1', 'sub/c.txt': '1' });
    const names = listNames(app).files;
    expect(names).toEqual(['a.txt', 'b.txt', 'keep.log', 'sub/c.txt', 'x.bak']);
    await commitOwnChanges(await openRepository(app));
    expect(filesIn(root, 'HEAD')).toBe('A\tpackages/web/keep.log\nA\tpackages/web/sub/c.txt');
    const { notes } = await apply(app, [{ type: 'write', path: 'dist/y.js', content: '1' }]);
    expect(notes).toEqual([expect.stringContaining('git ignores it')]);
    expect(state(root)).toEqual(good);
  });

  it('is what a command has built in a copy of it, and a folder above ignores', async () => {
    const { app } = newPackage({ '.gitignore': 'dist\n' });
    const base = await snapshotOf(app, app);
    const workspace = newFolder({ ...filesOf(app), 'a.txt': 'two\n', 'dist/x.js': '1' });
    const { changes, notes } = await changesOf({ workspace, app, base });
    expect([changes.map((change) => change.type === 'write' && change.path), notes]).toEqual([['a.txt'], []]);
  });

  it('is a folder that the repository above has no file of: it may be a home folder', async () => {
    const root = newApp({ 'a.txt': '1' });
    put(root, { '.gitignore': '*\n', 'mine/a.txt': '1' });
    const app = join(root, 'mine');
    expect(await repositoryState(app)).toMatchObject({ ready: false, reason: expect.stringContaining('no git') });
    expect(listNames(app).files).toEqual(['a.txt']);
    expect((await initRepository(app)).notes).toEqual([expect.stringContaining(`lies in the repository ${root}`)]);
    expect(subjects(app)).toEqual(['Begin the history of this app']);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'is a folder below the repository of another user, who could read it there',
    async () => {
      const { root, app } = newPackage();
      chownSync(join(root, '.git'), 12_345, 12_345);
      expect(await repositoryState(app)).toMatchObject({ ready: false, reason: expect.stringContaining('no git') });
      await expect(editFile(app, 'a.txt', 'mine', hashOf('one\n'))).rejects.toMatchObject({ code: 'no_git' });
    },
  );

  it.each([
    [
      'a worktree',
      (root: string, at: string) => void git(root, 'worktree', 'add', '-q', at),
      /worktree or a submodule/,
    ],
    [
      'a link',
      (root: string, at: string) => (
        mkdirSync(join(at, 'packages/web'), { recursive: true }),
        symlinkSync(join(root, '.git'), join(at, '.git'))
      ),
      /is a link/,
    ],
  ])('in %s is told so, and gets no history in it', async (_, make, why) => {
    const { root } = newPackage();
    const at = join(newFolder(), 'tree');
    make(root, at);
    const app = join(at, 'packages/web');
    expect(await repositoryState(app)).toMatchObject({ ready: false, reason: expect.stringMatching(why) });
    await expect(initRepository(app)).rejects.toMatchObject({ code: 'no_git' });
    expect(existsSync(join(app, '.git'))).toBe(false);
  });

  it('is one whose repository has an index of a version that is not known', async () => {
    const { root, app } = newPackage();
    git(root, 'update-index', '--index-version', '4');
    await expect(initRepository(app)).resolves.toMatchObject({ notes: [] });
    await expect(editFile(app, 'c.txt', 'x', null)).rejects.toMatchObject({ code: 'no_git' });
    expect([existsSync(join(app, '.git')), existsSync(join(app, 'c.txt'))]).toEqual([false, false]);
  });

  it('is one whose repository is in the middle of a merge', async () => {
    const { root, app } = newPackage();
    put(root, { '.git/MERGE_HEAD': git(root, 'rev-parse', 'HEAD') });
    await expect(editFile(app, 'c.txt', 'x', null)).rejects.toMatchObject({ code: 'busy' });
    rmSync(join(root, '.git/MERGE_HEAD'));
    await editFile(app, 'c.txt', 'x', null);
  });
});

describe('a change of a package that was cut off', () => {
  /** The journal of a change of `a.txt`, as a kill leaves it before HEAD has moved. */
  async function cutOff(root: string, content: string | null): Promise<void> {
    const staging = new Staging(await openRepository(join(root, 'packages/web')));
    put(staging.folder, { 'old/0': 'one\n' });
    await staging.write({
      version: 1,
      prefix: 'packages/web/',
      head: { ref: 'refs/heads/main', commit: git(root, 'rev-parse', 'HEAD').trim() },
      commit: 'f'.repeat(40),
      steps: [{ path: 'a.txt', old: hashOf('one\n'), new: content === null ? null : hashOf(content) }],
      folders: [],
      modules: null,
      own: false,
    });
  }

  it('is ended by the next writer of another package, in the first and not in its own', async () => {
    const { root, app } = newPackage();
    const other = join(root, 'packages/api');
    await cutOff(root, 'new\n');
    put(root, { 'packages/web/a.txt': 'new\n', 'packages/api/a.txt': 'new\n' });
    git(root, 'add', 'packages/web');
    expect([wasInterrupted(app), wasInterrupted(other)]).toEqual([true, true]);
    expect((await recover(other)).outcome).toBe('taken-back');
    expect(filesOf(root)).toEqual({ ...files, 'packages/api/a.txt': 'new\n' });
    expect(git(root, 'status', '--porcelain')).toBe(' M packages/api/a.txt\n');
    expect([wasInterrupted(app), wasInterrupted(other)]).toEqual([false, false]);
  });

  it('is kept aside where the folder of its app has become a link', async () => {
    const { root, app } = newPackage();
    await cutOff(root, 'new\n');
    const elsewhere = newFolder({ 'a.txt': 'new\n' });
    renameSync(app, join(root, 'moved'));
    symlinkSync(elsewhere, app);
    const { outcome, notes } = await recover(join(root, 'packages/api'));
    expect([outcome, notes]).toEqual(['nothing', [expect.stringContaining('no longer exists')]]);
    expect(filesOf(elsewhere)).toEqual({ 'a.txt': 'new\n' });
  });

  it('while its last file was deleted is taken back, though the index names none of it any more', async () => {
    const { root, app } = newPackage();
    const { commit } = await apply(app, [{ type: 'delete', path: 'b.txt' }]);
    await cutOff(root, null);
    git(root, 'rm', '-q', 'packages/web/a.txt');
    mkdirSync(app, { recursive: true });
    expect((await recover(app)).outcome).toBe('taken-back');
    expect([filesOf(app), git(root, 'rev-parse', 'HEAD').trim()]).toEqual([{ 'a.txt': 'one\n' }, commit]);
    expect(state(root)).toEqual(good);
  });
});

it('a package of a repository with an index of 900 MB is refused, and the index is not read', async () => {
  const { root, app } = newPackage();
  execFileSync('truncate', ['-s', '900M', join(root, '.git/index')]);
  const before = process.memoryUsage.rss();
  await expect(editFile(app, 'a.txt', 'x', hashOf('one\n'))).rejects.toMatchObject({ code: 'limit_exceeded' });
  expect(process.memoryUsage.rss() - before).toBeLessThan(300_000_000);
});
