import {
  resultFromTaskOutcome,
  withTasks,
  type ConnectedMcpSessionPort,
  type TaskEnabledSession,
  type WithTasksOptions,
} from '@modelcontextprotocol/ext-tasks/client';
import { describe, expect, it, vi } from 'vitest';
import { cliInProcess as cli } from '../cli/in-process.ts';
import { add, gateway, says, type Gateway } from './gateway.ts';
import { forms, open as openServer, patience, resultOf, taskIdOf, tasks, until, type Wire } from './task-wire.ts';

const open = async ({ file }: Gateway): Promise<Wire> => await openServer(['--connect', file]);

/** The official client of the extension. */
function session(wire: Wire, onInputRequest: WithTasksOptions['onInputRequest']): TaskEnabledSession {
  const port: ConnectedMcpSessionPort = {
    endpointId: 'gateway',
    taskCapabilities: { generation: 'v2', capabilities: {} },
    invalidated: false,
    dispatch: async (request) => {
      const { method, params } = request as { method: string; params: object };
      return await wire.ask(method, params);
    },
    onServerRequest: () => () => {},
    onNotification: () => () => {},
    onInvalidated: () => () => {},
  };
  return withTasks(port, { ...(onInputRequest && { onInputRequest }) });
}

const run = (script: string) => ({ name: 'run_script', arguments: { script } });

