import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Change, Wanted } from '../../../../packages/desktop-agent/src/server/changes/index.ts';
import type { Choice } from '../../../../packages/desktop-agent/src/shared/contract/index.ts';
import { load } from '../../turns/support.ts';
import { filesOf, git, hideOwnGit, newApp, newFolder, put, state } from '../apps.ts';

type Changes = typeof import('../../../../packages/desktop-agent/src/server/changes/index.ts');
const { applyPlan, changesOfEdit, choose, editProposed, propose, readProposed } =
  await load<Changes>('server/changes/index.js');
hideOwnGit();

const block = (search: string, replacement: string): string =>
  `<<<<<<< SEARCH\n${search}=======\n${replacement}>>>>>>> REPLACE\n`;
const wanting = (...changes: Change[]): Wanted => ({ summary: 'Edit', changes, dependencies: [], commands: [] });
const edit = (path: string, search: string, replacement: string): Change[] =>
  changesOfEdit(path, block(search, replacement));
const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

async function proposed(app: string, ...changes: Change[]) {
  const { proposal, plan, ...rest } = await propose(app, wanting(...changes));
  if (plan === null) throw new Error(proposal.error);
  return { proposal, plan, ...rest };
}
const choice = (files: Choice['files'], dependencies = true): Choice => ({ files, dependencies });

describe('edits become a proposal', () => {
  test('of the file as it is, after deletions and renames, one edit upon the other', async () => {
    const app = newApp({ 'a.txt': lines(9), 'old.txt': 'x\ny\n' });
    chmodSync(join(app, 'old.txt'), 0o755);
    const { plan, proposal } = await proposed(
      app,
      ...edit('a.txt', 'line 2\n', 'second\n'),
      ...edit('a.txt', 'second\n', 'zweite\n'),
      { type: 'rename', from: 'old.txt', to: 'new.txt' },
      ...edit('new.txt', 'y\n', 'z\n'),
    );
    expect(proposal.needsPerson).toBeUndefined();
    expect(proposal.files.map(({ path, change }) => `${change} ${path}`)).toEqual(['renamed new.txt', 'changed a.txt']);
    await applyPlan(app, plan);
    expect(filesOf(app)).toEqual({ 'a.txt': lines(9).replace('line 2', 'zweite'), 'new.txt': 'x\nz\n' });
    expect(statSync(join(app, 'new.txt')).mode & 0o100).toBe(0o100);
    expect(state(app)).toEqual({ status: '', broken: '' });
  });

  test('where it was put in another way than was said stands at its file, and a person decides', async () => {
    const app = newApp({ 'a.py': 'def a():\n\treturn 1\n' });
    const { proposal } = await proposed(app, ...edit('a.py', '    return 1\n', '    return 2\n'));
    expect(proposal.files[0]?.inexact).toEqual(['Block 1 has other white space than the file at line 2']);
    expect(proposal.needsPerson).toBe(true);
  });

  test('an edit that does not fit is left out as a whole, and the others are proposed', async () => {
    const app = newApp({ 'a.txt': 'a\na\n', 'b.txt': 'b\n' });
    const changes = [
      ...changesOfEdit('a.txt', block('nothing\n', 'x\n') + block('a\na\n', 'y\n')),
      ...edit('b.txt', 'b\n', 'c\n'),
      ...changesOfEdit('c.txt', 'no blocks'),
      ...edit('missing.txt', 'x\n', 'y\n'),
    ];
    const { proposal, notes, misplaced } = await propose(app, wanting(...changes));
    expect(misplaced).toEqual([0, 2, 3]);
    expect(proposal).toMatchObject({ state: 'pending', needsPerson: true });
    expect(proposal.leftOut).toBeUndefined();
    expect(proposal.misplaced?.map(({ path }) => path)).toEqual(['a.txt', 'c.txt', 'missing.txt']);
    expect(notes[0]).toContain('"a.txt" is left out: Block 1: the file has no lines like "nothing"');
    expect(proposal.files.map(({ path }) => path)).toEqual(['b.txt']);
    const nothing = await propose(app, wanting(changes[0] as Change));
    expect(nothing).toMatchObject({ plan: null, misplaced: [0], proposal: { state: 'failed' } });
    expect(nothing.proposal.error).toContain('"a.txt" is left out');
  });

  test('denied names, what is outside, links, binary and large files are refused', async () => {
    const outside = newFolder({ 'secret.txt': 'a\n' });
    const app = newApp({
      '.env': 'KEY=1\n',
      'image.bin': Buffer.from([97, 10, 0, 1, 2, 10]),
      'latin.txt': Buffer.from([0xe4, 10]),
      'large.txt': 'a\n'.repeat(3_000_000),
      'ok.txt': 'a\n',
    });
    symlinkSync(join(outside, 'secret.txt'), join(app, 'link.txt'));
    const diff = (path: string): Change[] => changesOfEdit('', `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`);
    const changes = [
      ...edit('.env', 'KEY=1\n', 'KEY=2\n'),
      ...diff('.git/config'),
      ...diff('../secret.txt'),
      ...diff(`${outside.slice(1)}/secret.txt`),
      ...edit(join(outside, 'secret.txt'), 'a\n', 'b\n'),
      ...edit('link.txt', 'a\n', 'b\n'),
      ...edit('image.bin', 'a\n', 'b\n'),
      ...edit('latin.txt', 'a\n', 'b\n'),
      ...edit('large.txt', 'a\n', 'b\n'),
      ...edit('ok.txt', 'a\n', 'b\0\n'),
      ...diff('ok.txt'),
    ];
    const { proposal, plan } = await propose(app, wanting(...changes));
    expect(proposal.files.map(({ path }) => path)).toEqual(['ok.txt']);
    expect([...(proposal.leftOut ?? []), ...(proposal.misplaced ?? []).map(({ path }) => path)]).toHaveLength(10);
    expect(plan?.effects).toEqual([{ path: 'ok.txt', kind: 'write', content: 'b\n' }]);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('a\n');
  });

  test('a diff that says that a file is new is refused where there is one', async () => {
    const app = newApp({ 'a.txt': 'a\n' });
    const isNew = changesOfEdit('', '--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+b\n');
    expect((await propose(app, wanting(...isNew))).proposal.error).toContain('says that this file is new');
    const other = changesOfEdit('', '--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+b\n');
    expect((await proposed(app, ...other)).plan.effects).toEqual([{ path: 'b.txt', kind: 'write', content: 'b\n' }]);
  });
});

