import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import {
  applyPlan,
  editFile,
  propose,
  readFile,
  wantedBy,
  type Plan,
  type Wanted,
} from '../../../packages/desktop-agent/src/server/changes/index.ts';
import { parseTags } from '../../../packages/desktop-agent/src/shared/tags/parse.ts';
import { merge } from '../../../packages/desktop-agent/src/server/changes/merge.ts';
import { overlayOfPlan } from '../../../packages/desktop-agent/src/server/turns/proposals/plan-overlay.ts';
import { sourceOf } from '../../../packages/desktop-agent/src/server/context/overlay.ts';
import { runs } from '../../full.ts';
import { commitOwnChanges } from '../../../packages/desktop-agent/src/server/git/commit.ts';
import { openRepository } from '../../../packages/desktop-agent/src/server/git/repository.ts';
import { filesOf, git, good, hideOwnGit, newApp, put, removeFolders, state, subjects } from './apps.ts';

hideOwnGit();
afterAll(removeFolders);

const wanted = (changes: Wanted['changes'], more: Partial<Wanted> = {}): Wanted => ({
  summary: 'Do it',
  changes,
  dependencies: [],
  commands: [],
  ...more,
});

async function planOf(app: string, changes: Wanted['changes'], more: Partial<Wanted> = {}): Promise<Plan> {
  const { plan, proposal } = await propose(app, wanted(changes, more));
  expect(proposal.error).toBeUndefined();
  return plan as Plan;
}

