// Attacks: paths of a model that would lead elsewhere, and repositories of strangers.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, deflateRawSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import {
  applyPlan,
  editFile,
  propose,
  readFile,
  type Change,
  type Plan,
} from '../../../packages/desktop-agent/src/server/changes/index.ts';
import {
  initRepository,
  listVersions,
  readVersion,
  repositoryState,
  revertToVersion,
} from '../../../packages/desktop-agent/src/server/git/index.ts';
import { commitOwnChanges } from '../../../packages/desktop-agent/src/server/git/commit.ts';
import { openRepository } from '../../../packages/desktop-agent/src/server/git/repository.ts';
import { filesOf, git, good, hideOwnGit, newApp, newFolder, put, removeFolders, state, subjects } from './apps.ts';

hideOwnGit();
afterAll(removeFolders);

const wanted = (changes: readonly Change[], dependencies: string[] = []) => ({
  summary: 'Attack',
  changes,
  dependencies,
  commands: [],
});

describe('a content of an answer', () => {
  const app = newApp({ 'logo.bin': Buffer.from([0, 1]), 'long.txt': 'same\n'.repeat(100_000) });

  it.each([0, 9_000])('with a NUL byte at %i is refused: no page would show what it writes', async (at) => {
    const { proposal, plan } = await propose(
      app,
      wanted([{ type: 'write', path: 'a.js', content: `${'/'.repeat(at)}\0\nsteal()` }]),
    );
    expect(plan).toBe(null);
    expect(proposal).toMatchObject({ state: 'failed', error: expect.stringContaining('NUL') });
  });

  it('that is padded shows its beginning, and how much it does not show', async () => {
    const padding = 'x'.repeat(500_000);
    const changes: Change[] = [
      { type: 'write', path: 'lines.txt', content: `steal()\n${'\n'.repeat(500_000)}last` },
      { type: 'write', path: 'line.txt', content: `${padding}steal()\nsecond\n` },
      { type: 'write', path: 'long.txt', content: `${'same\n'.repeat(50_000)}other\n${'same\n'.repeat(50_000)}` },
      { type: 'write', path: 'logo.bin', content: 'text now\n' },
    ];
    const [lines, line, long, logo] = (await propose(app, wanted(changes))).proposal.files;
    expect(lines).toMatchObject({ hidden: 'large', added: 500_002, unshown: 499_752 });
    expect(lines?.hunks[0]?.lines[0]).toEqual({ kind: 'added', text: 'steal()' });
    expect(line).toMatchObject({ hidden: 'large', unshown: 2 });
    expect(line?.hunks[0]?.lines).toMatchObject([{ text: expect.stringMatching(/^x+…$/) }]);
    expect(long).toMatchObject({ hidden: 'large', unshown: 0, hunks: [{ oldStart: 49_998, newStart: 49_998 }] });
    expect(long?.hunks[0]?.lines.at(-1)).toEqual({ kind: 'added', text: 'other' });
    expect(logo).toMatchObject({ change: 'changed', added: 1 });
    expect(logo).not.toHaveProperty('hidden');
  });
});