describe('a person approves a part', () => {
  const many = lines(60);
  const after = many.replace('line 5\n', 'FIVE\n').replace('line 30\n', '').replace('line 55\n', 'line 55\nmore\n');

  test('by hunk: the others are as before, and the message of the commit counts what is done', async () => {
    const app = newApp({ 'a.txt': many, 'b.txt': 'b\n' });
    const made = await proposed(
      app,
      { type: 'write', path: 'a.txt', content: after },
      { type: 'write', path: 'b.txt', content: 'c\n' },
    );
    expect(made.proposal.files[0]?.hunks).toHaveLength(3);
    const part = await choose(app, made, choice([{ path: 'a.txt', hunks: [0, 2] }]));
    expect(part.proposal.declined).toEqual(['1 of 3 hunks of a.txt', 'b.txt']);
    expect(part.proposal.files).toMatchObject([{ path: 'a.txt', added: 2, removed: 1 }]);
    expect(part.proposal.files[0]?.hunks.map(({ oldStart, newStart }) => [oldStart, newStart])).toEqual([
      [2, 2],
      [53, 53],
    ]);
    await applyPlan(app, part.plan);
    expect(readFileSync(join(app, 'a.txt'), 'utf8')).toBe(
      many.replace('line 5\n', 'FIVE\n').replace('line 55\n', 'line 55\nmore\n'),
    );
    expect(readFileSync(join(app, 'b.txt'), 'utf8')).toBe('b\n');
    expect(git(app, 'log', '-1', '--format=%s')).toBe('[agent] Edit - wrote 1 file(s)\n');
    expect(state(app)).toEqual({ status: '', broken: '' });
  });

  test('while the file changed on the disk: both changes are merged, or nothing is done', async () => {
    const app = newApp({ 'a.txt': many });
    const made = await proposed(app, { type: 'write', path: 'a.txt', content: after });
    const part = await choose(app, made, choice([{ path: 'a.txt', hunks: [0] }]));
    put(app, { 'a.txt': many.replace('line 30\n', 'by hand\n') });
    await applyPlan(app, part.plan);
    expect(readFileSync(join(app, 'a.txt'), 'utf8')).toBe(
      many.replace('line 5\n', 'FIVE\n').replace('line 30\n', 'by hand\n'),
    );
    put(app, { 'a.txt': many.replace('line 30\n', 'other\n') });
    const middle = await choose(app, made, choice([{ path: 'a.txt', hunks: [1] }]));
    await expect(applyPlan(app, middle.plan)).rejects.toMatchObject({ code: 'changed' });
    expect(readFileSync(join(app, 'a.txt'), 'utf8')).toBe(many.replace('line 30\n', 'other\n'));
  });

  test('a rename goes whole: without its hunks it moves only, and halves of a swap are refused', async () => {
    const app = newApp({ 'a.txt': many, 'b.txt': 'b\n', 'c.txt': 'c\n' });
    const made = await proposed(
      app,
      { type: 'rename', from: 'a.txt', to: 'moved.txt' },
      { type: 'rename', from: 'b.txt', to: 'a.txt' },
      { type: 'write', path: 'moved.txt', content: after },
      { type: 'delete', path: 'c.txt' },
    );
    const chosen = (files: Choice['files']) => choose(app, made, choice(files));
    await expect(chosen([{ path: 'moved.txt' }])).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(chosen([{ path: 'nowhere.txt' }])).rejects.toThrow('is not in this proposal');
    await expect(chosen([{ path: 'moved.txt', hunks: [3] }])).rejects.toThrow('has no such hunk');
    await expect(chosen([])).rejects.toThrow('Nothing is chosen');
    await expect(chosen([{ path: 'moved.txt', hunks: [] }, { path: 'a.txt' }])).rejects.toThrow('part of two changes');
    await applyPlan(app, (await chosen([{ path: 'moved.txt' }, { path: 'a.txt' }])).plan);
    expect(filesOf(app)).toEqual({ 'a.txt': 'b\n', 'moved.txt': after, 'c.txt': 'c\n' });
    const [rename, write]: [Change, Change] = [
      { type: 'rename', from: 'moved.txt', to: 'again.txt' },
      { type: 'write', path: 'again.txt', content: many },
    ];
    const again = await proposed(app, rename, write);
    expect((await choose(app, again, choice([{ path: 'again.txt', hunks: [1] }]))).plan.effects[0]).toEqual({
      path: 'again.txt',
      kind: 'write',
      from: 'moved.txt',
      content: after.replace('line 31\n', 'line 30\nline 31\n'),
    });
    await applyPlan(app, (await choose(app, again, choice([{ path: 'again.txt', hunks: [] }]))).plan);
    expect(filesOf(app)).toEqual({ 'a.txt': 'b\n', 'again.txt': after, 'c.txt': 'c\n' });
  });

  test('of a file that cannot be shown whole, no part; packages only when they are chosen', async () => {
    const app = newApp({ 'a.txt': lines(60_000), 'package.json': '{}' });
    const content = lines(60_000).replaceAll('line', 'row');
    const made = await propose(app, {
      ...wanting({ type: 'write', path: 'a.txt', content }),
      dependencies: ['zod'],
    });
    if (made.plan === null) throw new Error(made.proposal.error);
    const { plan, proposal } = made;
    expect(proposal.files[0]?.hidden).toBe('large');
    const part = await choose(app, { plan, proposal }, choice([{ path: 'a.txt' }], false));
    expect(part.plan).toMatchObject({ dependencies: [], counts: { wrote: 1 } });
    expect(part.proposal.declined).toEqual(['zod']);
    await expect(choose(app, { plan, proposal }, choice([{ path: 'a.txt', hunks: [] }], false))).rejects.toThrow(
      'Not all of a.txt can be shown',
    );
  });

  test('names that are one on some disks are refused, also where a part makes them so', async () => {
    const app = newApp({ 'Read.txt': 'a\n' });
    const made = await proposed(
      app,
      { type: 'delete', path: 'Read.txt' },
      { type: 'write', path: 'read.txt', content: 'b\n' },
    );
    await expect(choose(app, made, choice([{ path: 'read.txt' }]))).rejects.toMatchObject({ code: 'unsafe_path' });
  });
});

