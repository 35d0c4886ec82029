import { describe, expect, it, vi } from 'vitest';
import { askStateless, openHttp } from './http/support.ts';
import { forms, open, patience, resultOf, taskIdOf, tasks, until } from './task-wire.ts';

const always = ['--consent', 'always', '--timeout', '1m'];
const run = (script: string) => ({ name: 'execute_sandbox_script', arguments: { script } });
/** Computes a little longer than a client without tasks would like to wait. */
const slow = 'const begun = Date.now(); while (Date.now() - begun < 1500); 6 * 7';

describe('a script that takes long', () => {
  it('is a task for a client that accepts one, and its result is fetched', async () => {
    const wire = await open(always);
    const created = resultOf(await wire.ask('tools/call', run(slow)));
    expect(created).toMatchObject({ resultType: 'task', status: 'working', ttlMs: null });
    const task = await until(wire, taskIdOf(created), 'completed');
    expect(task).toMatchObject({
      ttlMs: expect.any(Number),
      result: { resultType: 'complete', isError: false, structuredContent: { status: 'completed', value: 42 } },
    });
  });

  it('is answered as before for a client without tasks, and at once where it is quick', async () => {
    const wire = await open(always);
    const plain = resultOf(await wire.ask('tools/call', run(slow), forms));
    expect(plain).toMatchObject({ resultType: 'complete', structuredContent: { value: 42 } });
    // On a busy machine nothing is quick.
    await vi.waitFor(async () => {
      const quick = resultOf(await wire.ask('tools/call', run('1 + 1')));
      expect(quick).toMatchObject({ resultType: 'complete', structuredContent: { value: 2 } });
    }, patience);
  });

  it('ends when it is cancelled, and the next one runs', async () => {
    const wire = await open(always);
    const taskId = taskIdOf(resultOf(await wire.ask('tools/call', run('for (;;);'))));
    await until(wire, taskId, 'working');
    for (let times = 0; times < 2; times++) {
      expect(resultOf(await wire.ask('tasks/cancel', { taskId }))).toMatchObject({ resultType: 'complete' });
      await until(wire, taskId, 'cancelled');
    }
    const next = resultOf(await wire.ask('tools/call', run('1 + 1'), forms));
    expect(next).toMatchObject({ structuredContent: { value: 2 } });
  });

  it('that fails is a completed call with an error, as without a task', async () => {
    const wire = await open(always);
    const created = await wire.ask('tools/call', run(`${slow}; throw new Error('no')`));
    const task = await until(wire, taskIdOf(resultOf(created)), 'completed');
    expect(task).toMatchObject({ result: { isError: true, structuredContent: { status: 'failed' } } });
  });

  it('is asked about first: only what a person has allowed becomes a task', async () => {
    const wire = await open(['--timeout', '1m']);
    const asked = resultOf(await wire.ask('tools/call', run(slow)));
    expect(asked['resultType']).toBe('input_required');
    const [key = ''] = Object.keys(asked['inputRequests'] as object);
    const inputResponses = { [key]: { action: 'accept', content: { permission: 'Allow this script' } } };
    const again = { ...run(slow), inputResponses, requestState: asked['requestState'] };
    const created = resultOf(await wire.ask('tools/call', again));
    await until(wire, taskIdOf(created), 'completed');
  });

  it('belongs to its server: an id that was not given is no task', async () => {
    const wire = await open(always);
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      for (const taskId of ['0'.repeat(32), '__proto__', '', 7]) {
        const refused = await wire.ask(method, { taskId, inputResponses: {} });
        expect(refused).toMatchObject({ kind: 'error', error: { code: -32602 } });
      }
      const without = await wire.ask(method, { taskId: 'x', inputResponses: {} }, forms);
      expect(without).toMatchObject({ kind: 'error', error: { code: -32021 } });
    }
  });
});

it('over HTTP, a task outlives the connection of its call', async () => {
  await using stage = await openHttp({ limits: { timeoutMs: 60_000 } });
  const post = async (method: string, name: string, params: object): Promise<Record<string, never>> => {
    const { result } = await askStateless(stage.server.url, { method, name, params, capabilities: tasks });
    return result as Record<string, never>;
  };
  const created = await post('tools/call', 'execute_sandbox_script', run(slow));
  expect(created).toMatchObject({ resultType: 'task', status: 'working' });
  const taskId = taskIdOf(created);
  await vi.waitFor(async () => {
    expect(await post('tasks/get', taskId, { taskId })).toMatchObject({
      status: 'completed',
      result: { structuredContent: { value: 42 } },
    });
  }, patience);
});
