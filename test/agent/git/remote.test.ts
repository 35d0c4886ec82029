// Push and pull, against git itself as the server.
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  compareWithRemote,
  pullBranch,
  pushBranch,
  readGit,
  rememberJoin,
  undoJoin,
} from '../../../packages/desktop-agent/src/server/git/index.ts';
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
import { backend, newBare, program, serve } from './servers.ts';
import { agreedOf, base, commit, compare, head, options, pull, push, team } from './team.ts';

hideOwnGit();
afterAll(removeFolders);

describe('push', () => {
  it('sends just the commits that it showed, over HTTP, and tells of its progress', async () => {
    const { app, bare } = team();
    git(app, 'remote', 'set-url', 'origin', `${await serve(backend(bare))}/shop.git`);
    commit(app, { 'a.txt': 'changed\n' }, 'second');
    commit(app, { 'c.txt': 'c\n' }, 'third, with “quotes”');
    const seen = await compare(app);
    expect(seen).toMatchObject({ theirs: head(bare, 'main'), incoming: { count: 0, shown: [] }, rewritten: 0 });
    expect(seen.outgoing).toEqual({
      count: 2,
      shown: [
        { commit: head(app), subject: 'third, with “quotes”', author: 'Person' },
        { commit: head(app, 'HEAD~'), subject: 'second', author: 'Person' },
      ],
    });
    const lines: string[] = [];
    await pushBranch(app, { ...(await agreedOf(app)), ...seen }, options({ onProgress: (line) => lines.push(line) }));
    expect(lines.join('\n')).toMatch(/Writing objects: 100%/);
    expect(head(bare, 'main')).toBe(head(app));
    expect(head(app, 'origin/main')).toBe(head(app));
    expect(state(app)).toEqual(good);
    expect((await compare(app)).outgoing.count).toBe(0);
  });

  it('makes a branch that the server has not, and remembers where it went', async () => {
    const { app, bare } = team();
    git(app, 'switch', '-qc', 'mustard/new-thing');
    commit(app, { 'c.txt': 'c\n' }, 'second');
    expect((await readGit(app, options())).upstream).toEqual({
      remote: 'origin',
      branch: 'mustard/new-thing',
      isSet: false,
    });
    expect(await push(app)).toMatchObject({ theirs: null, outgoing: { count: 1, shown: [{ subject: 'second' }] } });
    expect(head(bare, 'mustard/new-thing')).toBe(head(app));
    expect(git(app, 'rev-parse', '--abbrev-ref', '@{upstream}').trim()).toBe('origin/mustard/new-thing');
    expect((await readGit(app, options())).upstream?.isSet).toBe(true);
  });

  it('to an empty repository sends all of it', async () => {
    const app = newApp();
    git(app, 'remote', 'add', 'origin', newBare());
    expect((await push(app)).outgoing.count).toBe(1);
    expect((await compare(app)).theirs).toBe(head(app));
  });

  it('is refused when the server has other commits, and when it got some since it was looked at', async () => {
    const { app, bare, pushed } = team();
    commit(app, { 'c.txt': 'c\n' }, 'mine');
    const early = await compare(app);
    pushed({ 'b.txt': 'theirs\n' }, 'theirs');
    const before = head(bare, 'main');
    const late = { ...(await agreedOf(app)), ...early };
    await expect(pushBranch(app, late, options())).rejects.toMatchObject({
      code: 'changed',
      message: expect.stringMatching(/pull them first/),
    });
    const seen = await compare(app);
    expect(seen).toMatchObject({ outgoing: { count: 1 }, incoming: { count: 1, shown: [{ subject: 'theirs' }] } });
    await expect(pushBranch(app, { ...late, ...seen }, options())).rejects.toMatchObject({ code: 'changed' });
    expect(head(bare, 'main')).toBe(before);
  });

  it('does not bring back what somebody took from the server', async () => {
    const { app, bare } = team();
    commit(app, { 'c.txt': 'c\n' }, 'mine');
    const seen = await compare(app);
    git(bare, 'update-ref', '-d', 'refs/heads/main');
    const agreed = { ...(await agreedOf(app)), ...seen };
    await expect(pushBranch(app, agreed, options())).rejects.toMatchObject({ code: 'changed' });
    expect(git(bare, 'for-each-ref')).toBe('');
  });

  it('is not made of another commit, remote or address than were shown', async () => {
    const { app, bare } = team();
    commit(app, { 'c.txt': 'c\n' }, 'mine');
    const agreed = { ...(await agreedOf(app)), ...(await compare(app)) };
    commit(app, { 'c.txt': 'd\n' }, 'and a secret');
    await expect(pushBranch(app, agreed, options())).rejects.toMatchObject({ code: 'changed' });
    git(app, 'config', 'remote.origin.pushurl', newBare());
    const again = { ...agreed, ours: head(app) };
    await expect(pushBranch(app, again, options())).rejects.toMatchObject({ code: 'changed' });
    await expect(pushBranch(app, { ...again, remote: 'other' }, options())).rejects.toMatchObject({ code: 'changed' });
    expect(head(bare, 'main')).toBe(agreed.theirs);
  });

  it('says what a hook of the server said', async () => {
    const { app, bare } = team();
    git(app, 'remote', 'set-url', 'origin', `${await serve(backend(bare))}/shop.git`);
    program(join(bare, 'hooks/pre-receive'), 'echo "Only on Mondays" >&2; exit 1');
    commit(app, { 'c.txt': 'c\n' }, 'mine');
    await expect(push(app)).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringMatching(/Only on Mondays/),
    });
  });

  it('by two windows at once is one push', async () => {
    const { app, bare } = team();
    commit(app, { 'c.txt': 'c\n' }, 'mine');
    const agreed = { ...(await agreedOf(app)), ...(await compare(app)) };
    const both = await Promise.allSettled([pushBranch(app, agreed, options()), pushBranch(app, agreed, options())]);
    expect(both.map(({ status }) => status)).toContain('fulfilled');
    for (const one of both) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ name: 'AgentError' });
    }
    expect(head(bare, 'main')).toBe(head(app));
  });
});

