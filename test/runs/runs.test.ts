import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { later, sqliteStore, type RunError, type RunEvent, type Runs, type Tool } from '@mustard-sandbox/runs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { counting, folder, host } from './support.ts';

describe('a run', () => {
  test('makes its calls and completes', async () => {
    const add = counting('add', { execute: (input) => (input as number[]).reduce((a, b) => a + b, 0) });
    const { runs } = host([add]);
    const run = await runs.startRun({
      script: 'const one = await add(list); [one, await add([one, 10])]',
      inputs: { list: [1, 2] },
    });
    expect(run).toMatchObject({ state: 'completed', value: [3, 13], calls: [], waitsFor: [] });
    expect((await runs.get(run.id)).value).toEqual([3, 13]);
  });

  test('writes calls that are made together down together, and each before it is made', async () => {
    const store = sqliteStore(join(folder(), 'runs.db'));
    const written: string[][] = [];
    const commit = store.commit.bind(store);
    store.commit = async (id, fence, now, change) => {
      const isWritten = await commit(id, fence, now, change);
      written.push((change.calls ?? []).map((call) => `${call.id} ${call.state}`));
      return isWritten;
    };
    const known = (): string[] => written.flat();
    const early: unknown[] = [];
    const slow = counting('slow', {
      execute: (input) => {
        if (!known().includes(`${String(input)} under_way`)) early.push(input);
        return input;
      },
    });
    const { runs } = host([slow], { store, parallelCalls: 32 });
    const script = 'await Promise.all(Array.from({ length: 32 }, (_, n) => slow(n + 1)))';
    expect((await runs.startRun({ script })).value).toHaveLength(32);
    expect(early).toEqual([]);
    expect(known().filter((call) => call.endsWith('answered'))).toHaveLength(2 * 32);
    expect(written.filter((calls) => calls.some((call) => call.endsWith('under_way')))).toHaveLength(1);
    expect(written.length).toBeLessThan(16);
  });

  test('reads files and writes to the console', async () => {
    const path = folder();
    writeFileSync(join(path, 'a.txt'), 'hello');
    const { runs } = host([counting('send')]);
    const script = `const text = read_file('a.txt'); await send(text); console.log(text); text.length`;
    expect(await runs.startRun({ script, scope: { root: path } })).toMatchObject({ state: 'completed', value: 5 });
  });

  test('fails with what its script throws, and with what a tool throws and nobody catches', async () => {
    const { runs } = host([
      counting('fail', {
        execute: () => {
          throw new RangeError('too far');
        },
      }),
    ]);
    const caught = await runs.startRun({
      script: 'try { await fail() } catch (error) { error.name + ": " + error.message }',
    });
    expect(caught.value).toBe('RangeError: too far');
    const failed = await runs.startRun({ script: 'await fail()' });
    expect(failed).toMatchObject({
      state: 'failed',
      problem: { code: 'script_error', details: { name: 'RangeError' } },
    });
  });

  test('makes parallel calls at a time, up to a bound', async () => {
    let now = 0;
    let most = 0;
    const work: Tool = {
      name: 'work',
      description: 'works',
      execute: async (input) => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setTimeout(resolve, 20));
        now--;
        return input;
      },
    };
    const { runs } = host([work], { parallelCalls: 3 });
    const { value } = await runs.startRun({ script: 'await Promise.all([1,2,3,4,5,6,7].map((n) => work(n)))' });
    expect(value).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(most).toBe(3);
  });

  test('checks the input of a tool on the host, and names the field', async () => {
    const schema = z.object({ to: z.string(), parts: z.array(z.number()) });
    const send = counting('send', { inputSchema: schema });
    const { runs } = host([send]);
    const script = 'try { await send({ to: "x", parts: [1, "2"] }) } catch (error) { error.message }';
    const { value } = await runs.startRun({ script });
    expect(value).toMatch(/^send\(\): parts\.1: /);
    expect(send.made).toEqual([]);
    const twice = await runs.startRun({ script: 'try { await send(1, 2) } catch (error) { error.message }' });
    expect(twice.value).toBe('send() takes one argument, and got 2.');
  });

  test('gives a call that takes too long up, and aborts it', async () => {
    let aborted = false;
    const slow: Tool = {
      name: 'slow',
      description: 'slow',
      timeoutMs: 50,
      execute: (_, { signal }) => new Promise(() => signal.addEventListener('abort', () => (aborted = true))),
    };
    const { runs } = host([slow]);
    const { value } = await runs.startRun({ script: 'try { await slow() } catch (error) { error.code }' });
    expect([value, aborted]).toEqual(['capability_timeout', true]);
  });

  test('tells what happens', async () => {
    const { runs } = host([counting('ask', { needsApproval: true })]);
    const { id } = await runs.startRun({ script: 'console.log("before"); await ask(1); console.log("after"); 1' });
    const told: RunEvent[] = [];
    const listening = (async () => {
      for await (const event of runs.events(id)) told.push(event);
    })();
    await runs.resume(id, [{ id: 1, approve: true }]);
    await listening;
    expect(told.map(({ type }) => type)).toEqual(['decision', 'call', 'answer', 'console', 'state']);
    expect(told.at(-1)).toMatchObject({ run: id, state: 'completed' });
  });
});