describe('an approved change', () => {
  it('writes, renames and deletes in one commit', async () => {
    const app = newApp({
      'a.txt': 'one\ntwo\n',
      'old/name.txt': 'same\n',
      'gone.txt': 'x',
      'bin.dat': Buffer.from([0, 1, 2]),
    });
    const answer = [
      '<agent-write path="a.txt">\none\n2\n</agent-write>',
      '<agent-write path="src/new/b.ts">\r\nexport {};\r\n</agent-write>',
      '<agent-rename from="old/name.txt" to="new-name.txt"></agent-rename>',
      '<agent-rename from="bin.dat" to="data/bin.dat"></agent-rename>',
      '<agent-delete path="gone.txt"></agent-delete>',
      '<agent-chat-summary>Tidy up</agent-chat-summary>',
    ].join('\n');
    const { plan, proposal } = await propose(app, wantedBy(parseTags(answer)));
    expect(proposal).toMatchObject({ state: 'pending', summary: 'Tidy up' });
    expect(proposal.files).toMatchObject([
      { path: 'new-name.txt', from: 'old/name.txt', change: 'renamed', added: 0, removed: 0 },
      { path: 'data/bin.dat', from: 'bin.dat', change: 'renamed', hidden: 'binary' },
      { path: 'a.txt', change: 'changed', added: 1, removed: 1 },
      { path: 'src/new/b.ts', change: 'added', added: 1, removed: 0 },
      { path: 'gone.txt', change: 'deleted', added: 0, removed: 1 },
    ]);
    const applied = await applyPlan(app, plan as Plan);
    expect(filesOf(app)).toEqual({
      'a.txt': 'one\n2\n',
      'data/bin.dat': '\0\x01\x02',
      'new-name.txt': 'same\n',
      'src/new/b.ts': 'export {};\r\n',
    });
    expect(existsSync(join(app, 'old'))).toBe(false);
    expect(state(app)).toEqual(good);
    expect(subjects(app)).toEqual(['[agent] Tidy up - wrote 2 file(s), renamed 2 file(s), deleted 1 file(s)', 'first']);
    expect(git(app, 'rev-parse', 'HEAD').trim()).toBe(applied.commit);
    expect(git(app, 'log', '-1', '--format=%an <%ae>').trim()).toBe('Mustard Agent <mustard-agent@localhost>');
    expect(readdirSync(join(app, '.git/mustard-agent')).filter((name) => name !== '.lock')).toEqual(['tmp']);
  });

  it('renames and deletes folders with what is in them, but for links and secrets', async () => {
    const app = newApp({ 'src/a.ts': '1', 'src/in/b.ts': '2', 'old/c.ts': '3', 'old/.env': 'S=1', 'keep.ts': '4' });
    const plan = await planOf(app, [
      { type: 'rename', from: './src/', to: 'lib/core' },
      { type: 'delete', path: 'old/' },
    ]);
    await applyPlan(app, plan);
    expect(filesOf(app)).toEqual({ 'keep.ts': '4', 'lib/core/a.ts': '1', 'lib/core/in/b.ts': '2', 'old/.env': 'S=1' });
    expect(subjects(app)[0]).toBe('[agent] Do it - renamed 2 file(s), deleted 1 file(s)');
    expect(state(app)).toEqual(good);
  });

  it('keeps what a person had changed in a commit of its own, and leaves secrets and ignored files alone', async () => {
    const app = newApp({ 'a.txt': '1\n', 'b.txt': '1\n', '.gitignore': 'ignored/\n*.log\n!keep.log\n' });
    put(app, {
      'a.txt': 'mine\n',
      'new.txt': 'mine\n',
      '.env': 'KEY=1\n',
      'ignored/x': '1',
      'x.log': '1',
      'keep.log': '1',
    });
    rmSync(join(app, 'b.txt'));
    const { notes, commit } = await commitOwnChanges(await openRepository(app));
    expect(subjects(app)).toEqual(['Changes made by hand - 4 file(s)', 'first']);
    expect(git(app, 'show', '--name-status', '--format=', commit as string)).toBe(
      'M\ta.txt\nD\tb.txt\nA\tkeep.log\nA\tnew.txt\n',
    );
    expect(git(app, 'show', `${commit}:a.txt`)).toBe('mine\n');
    expect(notes).toEqual(['.env was not committed: its name is that of a secret.']);
    expect(state(app)).toEqual({ ...good, status: '?? .env\n' });
    expect(filesOf(app)).toMatchObject({ '.env': 'KEY=1\n', 'ignored/x': '1', 'x.log': '1' });
  });

  it('has in a commit of their own what a person had changed in its files, and nothing else of theirs', async () => {
    const app = newApp({ 'a.txt': '1\n', 'b.txt': '1\n', 'd/c.txt': '1\n', 'd/e.txt': '1\n' });
    put(app, { 'a.txt': 'mine\n', 'b.txt': 'half done\n', 'd/c.txt': 'staged\n', 'new.txt': 'mine\n' });
    git(app, 'add', 'd/c.txt');
    rmSync(join(app, 'd/e.txt'));
    const before = git(app, 'status', '--porcelain').split('\n');
    const changes: Wanted['changes'] = [
      { type: 'write', path: 'a.txt', content: 'agent\n' },
      { type: 'write', path: 'd/f.txt', content: 'agent\n' },
    ];
    const { personCommit, commit, notes } = await applyPlan(app, await planOf(app, changes));
    expect(subjects(app)).toEqual(['[agent] Do it - wrote 2 file(s)', 'Changes made by hand - 1 file(s)', 'first']);
    expect(git(app, 'show', '--name-status', '--format=', personCommit as string)).toBe('M\ta.txt\n');
    expect(git(app, 'show', '--name-status', '--format=', commit as string)).toBe('M\ta.txt\nA\td/f.txt\n');
    expect(notes).toEqual([]);
    expect(git(app, 'status', '--porcelain').split('\n')).toEqual(before.filter((line) => line !== ' M a.txt'));
    expect(state(app).broken).toBe('');
  });

  it('that fails has not committed what a person had half done', async () => {
    const app = newApp({ 'a.txt': '1\n', 'b.txt': '1\n' });
    put(app, { 'a.txt': 'half done\n' });
    const plan = await planOf(app, [
      { type: 'write', path: 'a.txt', content: 'agent\n' },
      { type: 'write', path: 'late.txt', content: '2' },
    ]);
    const before = git(app, 'status', '--porcelain');
    // An empty folder: git does not see it, and the last rename fails on it.
    mkdirSync(join(app, 'late.txt'));
    await expect(applyPlan(app, plan)).rejects.toMatchObject({ code: 'unsafe_path' });
    expect(subjects(app)).toEqual(['first']);
    expect(git(app, 'status', '--porcelain')).toBe(before);
    expect(filesOf(app)).toMatchObject({ 'a.txt': 'half done\n' });
  });

  it('commits nothing of a folder that git ignores but the files that it tracks there', async () => {
    const app = newApp({ '.gitignore': 'dist/\n', 'dist/kept.js': '1', 'dist/in/kept.js': '1' });
    git(app, 'add', '-f', 'dist');
    git(app, 'commit', '-qm', 'forced');
    put(app, { 'dist/kept.js': '2', 'dist/new.js': '1', 'dist/in/new.js': '1', 'dist/other/new.js': '1' });
    const { commit } = await commitOwnChanges(await openRepository(app));
    expect(git(app, 'show', '--name-only', '--format=', commit as string)).toBe('dist/kept.js\n');
    expect(state(app)).toEqual(good);
  });

  it('leaves modes alone where the disk has none', async () => {
    const app = newApp({ 'a.sh': '1', 'b.sh': '1' });
    git(app, 'config', 'core.fileMode', 'false');
    git(app, 'update-index', '--chmod=+x', 'a.sh');
    git(app, 'commit', '-qm', 'executable');
    chmodSync(join(app, 'b.sh'), 0o755);
    const changes = ['a.sh', 'b.sh'].map((path) => ({ type: 'write' as const, path, content: '2' }));
    expect((await applyPlan(app, await planOf(app, changes))).personCommit).toBe(null);
    expect(git(app, 'ls-tree', 'HEAD')).toMatch(/100755 .*a\.sh\n100644 .*b\.sh/);
    expect(state(app)).toEqual(good);
  });

  it('keeps a copy of what no commit has, says where, and leaves the decision to a person', async () => {
    const app = newApp({ '.gitignore': '*.db\n', 'told.txt': 'theirs', 'a.txt': '1' });
    put(app, {
      'data.db': 'rows',
      'in/gone.db': 'more rows',
      'moved.db': 'moved',
      'told.txt': 'mine',
      'a.txt': 'by hand',
    });
    git(app, 'update-index', '--skip-worktree', 'told.txt');
    const changes: Wanted['changes'] = [
      { type: 'write', path: 'data.db', content: 'new' },
      { type: 'delete', path: 'in/gone.db' },
      { type: 'rename', from: 'moved.db', to: 'other.db' },
      { type: 'write', path: 'told.txt', content: 'new' },
      { type: 'write', path: 'a.txt', content: '2' },
    ];
    const { proposal, plan, notes: warnings } = await propose(app, wanted(changes));
    expect(proposal.needsPerson).toBe(true);
    const lost = ['data.db', 'in/gone.db', 'told.txt'];
    expect(new Set(warnings.map((warning) => warning.split(' ')[0]))).toEqual(new Set(lost));
    const { notes } = await applyPlan(app, plan as Plan);
    const kept = readdirSync(join(app, '.git/mustard-agent')).find((name) => name.startsWith('kept-')) ?? '';
    const folder = join(app, '.git/mustard-agent', kept);
    expect(filesOf(folder)).toEqual({ 'data.db': 'rows', 'in/gone.db': 'more rows', 'told.txt': 'mine' });
    for (const path of lost) expect(notes.join('\n')).toContain(`${path} was. It is kept in ${join(folder, path)}.`);
    expect(notes).toContain('in/gone.db was deleted, but no commit has it, because git ignores it.');
    expect(notes).toContain('data.db was written, but no commit has it, because git ignores it.');
    const plain = await propose(app, wanted([{ type: 'write', path: 'a.txt', content: '3' }]));
    expect(plain.proposal.needsPerson).toBeUndefined();
  });

  it('keeps modes and line ends, and says which file is in no commit', async () => {
    const app = newApp({ 'run.sh': '#!/bin/sh\n', '.gitignore': 'out\n' });
    chmodSync(join(app, 'run.sh'), 0o755);
    git(app, 'commit', '-qam', 'executable');
    const plan = await planOf(app, [
      { type: 'rename', from: 'run.sh', to: 'bin/run.sh' },
      { type: 'write', path: 'bin/run.sh', content: '#!/bin/sh\r\nexit\r\n' },
      { type: 'write', path: 'out', content: 'x' },
    ]);
    const { notes } = await applyPlan(app, plan);
    expect(statSync(join(app, 'bin/run.sh')).mode & 0o777).toBe(0o755);
    expect(git(app, 'ls-tree', '-r', 'HEAD', '--', 'bin')).toContain('100755');
    expect(git(app, 'show', 'HEAD:bin/run.sh')).toBe('#!/bin/sh\r\nexit\r\n');
    expect(notes).toEqual(['out was written, but no commit has it, because git ignores it.']);
    expect(state(app)).toEqual(good);
  });

  it('says what an answer does twice, and lets the last write win', async () => {
    const app = newApp();
    const { plan, notes, proposal } = await propose(
      app,
      wanted([
        { type: 'write', path: 'b.txt', content: 'first' },
        { type: 'write', path: './b.txt', content: 'last' },
        { type: 'delete', path: 'missing.txt' },
        { type: 'write', path: 'a.txt', content: 'one\ntwo\nthree\n' },
      ]),
    );
    expect(notes).toEqual([
      'missing.txt was to be deleted, and is not there.',
      'b.txt was written more than once. The last one counts.',
      'a.txt is already as it was to be written.',
    ]);
    expect(proposal.files).toHaveLength(1);
    expect(plan?.effects).toEqual([{ path: 'b.txt', kind: 'write', content: 'last' }]);
  });

  it('lets a type check find a file that is renamed where it will be', async () => {
    const app = newApp({ 'a.ts': '1', 'gone.ts': '1' });
    const plan = await planOf(app, [
      { type: 'rename', from: 'a.ts', to: 'b.ts' },
      { type: 'delete', path: 'gone.ts' },
    ]);
    const overlay = overlayOfPlan(plan);
    expect(['b.ts', 'a.ts', 'gone.ts'].map((path) => sourceOf(path, overlay))).toEqual(['a.ts', undefined, undefined]);
  });

  it('gives what a simple model of files gives, for any changes', async () => {
    const name = fc.constantFrom('a.txt', 'b.txt', 'd/c.txt', 'd/e/f.txt');
    const change = fc.oneof(
      fc.record({ type: fc.constant('write' as const), path: name, content: fc.constantFrom('', 'x', 'y\n') }),
      fc.record({ type: fc.constant('delete' as const), path: name }),
    );
    const app = newApp({ 'a.txt': '1', 'd/c.txt': '2' });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 5 }), async (changes) => {
        const model = { ...filesOf(app) };
        for (const { type, path } of changes) if (type === 'delete') delete model[path];
        for (const one of changes) if (one.type === 'write') model[one.path] = one.content;
        await applyPlan(app, await planOf(app, changes));
        expect(filesOf(app)).toEqual(model);
        expect(state(app)).toEqual(good);
      }),
      runs(20),
    );
  }, 240_000);
});

