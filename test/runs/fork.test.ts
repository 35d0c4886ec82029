import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from '@mustard-sandbox/runs';
import { describe, expect, test } from 'vitest';
import { counting, folder, host } from './support.ts';

const ask = { name: 'ask', description: 'asks' };

describe('a run that is forked at a past call', () => {
  const script = `const a = await add(1); const b = await add(a + 1); const c = await add(b + 1); [a, b, c]`;

  test('goes another way from there; what came before is not made again', async () => {
    const add = counting('add');
    const { runs } = host([add]);
    const run = await runs.startRun({ script });
    expect(run.value).toEqual([1, 2, 3]);
    const fork = await runs.fork(run.id, { call: 2, answer: { value: 50 }, by: 'ann' });
    expect(fork).toMatchObject({ state: 'completed', value: [1, 50, 51], forkOf: { run: run.id, call: 2 } });
    expect(add.made).toEqual([1, 2, 3, 51]);
    expect(new Set(add.keys).size).toBe(4);
    expect(await runs.get(run.id)).toMatchObject({ value: [1, 2, 3] });
    const [, changed] = await runs.audit(fork.id);
    expect(changed).toMatchObject({ id: 2, by: 'ann', args: [2], state: 'answered' });
    const again = await runs.fork(fork.id, { call: 1, answer: { value: 7 } });
    expect(again).toMatchObject({ value: [7, 8, 9], forkOf: { run: fork.id, call: 1 } });
    const third = await runs.fork(fork.id, { call: 3, answer: { value: 'last' } });
    expect(third.value).toEqual([1, 50, 'last']);
  });

  test('an answer may become an error, and a failed run go on', async () => {
    const { runs } = host([counting('add', { execute: () => Promise.reject(new Error('down')) })]);
    const failed = await runs.startRun({ script: 'await add(1) + 1' });
    expect(failed.state).toBe('failed');
    expect(await runs.fork(failed.id, { call: 1, answer: { value: 41 } })).toMatchObject({ value: 42 });
    const caught = host([counting('add')]);
    const run = await caught.runs.startRun({ script: 'try { await add(1) } catch (error) { error.code }' });
    const error = { name: 'Error', message: 'gone', code: 'E_GONE' };
    expect(await caught.runs.fork(run.id, { call: 1, answer: { error } })).toMatchObject({ value: 'E_GONE' });
  });

  test('calls side by side keep their answers, and those that wait are asked for again', async () => {
    const add = counting('add');
    const { runs } = host([add, ask]);
    const source = `const [a, b, c] = await Promise.all([add(1), add(2), ask('c')]); [a, b, c, await add(9)]`;
    const run = await runs.startRun({ script: source });
    const fork = await runs.fork(run.id, { call: 1, answer: { value: 'x' } });
    expect(fork).toMatchObject({ state: 'waiting', waitsFor: ['calls'], calls: [{ id: 3, args: ['c'] }] });
    expect(await runs.resume(fork.id, [{ id: 3, value: 'y' }])).toMatchObject({ value: ['x', 2, 'y', 9] });
    expect((await runs.get(run.id)).state).toBe('waiting');
    expect(add.made).toEqual([1, 2, 9]);
  });

  test('a race ends as it did', async () => {
    const { runs } = host([counting('add'), ask]);
    const source = `const slow = ask('slow'); const winner = await Promise.race([slow, ask('fast')]);
      const after = await add('after ' + winner); [winner, await slow, after]`;
    const run = await runs.startRun({ script: source });
    await runs.resume(run.id, [{ id: 2, value: 'fast' }]);
    const done = await runs.resume(run.id, [{ id: 1, value: 'slow' }]);
    expect(done.value).toEqual(['fast', 'slow', 'after fast']);
    const fork = await runs.fork(run.id, { call: 3, answer: { value: 'changed' } });
    expect(fork.value).toEqual(['fast', 'slow', 'changed']);
  });

  test('rules that were kept for the run do not hold for the fork', async () => {
    const write = counting('write');
    const { runs } = host([write], {
      policy: (_, { rules }) =>
        rules.includes('any') ? { action: 'allow', by: 'kept' } : { action: 'ask', rule: 'any' },
    });
    const run = await runs.startRun({ script: 'await write(1); await write(2); await write(3)' });
    const done = await runs.resume(run.id, [{ id: 1, approve: true, remember: 'run' }]);
    expect(done.state).toBe('completed');
    const fork = await runs.fork(run.id, { call: 2, answer: { value: 'no' } });
    expect(fork).toMatchObject({ state: 'waiting', waitsFor: ['approvals'], calls: [{ id: 3 }] });
  });

  test('the same id gives the same fork, also at a time', async () => {
    const add = counting('add');
    const { runs, again } = host([add]);
    const { id } = await runs.startRun({ script });
    const options = { call: 2, answer: { value: 0 }, id: 'fork-1' };
    const all = await Promise.all([runs, again(), again()].map((each) => each.fork(id, options)));
    await expect.poll(async () => (await runs.get('fork-1')).state).toBe('completed');
    expect(new Set(all.map((run: Run) => run.id))).toEqual(new Set(['fork-1']));
    expect(add.made).toEqual([1, 2, 3, 1]);
  });

  test('is refused without an answer, in another tenant, by a wrong id, and where an outcome before it is unknown', async () => {
    const { runs, again } = host([counting('add'), ask]);
    const run = await runs.startRun({ script: 'await Promise.all([add(1), ask(2)])' });
    const code = (promise: Promise<unknown>): Promise<string> =>
      promise.then(
        () => 'none',
        (error: { code: string }) => error.code,
      );
    const answer = { value: 1 };
    expect(await code(runs.fork(run.id, { call: 2, answer }))).toBe('not_pending');
    expect(await code(runs.fork(run.id, { call: 9, answer }))).toBe('not_pending');
    expect(await code(runs.fork('missing', { call: 1, answer }))).toBe('not_found');
    expect(await code(again({ tenant: 'other' }).fork(run.id, { call: 1, answer }))).toBe('not_found');
    expect(await code(runs.fork(run.id, { call: 1, answer, id: '../evil' }))).toBe('invalid_request');
  });

  test('a script that depends on chance says so', async () => {
    const { runs } = host([counting('add')]);
    const run = await runs.startRun({ script: 'await add(Math.random()); await add(2)' });
    const fork = await runs.fork(run.id, { call: 2, answer: { value: 1 } });
    expect(fork).toMatchObject({ state: 'failed', problem: { code: 'ledger_mismatch' } });
  });

  test('large answers go along while the run has them, and are named once they are gone', async () => {
    const large = folder();
    const big = counting('big', { execute: () => Array.from({ length: 20_000 }, (_, n) => `row ${n}`) });
    const { runs } = host([big, ask], { largeAnswers: { folder: large } });
    const source = `const rows = await big(); const n = await ask(1); search(rows.attachment, 'row 19999', { count: true }) + n`;
    const run = await runs.startRun({ script: source });
    const done = await runs.startRun({ script: source.replace('ask(1)', 'ask(1)') });
    await runs.resume(run.id, [{ id: 2, value: 1 }]).catch(() => {});
    await expect(runs.fork(run.id, { call: 2, answer: { value: 5 } })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect(existsSync(join(large, run.id))).toBe(false);
    const second = await runs.fork(done.id, { call: 1, answer: { value: Array.from({ length: 20_000 }, () => 'z') } });
    expect(second).toMatchObject({ state: 'waiting', waitsFor: ['calls'] });
    expect(existsSync(join(large, second.id))).toBe(true);
  });

  test('what was proposed before is proposed again, and not made', async () => {
    const written: unknown[] = [];
    const write = { ...counting('write', { execute: (input) => written.push(input) }), standIn: () => 'new' };
    const { runs } = host([write, counting('add')]);
    const source = `const id = await write('a'); const n = await add(1); await write(id + n); n`;
    const run = await runs.startRun({ script: source, writes: 'propose' });
    await runs.resume(run.id, [{ proposal: 'deny' }]);
    const fork = await runs.fork(run.id, { call: 2, answer: { value: 5 } });
    expect(fork).toMatchObject({ state: 'waiting', waitsFor: ['proposal'], value: 5 });
    expect(written).toEqual([]);
  });
});
