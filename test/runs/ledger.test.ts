import { createHash } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { later, type Policy, type Remembered, type RunsOptions } from '@mustard-sandbox/runs';
import { describe, expect, test } from 'vitest';
import { counting, folder, host, type Host } from './support.ts';

describe('tools in namespaces', () => {
  test('are called as members, by the same name in the ledger', async () => {
    const add = counting('math.add', { execute: ([a, b]: number[]) => (a as number) + (b as number) });
    const { runs } = host([add, counting('plain')]);
    const run = await runs.startRun({ script: 'await math.add([1, await plain(2)])' });
    expect(run.value).toBe(3);
    expect((await runs.audit(run.id)).map(({ tool }) => tool)).toEqual(['plain', 'math.add']);
  });

  test.each(['a.then', 'a.b.c', 'console.log', 'read_file', 'a.__proto__', ''])('%s is refused', (name) => {
    expect(() => host([counting(name)])).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});

describe('a policy', () => {
  const byTool: Policy = ({ tool }, { rules, calls }) => {
    if (rules.includes(tool)) return { action: 'allow', by: 'remembered' };
    if (tool === 'deny') return { action: 'deny', message: 'never', code: 'capability_denied', by: 'rule 1' };
    if (tool === 'ask') return { action: 'ask', rule: tool };
    if (calls.length > 3) return { action: 'deny', message: 'enough', code: 'limit_exceeded' };
    return { action: 'allow', by: 'rule 2' };
  };

  test('lets a call be made, refuses it, or asks; the script can catch what it refuses', async () => {
    const [go, deny, ask] = ['go', 'deny', 'ask'].map((name) => counting(name)) as [Counting, Counting, Counting];
    const { runs } = host([go, deny, ask], { policy: byTool });
    const script = `const seen = [];
      for (const f of [go, deny, ask, go, go]) seen.push(await f(seen.length).catch((error) => error.code));
      seen`;
    const waiting = await runs.startRun({ script });
    expect(waiting.calls).toMatchObject([{ tool: 'ask', rule: 'ask', state: 'approval' }]);
    const run = await runs.resume(waiting.id, [{ id: 3, approve: true, by: 'ann' }]);
    expect(run.value).toEqual([0, 'capability_denied', 2, 3, 'limit_exceeded']);
    expect([go.made, deny.made, ask.made]).toEqual([[0, 3], [], [2]]);
    const audit = await runs.audit(run.id);
    expect(audit.map(({ ruling, by, failed }) => [ruling, by, failed])).toEqual([
      ['allowed', 'rule 2', false],
      ['refused', 'rule 1', true],
      ['approved', 'ann', false],
      ['allowed', 'rule 2', false],
      ['refused', undefined, true],
    ]);
  });

  test('that fails asks', async () => {
    const policy: Policy = () => {
      throw new Error('broken');
    };
    const { runs } = host([counting('go')], { policy });
    expect(await runs.startRun({ script: 'await go(1)' })).toMatchObject({ waitsFor: ['approvals'] });
  });

  test('that remembers decides the calls that wait, those that come, and no other run', async () => {
    const ask = counting('ask');
    const kept: Remembered[] = [];
    const { runs, again } = host([ask], { policy: byTool, onAlways: (remembered) => void kept.push(remembered) });
    const script = '[...(await Promise.all([ask(1), ask(2)])), await ask(3)]';
    const first = await runs.startRun({ script });
    const run = await again().resume(first.id, [{ id: 2, approve: true, remember: 'run' }]);
    expect(run.value).toEqual([1, 2, 3]);
    expect((await runs.audit(run.id)).map(({ ruling, by }) => [ruling, by])).toEqual([
      ['allowed', 'remembered'],
      ['approved', undefined],
      ['allowed', 'remembered'],
    ]);
    expect(kept).toEqual([]);
    const other = await runs.startRun({ script });
    expect(other.state).toBe('waiting');
    await runs.resume(other.id, [{ id: 1, approve: true, remember: 'always', by: 'ann' }]);
    expect(kept).toEqual([{ run: other.id, call: 1, tool: 'ask', rule: 'ask', by: 'ann' }]);
  });

  test('that could not be kept for other runs still lets this one go on, and the host hears of it', async () => {
    const onAlways = () => Promise.reject(new Error('disk full'));
    const { runs } = host([counting('ask')], { policy: byTool, onAlways });
    const { id } = await runs.startRun({ script: 'await ask(1)' });
    await expect(runs.resume(id, [{ id: 1, approve: true, remember: 'always' }])).rejects.toThrow('disk full');
    expect((await runs.get(id)).value).toBe(1);
  });

  test('remembers nothing where nothing was offered', async () => {
    const { runs } = host([counting('ask', { needsApproval: true })]);
    const { id } = await runs.startRun({ script: 'await ask(1)' });
    const decision = { id: 1, approve: true, remember: 'run' } as const;
    await expect(runs.resume(id, [decision])).rejects.toMatchObject({ code: 'wrong_decision' });
  });

  test('is asked again about a call that waits only for what a rule says', async () => {
    let asks = true;
    const { runs } = host([counting('pay')], { policy: () => ({ action: asks ? 'ask' : 'allow' }) });
    const { id } = await runs.startRun({ script: 'await Promise.all([pay(1), pay(2)])' });
    asks = false;
    expect(await runs.resume(id, [{ id: 1, approve: true }])).toMatchObject({ calls: [{ id: 2, state: 'approval' }] });
  });
});

describe('the audit of a run', () => {
  test('says what went in, the hash of what came out, who decided and when', async () => {
    const read = counting('read', { execute: () => ({ secret: 1 }), needsApproval: true });
    const { runs, again } = host([read, counting('fail', { execute: () => Promise.reject(new Error('no')) })]);
    const { id } = await runs.startRun({ script: 'await read({ of: "x" }); await fail().catch(() => 0)' });
    const before = Date.now();
    await runs.resume(id, [{ id: 1, approve: true, by: 'ann@example.com' }]);
    const [first, second] = await again().audit(id);
    expect(first).toMatchObject({
      tool: 'read',
      args: [{ of: 'x' }],
      ruling: 'approved',
      by: 'ann@example.com',
      failed: false,
      answerBytes: 12,
      answerHash: createHash('sha256').update('{"secret":1}').digest('hex'),
    });
    expect(first?.decidedAt?.getTime()).toBeGreaterThanOrEqual(before);
    expect(first?.madeAt?.getTime()).toBeGreaterThanOrEqual(before);
    expect(second).toMatchObject({ failed: true });
    expect(second).not.toHaveProperty('answerHash');
  });

  test('is of this tenant alone', async () => {
    const { runs, again } = host([counting('go')]);
    const { id } = await runs.startRun({ script: 'await go(1)' });
    await expect(again({ tenant: 'other' }).audit(id)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a large answer', () => {
  const rows = Array.from({ length: 3_000 }, (_, n) => ({ n, text: `row ${n} ${'x'.repeat(20)}` }));
  const big = counting('db.rows', { execute: () => rows, idempotent: true });
  const stop = { name: 'stop', description: 'is answered from outside' };
  const script = `const { attachment, bytes, preview } = await db.rows();
    await stop();
    const found = search(attachment, 'row 29', { count: true });
    let all = 0; for (const line of lines(attachment)) all++;
    const sum = query('SELECT sum(n)::INT AS s FROM t', { t: attachment }).rows[0].s;
    ({ attachment, bytes, isCut: preview.length, found, all, sum})`;
  const answer = {
    attachment: 'attachments:answer-1-db_rows.json',
    found: 111,
    all: 3_002,
    sum: 4_498_500,
    isCut: 500,
  };

  function large(options: Partial<RunsOptions> = {}): Host & { path: string } {
    const path = folder();
    return { ...host([big, stop], { largeAnswers: { folder: path }, ...options }), path };
  }

  test('is a file that the script reads, also after a restart, and that goes with the run', async () => {
    const { runs, again, path } = large();
    const { id } = await runs.startRun({ script });
    expect(readdirSync(join(path, id))).toEqual(['answer-1-db_rows.json']);
    const run = await again().resume(id, [{ id: 2, value: 0 }]);
    expect(run).toMatchObject({ state: 'completed', value: answer });
    expect(existsSync(join(path, id))).toBe(false);
  });

  test('is bound to its run by its content', async () => {
    const { runs, path } = large();
    const { id } = await runs.startRun({ script });
    writeFileSync(join(path, id, 'answer-1-db_rows.json'), '[]');
    await expect(runs.resume(id, [{ id: 2, value: 0 }])).rejects.toMatchObject({
      code: 'snapshot_refused',
      details: { refusal: 'file_changed' },
    });
  });

  test('is found again by a script that is started again', async () => {
    const { runs } = large();
    const { id } = await runs.startRun({ script });
    const again = await runs.restart(id);
    expect(again.state).toBe('waiting');
    const run = await runs.resume(id, [{ id: 2, value: 0 }]);
    expect(run.value).toMatchObject(answer);
  });

  test('goes with a run that is cancelled', async () => {
    const { runs, path } = large();
    const { id } = await runs.startRun({ script });
    await runs.cancel(id);
    expect(readdirSync(path)).toEqual([]);
  });

  test('is an error that the script can catch where there is no room for it', async () => {
    const { runs } = host([counting('big', { execute: () => 'x'.repeat(2_000_000) })]);
    const run = await runs.startRun({ script: 'await big().catch((error) => [error.code, error.message])' });
    expect(run.value).toEqual(['limit_exceeded', expect.stringContaining('2000002 bytes')]);
    const bounded = large({ largeAnswers: { folder: folder(), mostBytes: 1_000 } });
    const other = await bounded.runs.startRun({ script: 'await db.rows().catch((error) => error.code)' });
    expect(other.value).toBe('limit_exceeded');
  });

  test('many answers that do not fit into one segment come one after the other', async () => {
    const { runs } = host([counting('big', { execute: (n) => [n, 'x'.repeat(900_000)] })]);
    const all = '(await Promise.all([1,2,3,4,5,6,7,8,9,10].map((n) => big(n)))).map(([n, x]) => n + x.length)';
    expect(await runs.startRun({ script: all })).toMatchObject({ state: 'completed', value: expect.any(Array) });
  });
});

test('what a tool gives that is no JSON is an error that the script can catch', async () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  for (const value of [cycle, 1n, () => 1]) {
    const { runs } = host([counting('odd', { execute: () => value })]);
    const run = await runs.startRun({ script: 'await odd().catch((error) => error.message)' });
    expect(run.value).toBe('odd() was done, but its answer is not JSON.');
  }
});

test('a run that is started twice under one id is one run', async () => {
  const pay = counting('pay');
  const { runs, again } = host([pay]);
  const options = { id: 'call_7', script: 'await pay(1)' };
  const all = await Promise.all([runs.startRun(options), runs.startRun(options), again().startRun(options)]);
  expect(all.map(({ id }) => id)).toEqual(['call_7', 'call_7', 'call_7']);
  expect((await runs.startRun(options)).value).toBe(1);
  expect(pay.made).toEqual([1]);
  await expect(runs.startRun({ ...options, id: '../x' })).rejects.toMatchObject({ code: 'invalid_request' });
  const other = again({ tenant: 'other' }).startRun(options);
  await expect(other).rejects.toMatchObject({ code: 'not_found' });
});

test('a call that waits for a time keeps what is known of it', async () => {
  let isReady = false;
  const poll = counting('poll', { execute: () => (isReady ? 1 : later(new Date(Date.now() + 30))) });
  const { runs } = host([poll]);
  const { id } = await runs.startRun({ script: 'await poll()' });
  isReady = true;
  await expect.poll(async () => (await runs.get(id)).value).toBe(1);
  expect((await runs.audit(id))[0]?.madeAt).toBeInstanceOf(Date);
});

type Counting = ReturnType<typeof counting>;