describe('a change that cannot be made', () => {
  async function expectUntouched(app: string, act: () => Promise<unknown>, code: string): Promise<string> {
    const [files, log] = [filesOf(app), subjects(app)];
    const error = await act().then(
      () => undefined,
      (reason: Error & { code: string }) => reason,
    );
    expect(error?.code).toBe(code);
    expect(filesOf(app)).toEqual(files);
    expect(subjects(app)).toEqual(log);
    expect(state(app)).toEqual(good);
    return error?.message ?? '';
  }

  it('changes nothing when a file is another by now', async () => {
    const app = newApp({ 'a.txt': '1', 'b.txt': '1' });
    const plan = await planOf(app, [
      { type: 'write', path: 'b.txt', content: '2' },
      { type: 'write', path: 'a.txt', content: '2' },
    ]);
    put(app, { 'a.txt': 'other' });
    git(app, 'commit', '-qam', 'other');
    expect(await expectUntouched(app, () => applyPlan(app, plan), 'changed')).toContain('a.txt');
  });

  it('but where both changes go together, it has both', async () => {
    const lines = Array.from({ length: 30 }, (_, n) => `line ${n}\n`);
    const changed = (...at: number[]): string =>
      lines.map((line, n) => (at.includes(n) ? `new ${n}\n` : line)).join('');
    for (const isCommitted of [true, false]) {
      const app = newApp({ 'a.txt': lines.join(''), 'b.txt': '1' });
      const plan = await planOf(app, [
        { type: 'write', path: 'a.txt', content: changed(3) },
        { type: 'write', path: 'b.txt', content: '2' },
      ]);
      put(app, { 'a.txt': changed(20), 'b.txt': '2' });
      if (isCommitted) git(app, 'commit', '-qam', 'mine');
      const { notes } = await applyPlan(app, plan);
      expect(filesOf(app)).toEqual({ 'a.txt': changed(3, 20), 'b.txt': '2' });
      expect(notes.filter((note) => note.startsWith('a.txt'))).toEqual([
        expect.stringContaining('It now has both changes'),
      ]);
      expect(state(app)).toEqual(good);
    }
    const app = newApp({ 'a.txt': lines.join('') });
    const plan = await planOf(app, [{ type: 'write', path: 'a.txt', content: changed(3) }]);
    put(app, { 'a.txt': changed(4) });
    await expect(applyPlan(app, plan)).rejects.toMatchObject({
      code: 'changed',
      message: expect.stringContaining('the same lines'),
    });
    expect(filesOf(app)).toEqual({ 'a.txt': changed(4) });
  });

  it('takes everything back when a file cannot be put in its place', async () => {
    const app = newApp({ 'a.txt': '1', 'gone/x.txt': '1', 'c.txt': '1' });
    const plan = await planOf(app, [
      { type: 'delete', path: 'gone/x.txt' },
      { type: 'rename', from: 'c.txt', to: 'deep/er/c.txt' },
      { type: 'write', path: 'a.txt', content: '2' },
      { type: 'write', path: 'late.txt', content: '2' },
    ]);
    // An empty folder: git does not see it, and the last rename fails on it.
    mkdirSync(join(app, 'late.txt'));
    await expectUntouched(app, () => applyPlan(app, plan), 'unsafe_path');
    expect(existsSync(join(app, 'deep'))).toBe(false);
    expect(readdirSync(app).sort()).toEqual(['.git', 'a.txt', 'c.txt', 'gone', 'late.txt']);
  });

  it('changes nothing while git is at work or a merge is under way', async () => {
    const app = newApp();
    const plan = await planOf(app, [{ type: 'write', path: 'a.txt', content: '2' }]);
    writeFileSync(join(app, '.git/index.lock'), '');
    await expectUntouched(app, () => applyPlan(app, plan), 'busy');
    rmSync(join(app, '.git/index.lock'));
    writeFileSync(join(app, '.git/MERGE_HEAD'), git(app, 'rev-parse', 'HEAD'));
    expect(await expectUntouched(app, () => applyPlan(app, plan), 'busy')).toContain('git merge --abort');
    rmSync(join(app, '.git/MERGE_HEAD'));
    await applyPlan(app, plan);
    expect(state(app)).toEqual(good);
  });
});

