import type { Run, RunsOptions, Tool } from '@mustard-sandbox/runs';
import { later } from '@mustard-sandbox/runs';
import { describe, expect, test } from 'vitest';
import { counting, host, type Host } from './support.ts';

const script = `const first = await write({ text: 'a' });
const read = await count();
const second = await write({ text: 'b', after: first.id });
[first.id, read, second.id]`;

interface Made {
  at: Host;
  written: unknown[];
  write: Tool;
}

/** A host with a tool that writes, one that reads how much was written, and one that asks. */
function writer(more: Partial<Tool> = {}, options: Partial<RunsOptions> = {}): Made {
  const written: unknown[] = [];
  const write: Tool = {
    name: 'write',
    description: 'writes',
    standIn: ({ text }) => ({ id: `new-${text}` }),
    execute: (input) => ({ id: written.push(input) }),
    ...more,
  };
  const count: Tool = { name: 'count', description: 'reads', execute: () => written.length };
  return { at: host([write, count, counting('ask', { needsApproval: true })], options), written, write };
}

const propose = (at: Host, source = script): Promise<Run> => at.runs.startRun({ script: source, writes: 'propose' });

describe('calls that write are proposed', () => {
  test('the script gets stand-ins, and one yes makes them all in order, once each', async () => {
    const { at, written } = writer();
    const run = await propose(at);
    expect(run).toMatchObject({ state: 'waiting', waitsFor: ['proposal'], value: ['new-a', 0, 'new-b'] });
    expect(run.calls).toMatchObject([
      { id: 1, tool: 'write', state: 'proposed', args: [{ text: 'a' }] },
      { id: 3, tool: 'write', state: 'proposed', args: [{ text: 'b', after: 'new-a' }] },
    ]);
    expect(written).toEqual([]);
    const listed = await at.runs.list();
    expect(listed[0]?.calls.map(({ id }) => id)).toEqual([1, 3]);
    const done = await at.again().resume(run.id, [{ proposal: 'approve', by: 'ann' }]);
    expect(done).toMatchObject({ state: 'completed', value: ['new-a', 0, 'new-b'], calls: [] });
    expect(written).toEqual([{ text: 'a' }, { text: 'b', after: 'new-a' }]);
    expect((await at.runs.audit(run.id)).map(({ ruling, by, state }) => [ruling, by, state])).toEqual([
      ['approved', 'ann', 'answered'],
      [undefined, undefined, 'answered'],
      ['approved', 'ann', 'answered'],
    ]);
    await expect(at.runs.resume(run.id, [{ proposal: 'approve' }])).rejects.toMatchObject({ code: 'ended' });
  });

  test('a no makes none of them, and the run fails with the reason', async () => {
    const { at, written } = writer();
    const { id } = await propose(at);
    const denied = await at.runs.resume(id, [{ proposal: 'deny', why: 'not today', by: 'ann' }]);
    expect(denied).toMatchObject({ state: 'failed', problem: { code: 'proposal_denied' } });
    expect(denied.problem?.message).toContain('not today');
    expect(written).toEqual([]);
  });

  test('a script that fails makes none of them', async () => {
    const { at, written } = writer();
    const run = await propose(at, `await write({ text: 'a' }); throw new Error('changed my mind')`);
    expect(run).toMatchObject({ state: 'failed', problem: { code: 'script_error' } });
    expect(written).toEqual([]);
  });

  test('many decisions at a time approve it once; nothing else does', async () => {
    const { at, written } = writer();
    const { id } = await propose(at);
    await expect(at.runs.resume(id, [{ id: 1, approve: true }])).rejects.toMatchObject({ code: 'wrong_decision' });
    await expect(at.runs.resume(id, [{ id: 1, value: 'forged' }])).rejects.toMatchObject({ code: 'wrong_decision' });
    const twice = [{ proposal: 'approve' as const }, { proposal: 'deny' as const }];
    await expect(at.runs.resume(id, twice)).rejects.toMatchObject({ code: 'wrong_decision' });
    const hosts = [at.runs, at.again(), at.again()];
    const all = await Promise.allSettled(hosts.map((runs) => runs.resume(id, [{ proposal: 'approve' }])));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect.poll(async () => (await at.runs.get(id)).state).toBe('completed');
    expect(written).toHaveLength(2);
  });

  test('before the script has ended there is nothing to approve; calls that ask still wait alone', async () => {
    const { at, written } = writer();
    const run = await propose(at, `await write({ text: 'a' }); await ask(1); await write({ text: 'b' }); 'end'`);
    expect(run).toMatchObject({ waitsFor: ['approvals'], calls: [{ state: 'proposed' }, { state: 'approval' }] });
    const early = at.runs.resume(run.id, [{ proposal: 'approve' }]);
    await expect(early).rejects.toMatchObject({ code: 'wrong_decision' });
    const next = await at.again().resume(run.id, [{ id: 2, approve: true }]);
    expect(next).toMatchObject({ waitsFor: ['proposal'], calls: [{ id: 1 }, { id: 3 }] });
    expect(written).toEqual([]);
  });

  test('the first that fails ends it, and says what was made and what was not', async () => {
    let left = 1;
    const made: unknown[] = [];
    const execute: NonNullable<Tool['execute']> = (input) => {
      if (left-- <= 0) throw new Error('disk full');
      made.push(input);
    };
    const { at } = writer({ execute });
    const source = `for (const text of ['a', 'b', 'c']) await write({ text })`;
    const { id } = await propose(at, source);
    const failed = await at.runs.resume(id, [{ proposal: 'approve' }]);
    expect(failed.problem).toMatchObject({ code: 'proposal_failed', details: { call: 2, made: [1], left: [3] } });
    expect(failed.problem?.message).toContain('disk full');
    expect(made).toEqual([{ text: 'a' }]);
  });

  test('a tool may answer later, or from outside, and the next call waits for it', async () => {
    let isReady = false;
    const order: unknown[] = [];
    const slow = writer({
      execute: ({ text }) => {
        if (!isReady) return later(new Date(Date.now() + 20));
        return order.push(text);
      },
    });
    const { id } = await propose(slow.at);
    expect(await slow.at.runs.resume(id, [{ proposal: 'approve' }])).toMatchObject({ waitsFor: ['time'] });
    isReady = true;
    await expect.poll(async () => (await slow.at.runs.get(id)).state).toBe('completed');
    expect(order).toEqual(['a', 'b']);

    const { execute: _, ...outside } = writer().write;
    const person = host([outside, { name: 'count', description: 'reads', execute: () => 0 }]);
    const run = await propose(person);
    const first = await person.runs.resume(run.id, [{ proposal: 'approve' }]);
    expect(first).toMatchObject({ waitsFor: ['calls'], calls: [{ state: 'external' }, { state: 'external' }] });
    await person.runs.resume(run.id, [{ id: 1, value: 'did it' }]);
    expect((await person.runs.resume(run.id, [{ id: 3, value: 'too' }])).state).toBe('completed');
  });

  test('a host that dies while one is made leaves its outcome to a person, and the others in their order', async () => {
    let isDead = false;
    const made: unknown[] = [];
    const execute: NonNullable<Tool['execute']> = ({ text }) => {
      made.push(text);
      if (text !== 'b' || isDead) return 'written';
      isDead = true;
      return new Promise(() => {});
    };
    const { at } = writer({ execute });
    const dying = at.mortal({ leaseMs: 200 });
    const { id } = await dying.startRun({
      script: `for (const text of ['a', 'b', 'c']) await write({ text })`,
      writes: 'propose',
    });
    void dying.resume(id, [{ proposal: 'approve' }]).catch(() => {});
    await expect.poll(() => isDead).toBe(true);
    await dying.close();
    const second = at.again();
    await expect.poll(async () => (await second.recover()).length).toBe(1);
    expect(await second.get(id)).toMatchObject({ state: 'waiting', waitsFor: ['outcomes'] });
    expect(await second.resume(id, [{ id: 2, value: 'it was' }])).toMatchObject({ state: 'completed' });
    expect(made).toEqual(['a', 'b', 'c']);
  });

  test('a stand-in that is no JSON, too large, or fails, is an error of the script, and nothing is proposed', async () => {
    for (const standIn of [() => 1n, () => 'x'.repeat(2 ** 21), () => assertFails()]) {
      const { at } = writer({ standIn });
      const run = await propose(at, `await write({ text: 'a' }).catch((error) => error.message)`);
      expect(run).toMatchObject({ state: 'completed', value: expect.stringMatching(/./) });
    }
  });

  test('a thousand and more are approved at once', async () => {
    const { at, written } = writer();
    const source = `for (let n = 0; n < 1100; n += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, m) => write({ text: String(n + m) })));
    }`;
    const run = await at.runs.startRun({ script: source, writes: 'propose', limits: { hostCalls: 3000 } });
    expect(run).toMatchObject({ waitsFor: ['proposal'] });
    expect(await at.runs.resume(run.id, [{ proposal: 'approve' }])).toMatchObject({ state: 'completed' });
    expect(written).toEqual(Array.from({ length: 1100 }, (_, n) => ({ text: String(n) })));
  });

  test('without writes: propose, or without a stand-in, calls are made as always', async () => {
    const { at, written } = writer();
    expect(await at.runs.startRun({ script })).toMatchObject({ state: 'completed', value: [1, 1, 2] });
    const plain = host([counting('add')]);
    expect(await propose(plain, 'await add(2)')).toMatchObject({ state: 'completed', value: 2 });
    expect(written).toHaveLength(2);
  });

  test('what the policy denies is not proposed', async () => {
    const { at } = writer({}, { policy: () => ({ action: 'deny', message: 'never', code: 'capability_denied' }) });
    const run = await propose(at, `await write({ text: 'a' }).catch((error) => error.code)`);
    expect(run).toMatchObject({ state: 'completed', value: 'capability_denied' });
  });
});

function assertFails(): never {
  throw new Error('no stand-in');
}