describe('a path of an answer', () => {
  const app = newApp({ 'a.txt': '1', 'dir/b.txt': '1', 'Case.txt': '1', 'caf\u00e9.txt': '1' });
  const outside = newFolder({ 'x.txt': 'outside' });
  symlinkSync(outside, join(app, 'out'));
  symlinkSync(join(outside, 'x.txt'), join(app, 'link.txt'));
  symlinkSync('dir', join(app, 'inner'));
  symlinkSync('/nonexistent/file', join(app, 'dangling'));
  execFileSync('mkfifo', [join(app, 'pipe')]);

  const refused: [path: string, why: RegExp][] = [
    ['../x.txt', /'\.\.'/],
    ['dir/../../x.txt', /'\.\.'/],
    ['/etc/passwd', /absolute/],
    ['', /no path/],
    ['dir/', /folder/],
    ['dir', /not a regular file/],
    ['a.txt/b', /a part of it is a file/],
    ['out/x.txt', /link/],
    ['out/new.txt', /link/],
    ['link.txt', /link/],
    ['inner/b.txt', /link/],
    ['inner/new/c.txt', /link/],
    ['dangling', /link/],
    ['dangling/x', /link/],
    ['pipe', /not a regular file/],
    ['.git/hooks/post-commit', /denylist/],
    ['.git/config', /denylist/],
    ['.GIT/config', /denylist/],
    ['.Git /config', /denylist/],
    ['.git./config', /denylist/],
    ['git~1/config', /denylist/],
    ['dir/.git/config', /denylist/],
    ['.git/mustard-agent/apply/journal.json', /denylist/],
    ['.dyad/media/x', /denylist|agent/],
    ['.dyad/rules.md', /belongs to git or to an agent/],
    ['.DYAD/rules.md', /belongs to git or to an agent/],
    ['.env', /denylist/],
    ['sub/.env.local', /denylist/],
    ['.npmrc', /denylist/],
    ['key.pem', /denylist/],
    ['node_modules/zod/index.js', /denylist/],
    ['a\0b', /control/],
    ['a\nb', /control/],
    ['C:\\x', /backslash|':'/],
    ['a\\b', /backslash/],
    ['x:y', /':'/],
    ['~/x', /'~'/],
    ['nul', /device/],
    ['attachments:x', /.+/],
    ['case.txt', /one name on some disks/],
    ['DIR/c.txt', /one name on some disks/],
    ['cafe\u0301.txt', /one name on some disks/],
    ['x'.repeat(5000), /longer than/],
  ];

  it.each(refused)('%j is refused, for a write, a rename and a deletion', async (path, why) => {
    const attempts: Change[] = [
      { type: 'write', path, content: 'x' },
      { type: 'rename', from: 'a.txt', to: path },
    ];
    for (const change of attempts) {
      const { proposal, plan } = await propose(app, wanted([change]));
      expect(plan).toBe(null);
      expect(proposal).toMatchObject({ state: 'failed', error: expect.stringMatching(why), files: [] });
    }
    const fine: Change = { type: 'write', path: 'fine.txt', content: 'x' };
    const { proposal, plan, notes } = await propose(app, wanted([fine, attempts[0]!]));
    if (!String(why).includes('one name')) {
      expect(proposal).toMatchObject({
        state: 'pending',
        needsPerson: true,
        leftOut: [path],
        files: [{ path: 'fine.txt' }],
      });
      expect(plan?.effects).toMatchObject([{ path: 'fine.txt' }]);
      expect(notes).toEqual([expect.stringMatching(why)]);
    } else expect(plan).toBe(null);
    if (String(why).includes('one name')) return;
    // A folder may be deleted and renamed as a whole.
    const isFolder = path.replace('/', '') === 'dir';
    const asFolder = await propose(app, wanted([{ type: 'rename', from: 'dir', to: path }]));
    expect(asFolder.plan?.effects ?? []).toEqual([]);
    for (const changes of [[{ type: 'delete', path }], [{ type: 'rename', from: path, to: 'z.txt' }]] as Change[][]) {
      expect((await propose(app, wanted(changes))).plan === null).toBe(!isFolder);
    }
    await expect(readFile(app, path)).rejects.toMatchObject({ code: expect.stringMatching(/unsafe_path|not_found/) });
    await expect(editFile(app, path, 'x', null)).rejects.toMatchObject({
      code: expect.stringMatching(/unsafe_path|not_found/),
    });
  });

  it('nothing of that has been written', () => {
    expect(filesOf(outside)).toEqual({ 'x.txt': 'outside' });
    expect(filesOf(app)).toEqual({ 'a.txt': '1', 'dir/b.txt': '1', 'Case.txt': '1', 'caf\u00e9.txt': '1' });
  });

  it('is refused again when a link was put in its way after it was proposed', async () => {
    const victim = newApp({ 'dir/b.txt': '1' });
    const { plan } = await propose(victim, wanted([{ type: 'write', path: 'dir/new.txt', content: 'x' }]));
    rmSync(join(victim, 'dir'), { recursive: true });
    symlinkSync(outside, join(victim, 'dir'));
    await expect(applyPlan(victim, plan as Plan)).rejects.toMatchObject({ code: 'unsafe_path' });
    expect(existsSync(join(outside, 'new.txt'))).toBe(false);
  });

  it('of a plan that did not come from a proposal is refused, too', async () => {
    const forged: Plan = {
      summary: 'x',
      effects: [{ path: '.git/hooks/post-commit', kind: 'write', content: 'x' }],
      dependencies: [],
      commands: [],
      counts: { wrote: 1, renamed: 0, deleted: 0 },
      base: {},
    };
    await expect(applyPlan(newApp(), forged)).rejects.toMatchObject({ code: 'unsafe_path' });
  });

  it('lets a file change the case of its name', async () => {
    const own = newApp({ 'readme.md': '1' });
    const { plan } = await propose(own, wanted([{ type: 'rename', from: 'readme.md', to: 'README.md' }]));
    await applyPlan(own, plan as Plan);
    expect(filesOf(own)).toEqual({ 'README.md': '1' });
    expect(state(own)).toEqual(good);
  });

  it('one of 10,000 is too many', async () => {
    const changes = Array.from({ length: 10_000 }, (_, n): Change => ({ type: 'write', path: `f${n}`, content: '' }));
    expect((await propose(app, wanted(changes))).proposal.error).toContain('at most 2000');
  });

  it.each(['--global', '-g', 'git+https://x/y', '../local', 'file:.', 'a b; rm', 'http://x', '@/x', 'x@file:..'])(
    'a package %j is refused',
    async (dependency) => {
      expect((await propose(app, wanted([], [dependency]))).proposal).toMatchObject({
        state: 'failed',
        error: expect.stringContaining('not the name of a package'),
      });
    },
  );
});

