// Each moment in which a change can be cut off, one by one: `npm run stress -- agent` cuts at random ones.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { hashOf } from '../../../packages/desktop-agent/src/server/changes/app-files.ts';
import { editFile, recover } from '../../../packages/desktop-agent/src/server/changes/index.ts';
import { wasInterrupted } from '../../../packages/desktop-agent/src/server/changes/interrupted.ts';
import { useJournalKey } from '../../../packages/desktop-agent/src/server/changes/journal-key.ts';
import { Staging, swapModules, type Journal } from '../../../packages/desktop-agent/src/server/changes/journal.ts';
import { openRepository } from '../../../packages/desktop-agent/src/server/git/repository.ts';
import { filesOf, git, good, hideOwnGit, newApp, newFolder, put, removeFolders, state, subjects } from './apps.ts';

hideOwnGit();
afterAll(removeFolders);

const old = { 'a.txt': 'old', 'gone/b.txt': 'old', '.gitignore': 'node_modules\n' };

/** An app in which a change of three files lies ready, with its journal: nothing of it is done yet. */
async function begun(own = false) {
  const app = newApp(old);
  const head = git(app, 'rev-parse', 'HEAD').trim();
  const staging = new Staging(await openRepository(app));
  put(staging.folder, { 'old/0': 'old', 'old/1': 'old', 'new/0': 'new', 'new/2': 'new' });
  const journal: Journal = {
    version: 1,
    prefix: '',
    head: { ref: 'refs/heads/main', commit: head },
    commit: 'f'.repeat(40),
    steps: [
      { path: 'a.txt', old: hashOf('old'), new: hashOf('new') },
      { path: 'gone/b.txt', old: hashOf('old'), new: null },
      { path: 'in/new/c.txt', old: null, new: hashOf('new') },
    ],
    folders: ['in', 'in/new'],
    modules: null,
    own,
  };
  await staging.write(journal);
  return { app, staging, journal };
}

/** What a change does after its journal, in its order. */
const moments: ((app: string, staging: Staging) => void)[] = [
  (app) => rmSync(join(app, 'gone'), { recursive: true }),
  (app, staging) => renameSync(staging.new(0), join(app, 'a.txt')),
  (app) => void mkdirSync(join(app, 'in/new'), { recursive: true }),
  (app, staging) => renameSync(staging.new(2), join(app, 'in/new/c.txt')),
  (app) => void git(app, 'add', '-A'),
];

