import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WorkerPool } from '../../../packages/desktop-agent/src/server/worker/pool.ts';
import { git, hideOwnGit, newApp, newFolder, removeFolders } from '../changes/apps.ts';
import { checkOut, commit, nested } from '../git/objects.ts';

hideOwnGit();
afterAll(removeFolders);

const pool = new WorkerPool();
afterAll(() => pool.end());

/** An app with a version that takes more than a second to read, and the one before it. */
function bombed(): { app: string; bomb: string; first: string } {
  const app = newApp();
  const first = git(app, 'rev-parse', 'HEAD').trim();
  const bomb = commit(app, nested(app, 'd'), [first]);
  checkOut(app, bomb);
  return { app, bomb, first };
}

describe('a task that takes too long', () => {
  it('is ended with the error of a repository that is too much, and the next one runs', async () => {
    const { app, bomb, first } = bombed();
    const late = pool.run('readVersion', [app, bomb], { timeoutMs: 100 });
    const next = pool.run('readVersion', [app, first], {});
    await expect(late).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: expect.stringContaining('more to read than is possible within 0.1 s'),
    });
    expect(await next).toMatchObject({ version: { commit: first } });
  });

  it('leaves a thread for other apps, and its own app waits for it', async () => {
    const { app, bomb, first } = bombed();
    const other = newApp();
    const ended: string[] = [];
    const run = async (name: string, args: [string, string]): Promise<void> => {
      await pool.run('readVersion', args, {}).catch(() => {});
      ended.push(name);
    };
    const head = git(other, 'rev-parse', 'HEAD').trim();
    await Promise.all([run('bomb', [app, bomb]), run('own', [app, first]), run('other', [other, head])]);
    expect(ended).toEqual(['other', 'bomb', 'own']);
  });
});

describe('a pool', () => {
  let app: string;
  beforeAll(() => {
    app = newApp();
  });

  it('gives errors with their codes, and takes what was aborted out of the queue', async () => {
    await expect(pool.run('readVersion', [app, 'f'.repeat(40)], {})).rejects.toMatchObject({
      name: 'AgentError',
      code: 'not_found',
    });
    await expect(pool.run('listVersions', [newFolder()], {})).rejects.toMatchObject({ code: 'no_git' });
    const signal = AbortSignal.abort();
    await expect(pool.run('listVersions', [app], { signal })).rejects.toMatchObject({ name: 'AbortError' });
    const aborting = new AbortController();
    const running = pool.run('listVersions', [app], {});
    const waiting = pool.run('listVersions', [app], { signal: aborting.signal });
    aborting.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    expect(await running).toMatchObject({ versions: [{}] });
  });

  it('whose threads have too little memory says so, and goes on', async () => {
    const small = new WorkerPool({ memoryMb: 32 });
    const lines = (mark: string): Buffer =>
      Buffer.from(Array.from({ length: 500_000 }, (_, n) => `${mark}${n}\n`).join(''));
    const sides = { path: 'a', before: lines('a'), after: lines('b') };
    await expect(small.run('reviewedDiff', [app, sides], {})).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: expect.stringContaining('memory'),
    });
    expect(await small.run('listVersions', [app], {})).toMatchObject({ versions: [{}] });
    await small.end();
  });

  it('that is ended fails what it is at and what waits, and starts again when it is asked', async () => {
    const { app: slow, bomb, first } = bombed();
    const all = [bomb, first].map((oid) => pool.run('readVersion', [slow, oid], {}));
    const settled = Promise.allSettled(all);
    await pool.end();
    expect(await settled).toMatchObject([{ status: 'rejected' }, { status: 'rejected', reason: { code: 'internal' } }]);
    expect(await pool.run('listVersions', [app], {})).toMatchObject({ versions: [{}] });
  });

  it('runs with the settings of git that the person has now', async () => {
    const before = process.env['GIT_CONFIG_GLOBAL'];
    const own = newApp({ 'a.txt': '1' });
    const config = newFolder({ ignore: 'b.txt\n' });
    writeFileSync(join(config, 'config'), `[core]\n\texcludesFile = ${config}/ignore\n`);
    expect(await pool.run('ignoresAll', [own, ['b.txt']], {})).toBe(false);
    process.env['GIT_CONFIG_GLOBAL'] = join(config, 'config');
    try {
      expect(await pool.run('ignoresAll', [own, ['b.txt']], {})).toBe(true);
    } finally {
      process.env['GIT_CONFIG_GLOBAL'] = before;
    }
  });
});