describe('ends of lines', () => {
  it('of a file stay what they are, and the diff shows only what changes', async () => {
    const app = newApp({ 'a.txt': 'one\r\ntwo\r\nthree\r\n', 'both.txt': 'one\r\ntwo\n', 'unix.txt': 'one\ntwo\n' });
    const { plan, proposal } = await propose(
      app,
      wanted([
        { type: 'write', path: 'a.txt', content: 'one\n2\nthree\n' },
        { type: 'write', path: 'both.txt', content: 'one\n2\n' },
        { type: 'write', path: 'unix.txt', content: 'one\r\n2\r\n' },
        { type: 'write', path: 'new.txt', content: 'new\n' },
      ]),
    );
    expect(proposal.files.find(({ path }) => path === 'a.txt')).toMatchObject({ added: 1, removed: 1 });
    await applyPlan(app, plan!);
    expect(filesOf(app)).toMatchObject({
      'a.txt': 'one\r\n2\r\nthree\r\n',
      'both.txt': 'one\n2\n',
      'unix.txt': 'one\r\n2\r\n',
      'new.txt': 'new\n',
    });
    // A renamed file keeps them, and the same text is no change. What a command has made is taken as it is.
    const again = await propose(app, wanted([{ type: 'write', path: 'a.txt', content: 'one\n2\nthree\n' }]));
    expect(again.proposal.files).toEqual([]);
    const plain = await planOf(app, [
      { type: 'rename', from: 'a.txt', to: 'b.txt' },
      { type: 'write', path: 'b.txt', content: 'one\n3\nthree\n' },
      { type: 'write', path: 'unix.txt', content: 'one\n2\n', exact: true },
    ]);
    await applyPlan(app, plain);
    expect(filesOf(app)).toMatchObject({ 'b.txt': 'one\r\n3\r\nthree\r\n', 'unix.txt': 'one\n2\n' });
  });
});

