import { beforeAll, expect, test } from 'vitest';
import { partsOf, Stage, TestPage, textOf } from '../turns/support.ts';
import { callsOf, connect, tracker, waitingRun } from './support.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
  await connect(stage.page, 'tracker', tracker);
});

const script = `const { made } = await tracker.create_issue({ repo: 'shop', title: 'Late' });\nmade`;
const call = { call: 'run_script', args: { script } };

test('a script calls a tool of a server once a person has said yes, and the answer goes on with what it gave', async () => {
  const { chat } = await stage.chat('agent');
  stage.model.reply([{ text: 'I make it. ' }, call], [{ text: 'It is made.' }]);
  const answered = stage.answer(chat, 'Make an issue');
  const run = await waitingRun(stage.page, chat.id);
  expect(run).toMatchObject({ script, state: 'waiting', record: null, waitsFor: ['approvals'] });
  expect(callsOf(run)).toMatchObject([
    { id: 1, tool: 'tracker.create_issue', args: [{ repo: 'shop', title: 'Late' }], line: 1 },
  ]);
  const { waitingRuns } = await stage.page.ask('get-state', {});
  expect(waitingRuns).toMatchObject([{ runId: run.runId, chatId: chat.id, tools: ['tracker.create_issue'] }]);
  await stage.page.ask('decide-call', { runId: run.runId, call: 1, decision: 'allow' });
  const message = await answered;
  expect(message.parts.map(({ type }) => type)).toEqual(['text', 'tools', 'text']);
  expect(partsOf(message, 'tools')).toEqual([{ type: 'tools', runId: run.runId }]);
  expect(stage.model.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'tool', content: '"shop: Late"' });
  const { toolRuns } = await stage.page.ask('get-chat', { chatId: chat.id });
  expect(toolRuns).toMatchObject([{ state: 'completed', isTold: true, record: { result: { text: '"shop: Late"' } } }]);
  expect(callsOf(toolRuns[0]!)).toMatchObject([
    { state: 'answered', ruling: 'approved', answer: { made: 'shop: Late' } },
  ]);
  expect((await stage.page.ask('get-state', {})).waitingRuns).toEqual([]);
});

test('of two windows that answer at once one is told that it came second, and the tool is called once', async () => {
  const { chat } = await stage.chat('agent');
  const other = await TestPage.open(stage.program);
  stage.model.reply([call], [{ text: 'Done.' }]);
  const answered = stage.answer(chat, 'Make an issue');
  const { runId } = await waitingRun(stage.page, chat.id);
  const both = await Promise.allSettled([
    stage.page.ask('decide-call', { runId, call: 1, decision: 'allow' }),
    other.ask('decide-call', { runId, call: 1, decision: 'deny' }),
  ]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const refused = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
  expect(refused.reason).toMatchObject({ code: 'changed', message: expect.stringContaining('already decided') });
  await answered;
  await expect(other.ask('decide-call', { runId, call: 1, decision: 'allow' })).rejects.toMatchObject({
    code: 'changed',
  });
  await other.close();
});

test('what a person denies the script can catch; what they stop ends its script, too', async () => {
  const { chat } = await stage.chat('agent');
  const caught = { call: 'run_script', args: { script: `try { ${script} } catch (error) { error.code }` } };
  stage.model.reply([caught], [{ text: 'Not made.' }]);
  const answered = stage.answer(chat, 'Make an issue');
  const first = await waitingRun(stage.page, chat.id);
  await stage.page.ask('decide-call', { runId: first.runId, call: 1, decision: 'deny' });
  await answered;
  expect(stage.model.requests.at(-1)?.messages.at(-1)).toMatchObject({ content: '"capability_denied"' });

  const second = await stage.chat('agent');
  stage.model.reply([call]);
  const stopped = stage.answer(second.chat, 'Make an issue');
  const { runId } = await waitingRun(stage.page, second.chat.id);
  await stage.page.ask('chat:cancel', { chatId: second.chat.id });
  expect((await stopped).state).toBe('cancelled');
  await expect.poll(async () => (await stage.page.ask('read-tool-run', { runId })).state).toBe('cancelled');
  await expect(stage.page.ask('decide-call', { runId, call: 1, decision: 'allow' })).rejects.toMatchObject({
    code: 'changed',
  });
});

test('a tool that the person allows is not asked about, and one that they deny is not called', async () => {
  const { chat } = await stage.chat('agent');
  const tool = 'tracker.create_issue';
  await stage.page.ask('set-tool-action', { tool, action: 'allow' });
  stage.model.reply([call], [{ text: 'Done.' }]);
  await stage.answer(chat, 'Make an issue');
  expect(stage.model.requests.at(-1)?.messages.at(-1)).toMatchObject({ content: '"shop: Late"' });
  await stage.page.ask('set-tool-action', { tool, action: 'deny' });
  stage.model.reply([call], [{ text: 'Not done.' }]);
  await stage.answer(chat, 'Make an issue');
  expect(stage.model.requests.at(-1)?.messages.at(-1)).toMatchObject({
    content: expect.stringContaining('is not allowed here'),
  });
  await stage.page.ask('set-tool-action', { tool, action: null });
});

test('a past call gets another answer, and a run goes on from there beside the first one', async () => {
  const { chat } = await stage.chat('agent');
  stage.model.reply([call], [{ text: 'Done.' }]);
  const answered = stage.answer(chat, 'Make an issue');
  const { runId } = await waitingRun(stage.page, chat.id);
  await stage.page.ask('decide-call', { runId, call: 1, decision: 'allow' });
  await answered;
  const fork = await stage.page.ask('fork-tool-run', { runId, call: 1, answer: { value: { made: 'another' } } });
  await expect.poll(async () => (await stage.page.ask('read-tool-run', fork)).state).toBe('completed');
  const { toolRuns } = await stage.page.ask('get-chat', { chatId: chat.id });
  expect(toolRuns).toMatchObject([
    { runId, forkOf: null },
    { runId: fork.runId, forkOf: { runId, call: 1 }, record: { result: { text: '"another"' } } },
  ]);
});

test('a run whose server is gone waits for it, can be cancelled, and goes with its chat', async () => {
  const { chat } = await stage.chat('agent');
  stage.model.reply([call]);
  const answered = stage.answer(chat, 'Make an issue');
  const { runId } = await waitingRun(stage.page, chat.id);
  await stage.page.ask('save-server', {
    name: 'tracker',
    was: 'tracker',
    server: { ...tracker, env: { API_TOKEN: null }, enabled: false },
  });
  await expect(stage.page.ask('decide-call', { runId, call: 1, decision: 'allow' })).rejects.toMatchObject({
    code: 'busy',
    message: expect.stringContaining('tracker.create_issue'),
  });
  await stage.page.ask('cancel-tool-run', { runId });
  const message = await answered;
  expect(textOf(message)).not.toBe('');
  await stage.page.ask('delete-chat', { chatId: chat.id });
  expect(await stage.program.services.chats.listDeleted()).toHaveLength(1);
});