describe('a person edits what is proposed', () => {
  test('and exactly that is applied, with a diff of it', async () => {
    const app = newApp({ 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' });
    const made = await proposed(
      app,
      { type: 'write', path: 'a.txt', content: 'one\nmodel\n' },
      { type: 'rename', from: 'b.txt', to: 'c.txt' },
    );
    expect(await readProposed(app, made.plan, 'a.txt')).toBe('one\nmodel\n');
    expect(await readProposed(app, made.plan, 'c.txt')).toBe('b\n');
    const once = await editProposed(app, made, { path: 'a.txt', content: 'one\r\nperson' });
    const twice = await editProposed(app, once, { path: 'c.txt', content: 'moved and edited\n' });
    expect(twice.proposal).toMatchObject({ revision: 2, problems: null });
    expect(twice.proposal.files).toMatchObject([
      { path: 'c.txt', from: 'b.txt', edited: true, change: 'renamed' },
      { path: 'a.txt', edited: true, change: 'changed' },
    ]);
    await applyPlan(app, twice.plan);
    expect(filesOf(app)).toEqual({ 'a.txt': 'one\r\nperson', 'c.txt': 'moved and edited\n' });
  });

  test('not over another file than the one that was read, and not to what is there', async () => {
    const app = newApp({ 'a.txt': 'one\n', 'gone.txt': 'x\n' });
    const made = await proposed(
      app,
      { type: 'write', path: 'a.txt', content: 'two\n' },
      { type: 'delete', path: 'gone.txt' },
    );
    const edited = (path: string, content: string) => editProposed(app, made, { path, content });
    await expect(edited('gone.txt', 'x')).rejects.toMatchObject({ code: 'not_found' });
    await expect(edited('b.txt', 'x')).rejects.toMatchObject({ code: 'not_found' });
    await expect(edited('a.txt', 'one\n')).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(edited('a.txt', 'a\0')).rejects.toMatchObject({ code: 'limit_exceeded' });
    writeFileSync(join(app, 'a.txt'), 'by hand\n');
    await expect(edited('a.txt', 'three\n')).rejects.toMatchObject({ code: 'changed' });
    expect(existsSync(join(app, 'gone.txt'))).toBe(true);
  });
});
