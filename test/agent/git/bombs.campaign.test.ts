// Repositories that are small on the disk and have no end, or no bottom, for whoever reads them.
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { applyPlan, editFile, propose, type Plan } from '../../../packages/desktop-agent/src/server/changes/index.ts';
import {
  findVersions,
  listVersions,
  readVersion,
  repositoryState,
  revertToVersion,
  undoCommit,
} from '../../../packages/desktop-agent/src/server/git/index.ts';
import { git, good, hideOwnGit, newApp, removeFolders, state } from '../changes/apps.ts';
import { checkOut, commit, nested, pack, packHeader, tree } from './objects.ts';

hideOwnGit();
afterAll(removeFolders);

const tooMuch = { code: 'limit_exceeded', message: expect.stringMatching(/too (?:much|large) to be read here/) };

async function planOf(app: string): Promise<Plan> {
  const changes = [{ type: 'write', path: 'b.txt', content: 'x' }] as const;
  return (await propose(app, { summary: 'Change', changes, dependencies: [], commands: [] })).plan as Plan;
}

describe('a repository whose folders name each other', () => {
  it.each([1, 255])('with names of %i letters is given up', async (letters) => {
    const app = newApp();
    const first = git(app, 'rev-parse', 'HEAD').trim();
    const bomb = commit(app, nested(app, 'd'.repeat(letters)), [first]);
    checkOut(app, bomb);
    expect((await listVersions(app)).versions.map(({ commit }) => commit)).toEqual([bomb, first]);
    await expect(readVersion(app, bomb)).rejects.toMatchObject(tooMuch);
    await expect(applyPlan(app, await planOf(app))).rejects.toMatchObject(tooMuch);
    await expect(editFile(app, 'b.txt', 'x', null)).rejects.toMatchObject(tooMuch);
    await expect(revertToVersion(app, first)).rejects.toMatchObject(tooMuch);
    await expect(undoCommit(app, bomb)).rejects.toMatchObject(tooMuch);
    checkOut(app, first);
    await expect(revertToVersion(app, bomb)).rejects.toMatchObject(tooMuch);
    await applyPlan(app, await planOf(app));
    expect(git(app, 'status', '--porcelain')).toBe('');
  });
});

describe('a pack', () => {
  it('with a file of 3 GB is read by what it says, and shown without it', async () => {
    const app = newApp();
    const oid = 'ab'.repeat(20);
    const size = 3 * 1024 ** 3;
    const zeros = deflateRawSync(Buffer.alloc(1024 * 1024), { level: 1, finishFlush: constants.Z_FULL_FLUSH });
    pack(app, oid, [packHeader(3, size), Buffer.of(0x78, 0x01), ...Array<Buffer>(3072).fill(zeros)]);
    const first = git(app, 'rev-parse', 'HEAD').trim();
    const bomb = commit(app, tree(app, [['100644', 'huge', oid]]), [first]);
    checkOut(app, bomb);
    expect((await readVersion(app, bomb)).files).toMatchObject([{ path: 'a.txt' }, { path: 'huge', hidden: 'large' }]);
    checkOut(app, first);
    await expect(revertToVersion(app, bomb)).rejects.toMatchObject(tooMuch);
  });

  it('with a file that is larger than it says is not unpacked any further', async () => {
    const app = newApp();
    const oid = 'ab'.repeat(20);
    pack(app, oid, [packHeader(3, 5), deflateSync(Buffer.alloc(1024 * 1024))]);
    const bomb = commit(app, tree(app, [['100644', 'liar', oid]]), []);
    await expect(readVersion(app, bomb)).rejects.toMatchObject({ code: 'no_git' });
  });

  it.each(['commit', 'file'])('with a delta of itself for a %s is broken, and said to be', async (what) => {
    const app = newApp();
    const oid = 'ab'.repeat(20);
    pack(app, oid, [packHeader(7, 4), Buffer.from(oid, 'hex'), deflateSync(Buffer.of(4, 4, 0x90, 4))]);
    const bomb = what === 'commit' ? oid : commit(app, tree(app, [['100644', 'ring', oid]]), []);
    checkOut(app, bomb);
    await expect(readVersion(app, bomb)).rejects.toMatchObject({
      code: 'no_git',
      message: expect.stringContaining('git fsck'),
    });
  });

  it('as git makes it is read, with deltas, and as git reads it', async () => {
    const lines = Array.from({ length: 3000 }, (_, n) => `line ${n} ${n * n}\n`);
    const app = newApp({ 'a/long.txt': lines.join('') });
    for (let n = 0; n < 20; n++) {
      lines[n * 100] = `changed ${n}\n`;
      writeFileSync(join(app, 'a/long.txt'), lines.join(''));
      git(app, 'commit', '-qam', `change ${n}`);
    }
    git(app, 'gc', '-q', '--aggressive', '--prune=now');
    const { versions } = await listVersions(app);
    expect(versions).toHaveLength(21);
    for (const { commit: oid } of versions.slice(0, 20)) {
      const { files } = await readVersion(app, oid);
      expect(files).toMatchObject([{ path: 'a/long.txt', added: 1, removed: 1 }]);
    }
    await revertToVersion(app, versions.at(-1)?.commit as string);
    expect(git(app, 'diff', versions.at(-1)?.commit as string, 'HEAD')).toBe('');
    expect(state(app)).toEqual(good);
  });
});

describe('a commit that git would not make', () => {
  it.each([
    ['a time that no calendar has', `author A <a@b> 1 +0000\ncommitter A <a@b> ${'9'.repeat(20)} +0000\n`, 'A'],
    ['nobody who made it', '', ''],
    ['a person without a time', 'author A\ncommitter B\n', 'A'],
  ])('with %s is listed all the same', async (_, people, author) => {
    const app = newApp();
    const first = git(app, 'rev-parse', 'HEAD').trim();
    const odd = commit(app, git(app, 'rev-parse', 'HEAD^{tree}').trim(), [first], people);
    checkOut(app, odd);
    expect((await listVersions(app)).versions).toMatchObject([
      { commit: odd, author, message: 'Bomb' },
      { commit: first },
    ]);
    expect(await findVersions(app, [odd])).toMatchObject([{ commit: odd }]);
    expect((await readVersion(app, odd)).files).toEqual([]);
    await applyPlan(app, await planOf(app));
  });
});

describe('what git keeps beside its objects', () => {
  it.each(['index', 'packed-refs', 'HEAD', 'config'])('%s of 900 MB is refused, and not read', async (name) => {
    const app = newApp();
    if (name === 'packed-refs') rmSync(join(app, '.git/refs/heads/main'));
    writeFileSync(join(app, '.git', name), '', { flag: 'a' });
    truncateSync(join(app, '.git', name), 900 * 1024 * 1024);
    await expect(editFile(app, 'b.txt', 'x', null)).rejects.toMatchObject(tooMuch);
    if (name !== 'index') await expect(repositoryState(app)).resolves.toMatchObject({ ready: false });
  });
});