describe('a repository of a stranger', () => {
  const change: Change[] = [{ type: 'write', path: 'b.txt', content: 'x' }];
  const apply = async (app: string) => applyPlan(app, (await propose(app, wanted(change))).plan as Plan);

  it('runs none of the programs that it names', async () => {
    const app = newApp();
    const mark = join(newFolder(), 'ran');
    const program = `#!/bin/sh\ntouch ${mark}\n`;
    const hooks = [
      'pre-commit',
      'post-commit',
      'commit-msg',
      'post-checkout',
      'reference-transaction',
      'post-index-change',
    ];
    for (const hook of hooks) writeFileSync(join(app, '.git/hooks', hook), program, { mode: 0o755 });
    const evil = join(app, '.git/evil.sh');
    writeFileSync(evil, program, { mode: 0o755 });
    writeFileSync(
      join(app, '.git/config'),
      `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = ${evil}\n\thooksPath = .git/hooks\n\teditor = ${evil}\n\tpager = ${evil}\n` +
        `[include]\n\tpath = /etc/passwd\n[diff]\n\texternal = ${evil}\n[gpg]\n\tprogram = ${evil}\n[commit]\n\tgpgsign = true\n` +
        `[filter "x"]\n\tclean = ${evil}\n\tsmudge = ${evil}\n\trequired = true\n[user]\n\tname = A <b>\\nC\n`,
    );
    put(app, { 'mine.txt': 'x' });
    await apply(app);
    const [newest, first] = (await listVersions(app)).versions;
    await readVersion(app, newest?.commit as string);
    await revertToVersion(app, first?.commit as string);
    expect(existsSync(mark)).toBe(false);
    rmSync(join(app, '.git/config'));
    rmSync(join(app, '.git/hooks'), { recursive: true });
    expect(state(app)).toEqual(good);
    expect(subjects(app)).toHaveLength(4);
  });

  it('does not get what git keeps through a program committed as it is', async () => {
    const app = newApp({ '.gitattributes': '*.bin filter=lfs diff=lfs\n', 'a.txt': '1' });
    const { plan } = await propose(app, wanted([{ type: 'write', path: 'x.bin', content: 'x' }]));
    await expect(applyPlan(app, plan as Plan)).rejects.toMatchObject({ code: 'denied' });
    expect(state(app)).toEqual(good);
    put(app, { 'mine.bin': 'x' });
    const { notes } = await commitOwnChanges(await openRepository(app));
    expect(notes).toEqual([expect.stringContaining('mine.bin was not committed')]);
  });

  it('has a person decide about what git keeps through a program, which no commit could give back', async () => {
    const app = newApp({ '.gitattributes': '*.bin filter=lfs\n', 'x.bin': 'what LFS fetched' });
    const { proposal, notes } = await propose(app, wanted([{ type: 'delete', path: 'x.bin' }]));
    expect(proposal.needsPerson).toBe(true);
    expect(notes).toEqual([expect.stringContaining('x.bin is not kept by git')]);
  });

  it('does not get a file committed whose filter has a pattern too long to match', async () => {
    const app = newApp({ '.gitattributes': 'a/**/b/**/c/**/d/**/*.bin filter=lfs\n' });
    put(app, { 'a/b/c/d/x.bin': 'x', 'a/x.bin': 'x' });
    const { notes } = await commitOwnChanges(await openRepository(app));
    expect(notes).toEqual([expect.stringContaining('a/b/c/d/x.bin was not committed')]);
  });

  const elsewhere = newApp();
  it.each([
    ['.git that is a link', (app: string) => swap(app, '.git', elsewhere)],
    ['objects that are a link', (app: string) => swap(app, '.git/objects', elsewhere)],
    ['refs that are a link', (app: string) => swap(app, '.git/refs', elsewhere)],
    ['a HEAD that is a link', (app: string) => swap(app, '.git/HEAD', elsewhere)],
    ['a config that is a link', (app: string) => swap(app, '.git/config', elsewhere)],
    ['an index that is a link', (app: string) => swap(app, '.git/index', elsewhere)],
    ['a branch that is a link', (app: string) => swap(app, '.git/refs/heads/main', elsewhere)],
    ['state of the agent that is a link', (app: string) => symlinkSync(elsewhere, join(app, '.git/mustard-agent'))],
  ])('with %s is not followed there', async (_, hurt) => {
    const app = newApp();
    hurt(app);
    const before = [subjects(elsewhere), filesOf(elsewhere)];
    await expect(apply(app)).rejects.toMatchObject({ code: expect.stringMatching(/no_git|unsafe_path/) });
    expect([subjects(elsewhere), filesOf(elsewhere)]).toEqual(before);
    expect(existsSync(join(app, 'b.txt'))).toBe(false);
    expect(state(elsewhere)).toEqual(good);
  });

  it('with an object that becomes huge is not read', async () => {
    const app = newApp();
    const commit = git(app, 'rev-parse', 'HEAD').trim();
    const path = join(app, '.git/objects', commit.slice(0, 2), commit.slice(2));
    rmSync(path);
    const size = 257 * 1024 * 1024;
    const deflated = (bytes: Buffer): Buffer =>
      deflateRawSync(bytes, { level: 1, finishFlush: constants.Z_FULL_FLUSH });
    const [start, zeros] = [Buffer.alloc(1024, 0), deflated(Buffer.alloc(1024 * 1024))];
    start.write(`commit ${size}`);
    // A stream of zlib without its end: nobody gets that far.
    writeFileSync(path, Buffer.concat([Buffer.of(0x78, 0x01), deflated(start), ...Array<Buffer>(257).fill(zeros)]));
    await expect(listVersions(app)).rejects.toMatchObject({ code: 'limit_exceeded' });
  });

  it('with a pipe for a list of ignored files, or in a place of a file, hangs nothing', async () => {
    const app = newApp({ 'a.txt': '1', 'c.txt': '1' });
    execFileSync('mkfifo', [join(app, '.gitignore'), join(app, 'sub-pipe')]);
    rmSync(join(app, 'c.txt'));
    execFileSync('mkfifo', [join(app, 'c.txt')]);
    const { commit } = await apply(app);
    expect(git(app, 'show', '--name-only', '--format=', commit as string)).toBe('b.txt\n');
    const { notes } = await commitOwnChanges(await openRepository(app));
    expect(notes).toContain('c.txt was not committed: it is no regular file.');
  });
});