describe('what a run waits for', () => {
  test('an approval, by tool or by input; the others are made meanwhile', async () => {
    const write = counting('write', { needsApproval: (input) => input === 'big' });
    const { runs, again } = host([write]);
    const run = await runs.startRun({ script: 'await Promise.all([write("small"), write("big")])' });
    expect(run).toMatchObject({ state: 'waiting', waitsFor: ['approvals'] });
    expect(run.calls).toMatchObject([{ id: 2, tool: 'write', args: ['big'], state: 'approval', line: 1, column: 36 }]);
    expect(write.made).toEqual(['small']);
    const after = await again().resume(run.id, [{ id: 2, approve: true }]);
    expect(after).toMatchObject({ state: 'completed', value: ['small', 'big'] });
  });

  test('a denial is an error that the script can catch', async () => {
    const write = counting('write', { needsApproval: true });
    const { runs } = host([write]);
    const run = await runs.startRun({ script: 'try { await write(1) } catch (error) { [error.code, error.message] }' });
    const after = await runs.resume(run.id, [{ id: 1, deny: 'not today' }]);
    expect(after.value).toEqual(['capability_denied', 'write() was denied: not today']);
    expect(write.made).toEqual([]);
  });

  test('an answer from outside', async () => {
    const { runs } = host([{ name: 'ask_person', description: 'asks' }]);
    const run = await runs.startRun({ script: 'const [a, b] = [await ask_person("a"), await ask_person("b")]; a + b' });
    expect(run).toMatchObject({ state: 'waiting', waitsFor: ['calls'], calls: [{ id: 1, state: 'external' }] });
    const second = await runs.resume(run.id, [{ id: 1, value: 40 }]);
    expect(second.calls).toMatchObject([{ id: 2, args: ['b'] }]);
    expect((await runs.resume(run.id, [{ id: 2, value: 2 }])).value).toBe(42);
  });

  test('a time, for which this host sets a timer and another one recovers', async () => {
    let isReady = false;
    const poll = counting('poll', { execute: () => (isReady ? 'ready' : later(new Date(Date.now() + 3_600_000))) });
    const { runs, again } = host([poll]);
    const run = await runs.startRun({ script: 'await poll()' });
    expect(run).toMatchObject({ state: 'waiting', waitsFor: ['time'] });
    expect(await again().recover()).toEqual([]);
    const soon = counting('poll', { execute: () => (isReady ? 'ready' : later(new Date(Date.now() + 30))) });
    const other = host([soon]);
    const waiting = await other.runs.startRun({ script: 'await poll()' });
    expect(waiting.waitsFor).toEqual(['time']);
    isReady = true;
    await expect.poll(async () => (await other.runs.get(waiting.id)).value).toBe('ready');
  });

  test('nothing any more, once its time is over', async () => {
    const { runs } = host([{ name: 'ask', description: 'asks' }]);
    const run = await runs.startRun({ script: 'await ask()', expiresAt: new Date(Date.now() - 1) });
    expect(run.state).toBe('waiting');
    expect(await runs.recover()).toMatchObject([{ id: run.id, state: 'expired' }]);
    await expect(runs.resume(run.id, [{ id: 1, value: 1 }])).rejects.toMatchObject({ code: 'ended' });
  });
});