describe('an edit by hand', () => {
  it('saves and commits, and refuses when the file was changed meanwhile', async () => {
    const app = newApp();
    const { content, hash } = await readFile(app, 'a.txt');
    expect(content).toBe('one\ntwo\nthree\n');
    const edited = await editFile(app, 'a.txt', 'edited\n', hash);
    expect(subjects(app)[0]).toBe('Edit a.txt');
    expect(git(app, 'rev-parse', 'HEAD').trim()).toBe(edited.commit);
    await expect(editFile(app, 'a.txt', 'again\n', hash)).rejects.toMatchObject({ code: 'changed' });
    expect((await editFile(app, 'a.txt', 'edited\n', edited.hash)).commit).toBe(null);
    await editFile(app, 'new/file.txt', '', null);
    expect(lstatSync(join(app, 'new/file.txt')).size).toBe(0);
    expect(state(app)).toEqual(good);
  });

  it('reads text of up to 1 MB, and nothing else', async () => {
    const app = newApp({ big: 'x'.repeat(1024 * 1024 + 1), binary: Buffer.from([0]), latin: Buffer.from([0xe9]) });
    for (const path of ['big', 'binary', 'latin']) {
      await expect(readFile(app, path)).rejects.toMatchObject({ code: 'limit_exceeded' });
    }
    await expect(readFile(app, 'none')).rejects.toMatchObject({ code: 'not_found' });
    await expect(readFile(app, '.git/config')).rejects.toMatchObject({ code: 'unsafe_path' });
  });

  it('lets ten edits of one app wait for each other', async () => {
    const app = newApp();
    await Promise.all(Array.from({ length: 10 }, (_, index) => editFile(app, `file-${index}`, 'x', null)));
    expect(subjects(app)).toHaveLength(11);
    expect(state(app)).toEqual(good);
  });
});

describe('two changes of a text', () => {
  it('are merged as git would, or not at all', async () => {
    const line = fc.constantFrom('a', 'b', 'c', '');
    const text = fc.array(line, { maxLength: 8 }).map((all) => all.map((one) => `${one}\n`).join(''));
    const app = newApp();
    await fc.assert(
      fc.asyncProperty(text, text, text, async (base, mine, theirs) => {
        put(app, { base, mine, theirs });
        const merged = merge(base, mine, theirs);
        const says = spawnSync('git', ['merge-file', '-p', 'mine', 'base', 'theirs'], { cwd: app, encoding: 'utf8' });
        // Where lines repeat there are several ways to see what was changed. What is made of one change alone is sure.
        if (mine === base) expect(merged).toBe(theirs);
        else if (theirs === base || mine === theirs) expect(merged).toBe(mine);
        else if (merged !== undefined && says.status === 0) expect(lineCounts(merged)).toEqual(lineCounts(says.stdout));
      }),
      runs(100),
    );
  });

  function lineCounts(text: string): string[] {
    return text.split('\n').sort();
  }
});