describe('runs of a gateway as tasks', () => {
  it('the official client is asked what a person must say, and gets the result', async () => {
    const at = gateway();
    const asked: string[] = [];
    const client = session(await open(at), async ({ params }) => {
      asked.push(params?.['message'] as string);
      return says('Allow this call') as never;
    });
    const execution = await client.callTool('run_script', { script: add });
    expect(execution.kind).toBe('task');
    const { outcome } = await execution.settle();
    expect(resultFromTaskOutcome(outcome)).toMatchObject({ structuredContent: { status: 'completed', value: 1 } });
    expect(asked).toEqual([expect.stringContaining('Let the script call notes.add?')]);
    expect(at.notes()).toEqual(['one']);
  });

  it('what ends soon is no task, and nor is a script that cannot run', async () => {
    const wire = await open(gateway());
    // On a busy machine nothing ends soon.
    await vi.waitFor(async () => {
      const answer = resultOf(await wire.ask('tools/call', run('(await notes.count()).lines + 41')));
      expect(answer).toMatchObject({ resultType: 'complete', structuredContent: { value: 41 } });
    }, patience);
    const broken = resultOf(await wire.ask('tools/call', run('notes.nothing(')));
    expect(broken).toMatchObject({ resultType: 'complete', isError: true });
  });

  it('what works on is a task, and its handle is known before it is given', async () => {
    const at = gateway({ policy: [{ tool: '*', action: 'allow' }] });
    const wire = await open(at);
    const created = resultOf(await wire.ask('tools/call', run(`await notes.add_slowly({ text: 'late' })`)));
    expect(created).toMatchObject({ resultType: 'task', status: 'working', ttlMs: null, pollIntervalMs: 1_000 });
    const taskId = taskIdOf(created);
    expect(taskId).toMatch(/^[0-9a-f]{32}$/);
    await until(wire, taskId, 'working');
    at.go();
    expect(await until(wire, taskId, 'completed')).toMatchObject({
      result: { structuredContent: { value: { lines: 1 } } },
    });
  });

  it('is found again after a restart of the server, and asked about once', async () => {
    const at = gateway();
    const first = await open(at);
    const taskId = taskIdOf(resultOf(await first.ask('tools/call', run(add))));
    const { inputRequests } = await until(first, taskId, 'input_required');
    expect(Object.keys(inputRequests as object)).toEqual(['call-2-approval']);
    await first.end();

    const second = await open(at);
    await until(second, taskId, 'input_required');
    const inputResponses = { 'call-2-approval': says('Allow this call'), 'call-9-approval': says('Allow this call') };
    for (let times = 0; times < 2; times++) {
      expect(resultOf(await second.ask('tasks/update', { taskId, inputResponses }))).toMatchObject({
        resultType: 'complete',
      });
    }
    const { result } = await until(second, taskId, 'completed');
    expect(result).toMatchObject({ isError: false, structuredContent: { value: 1 } });
    expect(at.notes()).toEqual(['one']);
  });

  it('never asks again about a form that was closed: a person decides elsewhere', async () => {
    const at = gateway();
    const wire = await open(at);
    const taskId = taskIdOf(resultOf(await wire.ask('tools/call', run(add))));
    await until(wire, taskId, 'input_required');
    await wire.ask('tasks/update', { taskId, inputResponses: { 'call-2-approval': { action: 'cancel' } } });
    const task = await until(wire, taskId, 'working');
    expect(task['statusMessage']).toContain(`mustard-sandbox runs show ${taskId}`);
    await cli(['runs', 'approve', taskId]);
    await until(wire, taskId, 'completed');
    expect(at.notes()).toEqual(['one']);
  });

  it('a client without forms is told that a person decides elsewhere', async () => {
    const wire = await open(gateway());
    const created = resultOf(await wire.ask('tools/call', run(add), tasks));
    expect(created).toMatchObject({ resultType: 'task', status: 'working' });
    await vi.waitFor(async () => {
      const task = resultOf(await wire.ask('tasks/get', { taskId: taskIdOf(created) }, tasks));
      expect(task).toMatchObject({ status: 'working', statusMessage: expect.stringContaining('waits for a person') });
    });
  });

  it('can be cancelled, also when it has ended', async () => {
    const at = gateway({ policy: [{ tool: '*', action: 'allow' }] });
    const wire = await open(at);
    const created = await wire.ask('tools/call', run(`await notes.add_slowly({ text: 'late' })`));
    const taskId = taskIdOf(resultOf(created));
    for (let times = 0; times < 2; times++) {
      expect(resultOf(await wire.ask('tasks/cancel', { taskId }))).toMatchObject({ resultType: 'complete' });
      await until(wire, taskId, 'cancelled');
    }
  });

  it('a reply that is none of the answers decides nothing', async () => {
    const at = gateway();
    const wire = await open(at);
    const taskId = taskIdOf(resultOf(await wire.ask('tools/call', run(add))));
    await until(wire, taskId, 'input_required');
    for (const reply of [null, 1, {}, { action: 'accept ' }, { action: 7 }]) {
      await wire.ask('tasks/update', { taskId, inputResponses: { 'call-2-approval': reply } });
      await until(wire, taskId, 'input_required');
    }
    await wire.ask('tasks/update', { taskId, inputResponses: { 'call-2-approval': says('Allow everything') } });
    await until(wire, taskId, 'working');
    expect(at.notes()).toEqual([]);
  });

  it('a form that is declined is a no', async () => {
    const at = gateway();
    const wire = await open(at);
    const taskId = taskIdOf(resultOf(await wire.ask('tools/call', run(add))));
    await until(wire, taskId, 'input_required');
    await wire.ask('tasks/update', { taskId, inputResponses: { 'call-2-approval': { action: 'decline' } } });
    expect(await until(wire, taskId, 'completed')).toMatchObject({ result: { isError: true } });
    expect(at.notes()).toEqual([]);
  });

  it('refuses a client that names no tasks, and tasks that are not there', async () => {
    const wire = await open(gateway());
    // Without tasks the question is the result, as before.
    const asked = resultOf(await wire.ask('tools/call', run(add), forms));
    expect(asked['resultType']).toBe('input_required');
    const elsewhere = await open(gateway());
    const created = resultOf(await elsewhere.ask('tools/call', run(add)));
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const known = { taskId: taskIdOf(created), inputResponses: {} };
      expect(await elsewhere.ask(method, known, forms)).toMatchObject({
        kind: 'error',
        error: { code: -32021, data: { requiredCapabilities: tasks } },
      });
      for (const taskId of ['nowhere', '../runs', 'x'.repeat(129), '', 7]) {
        expect(await elsewhere.ask(method, { ...known, taskId })).toMatchObject({
          kind: 'error',
          error: { code: -32602 },
        });
      }
    }
    await until(elsewhere, taskIdOf(created), 'input_required');
  });

  it('a task of one servers.json is none of another', async () => {
    const wire = await open(gateway());
    const taskId = taskIdOf(resultOf(await wire.ask('tools/call', run(add))));
    await wire.end();
    const other = await open(gateway());
    expect(await other.ask('tasks/get', { taskId })).toMatchObject({ kind: 'error', error: { code: -32602 } });
  });
});