describe('a change that was cut off', () => {
  it.each([0, 1, 2, 3, 4, 5])('after %i of its five steps is taken back', async (count) => {
    const { app, staging } = await begun();
    for (const step of moments.slice(0, count)) step(app, staging);
    expect(wasInterrupted(app)).toBe(true);
    expect(await recover(app)).toEqual({ outcome: 'taken-back', notes: [] });
    expect(filesOf(app)).toEqual(old);
    expect(state(app)).toEqual(good);
    expect(readdirSync(app).sort()).toEqual(['.git', '.gitignore', 'a.txt', 'gone']);
    expect(wasInterrupted(app)).toBe(false);
    expect(await recover(app)).toEqual({ outcome: 'nothing', notes: [] });
  });

  it('while it was taken back is taken back by the next one', async () => {
    const { app, staging } = await begun();
    for (const step of moments) step(app, staging);
    renameSync(staging.old(0), join(app, 'a.txt'));
    expect((await recover(app)).outcome).toBe('taken-back');
    expect(filesOf(app)).toEqual(old);
    expect(state(app)).toEqual(good);
  });

  it('after HEAD has moved is made, also when the person went on from there', async () => {
    const { app, staging, journal } = await begun();
    for (const step of moments) step(app, staging);
    git(app, 'commit', '-qm', 'made');
    await staging.write({ ...journal, commit: git(app, 'rev-parse', 'HEAD').trim() });
    git(app, 'commit', '-qm', 'next', '--allow-empty');
    expect((await recover(app)).outcome).toBe('finished');
    expect(filesOf(app)).toMatchObject({ 'a.txt': 'new', 'in/new/c.txt': 'new' });
    expect(state(app)).toEqual(good);
  });

  it('leaves what the person has made of a file meanwhile', async () => {
    const { app, staging } = await begun();
    for (const step of moments) step(app, staging);
    put(app, { 'a.txt': 'mine', 'in/mine.txt': 'mine' });
    const { outcome, notes } = await recover(app);
    expect([outcome, notes]).toEqual([
      'taken-back',
      ['a.txt was changed by someone else meanwhile, and stays as it is.'],
    ]);
    expect(filesOf(app)).toEqual({ ...old, 'a.txt': 'mine', 'in/mine.txt': 'mine' });
  });

  it('is kept aside when the person has other commits by now', async () => {
    const { app, staging } = await begun();
    moments[1]?.(app, staging);
    git(app, 'commit', '-qam', 'as it was found');
    const { outcome, notes } = await recover(app);
    expect([outcome, notes.length]).toEqual(['nothing', 1]);
    expect(filesOf(app)).toMatchObject({ 'a.txt': 'new', 'gone/b.txt': 'old' });
    expect(subjects(app)).toEqual(['as it was found', 'first']);
  });

  it('with a journal that leads elsewhere touches nothing there', async () => {
    const { app, staging, journal } = await begun();
    const outside = newFolder({ x: 'new' });
    mkdirSync(join(outside, 'empty'));
    const paths = [`../${basename(outside)}/x`, join(outside, 'x'), '.git/HEAD'];
    const steps = paths.map((path) => ({ path, old: null, new: hashOf('new') }));
    const folders = [`../${basename(outside)}/empty`, '.git/refs/tags'];
    await staging.write({ ...journal, steps: steps.slice(0, 2), folders });
    await recover(app);
    expect(readdirSync(outside).sort()).toEqual(['empty', 'x']);
    mkdirSync(staging.folder);
    await staging.write({ ...journal, steps: steps.slice(2), folders, own: true });
    await recover(app);
    expect(existsSync(join(app, '.git/HEAD'))).toBe(true);
    expect(existsSync(join(app, '.git/refs/tags'))).toBe(true);
  });

  it('puts nothing in the place of a file but what was there', async () => {
    const { app, staging } = await begun();
    moments[1]?.(app, staging);
    put(staging.folder, { 'old/0': 'planted' });
    expect((await recover(app)).notes).toEqual(['The former content of a.txt is missing.']);
    expect(filesOf(app)).toMatchObject({ 'a.txt': 'new' });
  });

  it("whose journal this program has not written here is put aside, and stands in no one's way", async () => {
    const { app, staging, journal } = await begun(true);
    const planted = { ...journal, steps: [{ path: '.env', old: hashOf('old'), new: null }] };
    await staging.write(planted);
    const signed = readFileSync(staging.journal, 'utf8');
    const before = filesOf(app);
    const other = newApp(old);
    const attempts: [string, string][] = [
      [app, JSON.stringify(planted)],
      [app, JSON.stringify({ journal: JSON.stringify(planted), signature: '0'.repeat(64) })],
      [app, signed.replace('.env', '.npmrc')],
      // Ours, in another folder: an archive of this app, which someone gave back.
      [other, signed],
      [app, '{'],
    ];
    for (const [folder, text] of attempts) {
      put(join(folder, '.git/mustard-agent/apply'), { 'journal.json': text, 'old/0': 'old' });
      expect((await recover(folder)).notes).toEqual([expect.stringContaining('not written by this program here')]);
      expect(wasInterrupted(folder)).toBe(false);
    }
    expect([filesOf(app), filesOf(other)]).toEqual([before, old]);
    await editFile(app, 'b', 'x', null);
    expect(subjects(app)[0]).toBe('Edit b');
  });

  it('is known again by the next start, by a key of its data folder that only this user may read', async () => {
    const data = newFolder();
    await useJournalKey(data);
    const { app } = await begun();
    await useJournalKey(newFolder());
    await useJournalKey(data);
    expect((await recover(app)).outcome).toBe('taken-back');
    expect(statSync(join(data, 'journal.key')).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['before the packages were there', true, 0],
    ['between the two renames of the packages', true, 1],
    ['after the packages were there', true, 2],
    ['before the first packages were there', false, 0],
    ['after the first packages were there', false, 2],
  ])('%s gives the app its own back', async (_, had, renames) => {
    const { app, staging, journal } = await begun();
    if (had) put(app, { 'node_modules/old.js': 'old' });
    put(staging.folder, { 'new-modules/new.js': 'new' });
    await staging.write({ ...journal, modules: { had } });
    const files = filesOf(app);
    if (renames === 1) renameSync(join(app, 'node_modules'), staging.oldModules);
    if (renames === 2) swapModules(app, staging, had, 'in');
    expect((await recover(app)).outcome).toBe('taken-back');
    expect(filesOf(app)).toEqual(files);
    expect(state(app)).toEqual(good);
  });

  it('leaves no lock of git, and that of a git that is at work', async () => {
    const app = newApp();
    const { files } = await openRepository(app);
    await files.lockIndex();
    expect(wasInterrupted(app)).toBe(true);
    await recover(app);
    expect(existsSync(join(app, '.git/index.lock'))).toBe(false);
    writeFileSync(join(app, '.git/index.lock'), '');
    await recover(app);
    expect(existsSync(join(app, '.git/index.lock'))).toBe(true);
  });
});

it('a change that is made is never called taken back, also when its leftovers cannot be removed', async () => {
  const app = newApp(old);
  const removal = vi.spyOn(Staging.prototype, 'remove').mockImplementation(async function (
    this: Staging,
  ): Promise<void> {
    if (existsSync(this.journal)) throw new Error('the disk is gone');
    rmSync(this.folder, { recursive: true, force: true });
  });
  const { commit } = await editFile(app, 'a.txt', 'new', hashOf('old')).finally(() => removal.mockRestore());
  expect(commit).toBe(git(app, 'rev-parse', 'HEAD').trim());
  expect(await recover(app)).toMatchObject({ outcome: 'finished', commit });
  expect(filesOf(app)).toEqual({ ...old, 'a.txt': 'new' });
  expect(state(app)).toEqual(good);
});