describe('pull', () => {
  it('goes on to the commits of the server, and is taken back as long as nothing came after', async () => {
    const { app, pushed } = team();
    pushed({ 'a.txt': 'theirs\n', 'new/c.txt': 'c\n' }, 'theirs');
    const before = head(app);
    put(app, { 'notes.txt': 'not committed\n' });
    const joined = await pull(app);
    expect(joined).toEqual({ outcome: 'joined', commit: head(app, 'origin/main'), before, merged: false, files: 2 });
    expect(head(app)).toBe(head(app, 'origin/main'));
    expect(filesOf(app)).toEqual({ ...base, 'a.txt': 'theirs\n', 'new/c.txt': 'c\n', 'notes.txt': 'not committed\n' });
    expect(state(app)).toEqual({ ...good, status: '?? notes.txt\n' });
    await rememberJoin(app, joined);
    await undoJoin(app, head(app), {});
    expect(head(app)).toBe(before);
    expect(filesOf(app)).toEqual({ ...base, 'notes.txt': 'not committed\n' });
    expect(state(app)).toEqual({ ...good, status: '?? notes.txt\n' });
    await expect(undoJoin(app, head(app), {})).rejects.toMatchObject({ code: 'changed' });
  });

  it('merges where both sides have commits, as git would', async () => {
    const { app, pushed } = team();
    pushed({ 'a.txt': 'ONE\ntwo\nthree\nfour\nfive\n', 'b.txt': 'theirs\n' }, 'theirs');
    commit(app, { 'a.txt': 'one\ntwo\nthree\nfour\nFIVE\n' }, 'mine');
    const mine = head(app);
    expect(await pull(app)).toMatchObject({ outcome: 'joined', merged: true, before: mine });
    expect(git(app, 'log', '-1', '--format=%P %s').trim()).toBe(
      `${mine} ${head(app, 'origin/main')} Merge remote-tracking branch 'origin/main'`,
    );
    expect(filesOf(app)).toEqual({ 'a.txt': 'ONE\ntwo\nthree\nfour\nFIVE\n', 'b.txt': 'theirs\n' });
    expect(state(app)).toEqual(good);
    expect(await pull(app)).toEqual({ outcome: 'up-to-date' });
    await push(app);
  });

  it('commits what the person has changed in the same files first, and leaves the others', async () => {
    const { app, pushed } = team();
    pushed({ 'a.txt': 'ONE\ntwo\nthree\nfour\nfive\n' }, 'theirs');
    put(app, { 'a.txt': 'one\ntwo\nthree\nfour\nFIVE\n', 'b.txt': 'mine\n' });
    expect(await pull(app)).toMatchObject({ outcome: 'joined', merged: true });
    expect(filesOf(app)).toEqual({ 'a.txt': 'ONE\ntwo\nthree\nfour\nFIVE\n', 'b.txt': 'mine\n' });
    expect(state(app)).toEqual({ ...good, status: ' M b.txt\n' });
    expect(subjects(app).toSorted()).toEqual(
      ['first', 'theirs', 'Changes made by hand - 1 file(s)', "Merge remote-tracking branch 'origin/main'"].toSorted(),
    );
  });

  it('changes nothing where it conflicts, and names the files', async () => {
    const { app, pushed } = team();
    pushed({ 'a.txt': 'theirs\n', 'b.txt': 'theirs\n' }, 'theirs');
    commit(app, { 'a.txt': 'mine\n' }, 'mine');
    const before = [head(app), filesOf(app)];
    expect(await pull(app)).toEqual({ outcome: 'conflicts', files: ['a.txt'] });
    expect([head(app), filesOf(app)]).toEqual(before);
    expect(state(app)).toEqual(good);
  });

  it('conflicts with changes that are not committed: they stay, and no commit is made of them', async () => {
    const { app, pushed } = team();
    pushed({ 'b.txt': 'theirs\n', 'new.txt': 'theirs\n' }, 'theirs');
    put(app, { 'b.txt': 'not committed\n', 'new.txt': 'mine, new\n' });
    const before = [head(app), filesOf(app)];
    expect(await pull(app)).toEqual({ outcome: 'conflicts', files: ['b.txt', 'new.txt'] });
    expect([head(app), filesOf(app)]).toEqual(before);
    expect(state(app)).toEqual({ ...good, status: ' M b.txt\n?? new.txt\n' });
  });

  it('overwrites no file that git does not know', async () => {
    const { app, colleague, pushed } = team({ ...base, '.gitignore': '*.db\n' });
    put(app, { 'shop.db': 'precious', '.env': 'SECRET=1' });
    put(colleague, { 'shop.db': 'theirs', '.env': 'theirs' });
    git(colleague, 'add', '-f', 'shop.db', '.env');
    pushed({}, 'theirs');
    const before = head(app);
    await expect(pull(app)).rejects.toMatchObject({
      code: 'changed',
      message: expect.stringMatching(/\.env, shop\.db would be overwritten/),
    });
    expect(head(app)).toBe(before);
    expect(filesOf(app)).toMatchObject({ 'shop.db': 'precious', '.env': 'SECRET=1' });
  });

  it('says that the branch of the server was rewritten', async () => {
    const { app, colleague, pushed } = team();
    pushed({ 'c.txt': 'c\n' }, 'to be gone');
    await pull(app);
    git(colleague, 'reset', '-q', '--hard', 'HEAD~');
    commit(colleague, { 'd.txt': 'd\n' }, 'instead');
    git(colleague, 'push', '-qf', 'origin', 'main');
    expect(await compare(app)).toMatchObject({ rewritten: 1, incoming: { count: 1 }, outgoing: { count: 1 } });
    expect((await compare(app)).rewritten).toBe(0);
  });

  it('of a package is of its whole repository', async () => {
    const { app, pushed } = team({ 'packages/web/a.txt': 'a\n', 'packages/api/b.txt': 'b\n' });
    pushed({ 'packages/api/b.txt': 'theirs\n', 'packages/web/a.txt': 'theirs\n' }, 'theirs');
    const web = join(app, 'packages/web');
    expect((await readGit(web, options())).root).toBe(app);
    expect(await pull(web)).toMatchObject({ outcome: 'joined', files: 2 });
    expect(filesOf(app)).toEqual({ 'packages/web/a.txt': 'theirs\n', 'packages/api/b.txt': 'theirs\n' });
    expect(state(app)).toEqual(good);
  });

  it('by two windows at once is one pull', async () => {
    const { app, pushed } = team();
    pushed({ 'a.txt': 'theirs\n' }, 'theirs');
    const { ours, theirs } = await compare(app);
    const fetched = { remote: 'origin', branch: 'main', ours, theirs: theirs ?? '' };
    const both = await Promise.allSettled([pullBranch(app, fetched, options()), pullBranch(app, fetched, options())]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'changed' } });
    expect(state(app)).toEqual(good);
  });

  it('of a branch without a commit in common is refused', async () => {
    const { app } = team();
    const other = newApp({ 'other.txt': 'x\n' });
    git(other, 'push', '-qf', git(app, 'remote', 'get-url', 'origin').trim(), 'main');
    await expect(pull(app)).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringMatching(/no commit in common/),
    });
  });

  it('brings no links, and names them', async () => {
    const { app, colleague } = team();
    git(colleague, 'config', 'core.symlinks', 'true');
    rmSync(join(colleague, 'b.txt'));
    symlinkSync('/etc/passwd', join(colleague, 'b.txt'));
    git(colleague, 'commit', '-qam', 'a link');
    git(colleague, 'push', '-q');
    await expect(pull(app)).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringMatching(/b\.txt is a link/),
    });
    expect(state(app)).toEqual(good);
  });

  it('without a branch or a commit says so', async () => {
    const { app, bare } = team();
    git(app, 'switch', '-q', '--detach');
    expect(await readGit(app, options())).toMatchObject({ branch: null, upstream: null });
    const agreed = { remote: 'origin', url: bare, pushUrl: bare, branch: 'main' };
    await expect(compareWithRemote(app, agreed, options())).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringMatching(/no branch/),
    });
    const unborn = newFolder();
    git(unborn, 'init', '-qb', 'main');
    git(unborn, 'remote', 'add', 'origin', bare);
    await expect(compareWithRemote(unborn, agreed, options())).rejects.toMatchObject({ code: 'busy' });
  });
});

describe('where git is missing', () => {
  it('branches are shown, and why there are no remotes', async () => {
    const { app } = team();
    const path = process.env['PATH'];
    onTestFinished(() => void (process.env['PATH'] = path));
    process.env['PATH'] = newFolder();
    expect(await readGit(app, options())).toMatchObject({
      branch: 'main',
      noRemotes: expect.stringMatching(/git is not installed/),
    });
  });
});