function swap(app: string, path: string, elsewhere: string): void {
  rmSync(join(app, path), { recursive: true });
  symlinkSync(join(elsewhere, path), join(app, path));
}

describe('a repository that cannot be worked with', () => {
  it.each([
    ['a worktree', (app: string) => worktree(app), /worktree or a submodule/],
    ['a bare one', (app: string) => void git(app, 'config', 'core.bare', 'true'), /bare/],
    ['one with its files elsewhere', (app: string) => void git(app, 'config', 'core.worktree', '/tmp'), /elsewhere/],
    ['a sparse checkout', (app: string) => void git(app, 'config', 'core.sparseCheckout', 'true'), /sparse/],
    ['SHA-256', (app: string) => void git(app, 'config', 'extensions.objectFormat', 'sha256'), /SHA-256/],
    ['a rebase under way', (app: string) => mkdirSync(join(app, '.git/rebase-merge')), /rebase --abort/],
    ['a split index', (app: string) => void git(app, 'update-index', '--split-index'), /split index/],
  ])('%s is refused, with what to do', async (_, make, why) => {
    const made = newApp();
    const app = make(made) ?? made;
    expect(await repositoryState(app)).toMatchObject({ ready: false, reason: expect.stringMatching(why) });
    const { plan } = await propose(app, wanted([{ type: 'write', path: 'b.txt', content: 'x' }]));
    await expect(applyPlan(app, plan as Plan)).rejects.toThrow(why);
    expect(existsSync(join(app, 'b.txt'))).toBe(false);
  });

  function worktree(app: string): string {
    const path = join(newFolder(), 'tree');
    git(app, 'worktree', 'add', '-q', path);
    return path;
  }

  it('a folder without git is told, and gets it when asked', async () => {
    const app = newFolder({ 'a.txt': '1', '.env': 'S=1', 'sub/b.txt': '2' });
    expect(await repositoryState(app)).toMatchObject({ ready: false, reason: expect.stringContaining('no git') });
    await expect(editFile(app, 'a.txt', 'x', null)).rejects.toMatchObject({ code: 'no_git' });
    const { commit, notes } = await initRepository(app);
    expect(notes).toEqual(['.env was not committed: its name is that of a secret.']);
    expect(git(app, 'ls-tree', '-r', '--name-only', commit)).toBe('a.txt\nsub/b.txt\n');
    expect(state(app)).toEqual({ ...good, status: '?? .env\n' });
    expect((await initRepository(app)).commit).toBe(commit);
    expect(await repositoryState(app)).toEqual({ ready: true, reason: '', branch: 'main', head: commit });
  });

  it('a history begins without what programs make, where no .gitignore says so', async () => {
    const made = { 'node_modules/a/index.js': '1', '.venv/b.py': '2', 'dist/c.js': '3', 'sub/node_modules/d.js': '4' };
    const app = newFolder({ 'a.txt': '1', ...made });
    const { commit } = await initRepository(app);
    expect(git(app, 'ls-tree', '-r', '--name-only', commit)).toBe('a.txt\n');
    expect(state(app)).toEqual(good);
    const own = newFolder({ '.gitignore': 'node_modules\n', 'dist/c.js': '3' });
    const begun = await initRepository(own);
    expect(git(own, 'ls-tree', '-r', '--name-only', begun.commit)).toBe('.gitignore\ndist/c.js\n');
  });

  it('a path of more folders than a version may have is refused when it is proposed', async () => {
    const app = newApp();
    const deep = `${'a/'.repeat(1000)}b.txt`;
    const { proposal, plan } = await propose(app, {
      summary: '',
      changes: [{ type: 'write', path: deep, content: 'x' }],
      dependencies: [],
      commands: [],
    });
    expect(plan).toBeNull();
    expect(proposal.error).toContain('over 200 folders');
  });

  it('a folder in another repository gets its own, and that is said', async () => {
    const outer = newApp();
    put(outer, { 'inner/a.txt': '1' });
    const { notes } = await initRepository(join(outer, 'inner'));
    expect(notes).toEqual([expect.stringContaining(`lies in the repository ${outer}`)]);
    expect(state(join(outer, 'inner'))).toEqual(good);
    expect(subjects(join(outer, 'inner'))).toEqual(['Begin the history of this app']);
  });

  it('a package of a repository gets no history that would hide it from that one', async () => {
    const outer = newApp({ 'packages/inner/a.txt': '1' });
    const { commit } = await initRepository(join(outer, 'packages/inner'));
    expect(commit).toBe(git(outer, 'rev-parse', 'HEAD').trim());
    expect(existsSync(join(outer, 'packages/inner/.git'))).toBe(false);
    expect(state(outer)).toEqual(good);
  });

  it('an empty folder gets a first commit, too', async () => {
    const app = newFolder();
    await initRepository(app);
    expect(state(app)).toEqual(good);
    expect(subjects(app)).toHaveLength(1);
  });

  it('a repository without a commit, and one with a detached HEAD, take changes', async () => {
    const unborn = newFolder();
    git(unborn, 'init', '-q', '-b', 'trunk');
    await editFile(unborn, 'a.txt', 'x', null);
    expect(subjects(unborn)).toEqual(['Edit a.txt']);
    const detached = newApp();
    git(detached, 'checkout', '-q', '--detach');
    expect((await repositoryState(detached)).reason).toContain('detached');
    expect((await applyPlan(detached, (await propose(detached, wanted([]))).plan as Plan)).notes).toEqual([
      expect.stringContaining('HEAD is detached'),
    ]);
    await editFile(detached, 'b.txt', 'x', null);
    expect(subjects(detached)).toHaveLength(2);
    for (const app of [unborn, detached]) expect(state(app)).toEqual(good);
    expect(readFileSync(join(detached, '.git/HEAD'), 'utf8')).toMatch(/^[0-9a-f]{40}\n$/);
  });
});