describe('decisions', () => {
  test('are applied once, also when many come at a time', async () => {
    const pay = counting('pay', { needsApproval: true });
    const { runs, again } = host([pay]);
    const { id } = await runs.startRun({ script: 'await pay(1)' });
    const hosts = [runs, again(), again()];
    const all = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) => (hosts[n % 3] as Runs).resume(id, [{ id: 1, approve: true }])),
    );
    const refused = all.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refused).toHaveLength(11);
    for (const { reason } of refused) expect(['not_pending', 'ended']).toContain((reason as RunError).code);
    await expect.poll(async () => (await runs.get(id)).state).toBe('completed');
    expect(pay.made).toEqual([1]);
  });

  test('that fit no call are refused, and none of them is applied', async () => {
    const pay = counting('pay', { needsApproval: true });
    const { runs } = host([pay, { name: 'ask', description: 'asks' }]);
    const { id } = await runs.startRun({ script: 'await Promise.all([pay(1), ask(2)])' });
    const codeOf = (decisions: Parameters<typeof runs.resume>[1]) =>
      runs.resume(id, decisions).then(
        () => 'none',
        (error: RunError) => error.code,
      );
    expect(
      await codeOf([
        { id: 1, approve: true },
        { id: 2, approve: true },
      ]),
    ).toBe('wrong_decision');
    expect(
      await codeOf([
        { id: 1, approve: true },
        { id: 7, value: 1 },
      ]),
    ).toBe('not_pending');
    expect(await codeOf([{ id: 1, value: 'forged' }])).toBe('wrong_decision');
    expect(
      await codeOf([
        { id: 1, approve: true },
        { id: 1, approve: true },
      ]),
    ).toBe('wrong_decision');
    expect(pay.made).toEqual([]);
    expect((await runs.get(id)).calls.map(({ state }) => state)).toEqual(['approval', 'external']);
  });

  test('cancel ends a run for good, and aborts its calls', async () => {
    let resolve: (signal: AbortSignal) => void = () => {};
    const begun = new Promise<AbortSignal>((settle) => (resolve = settle));
    const hang: Tool = {
      name: 'hang',
      description: 'hangs',
      execute: (_, { signal }) => {
        resolve(signal);
        return new Promise(() => {});
      },
    };
    const { runs } = host([hang]);
    const started = runs.startRun({ script: 'await hang()' });
    const signal = await begun;
    const id = (await runs.list({ states: ['running'] }))[0]?.id as string;
    expect((await runs.cancel(id)).state).toBe('cancelled');
    expect(signal.aborted).toBe(true);
    expect((await started).state).toBe('cancelled');
    await expect(runs.cancel(id)).rejects.toMatchObject({ code: 'ended' });
  });

  test('get, list and resume know the runs of one tenant', async () => {
    const { runs, again } = host([{ name: 'ask', description: 'asks' }]);
    const { id } = await runs.startRun({ script: 'await ask()' });
    const other = again({ tenant: 'other' });
    await expect(other.get(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(other.resume(id, [{ id: 1, value: 1 }])).rejects.toMatchObject({ code: 'not_found' });
    expect(await other.list()).toEqual([]);
    expect((await runs.list({ states: ['waiting'] })).map((run) => run.id)).toEqual([id]);
  });
});
