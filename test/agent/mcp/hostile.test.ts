// Servers that lie, stall and flood, a store that somebody has written to, and a page that asks for what it must not have.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { liar } from '../../code-mode/support.ts';
import { Stage } from '../turns/support.ts';
import { callsOf, connect, stdio, tracker, waitingRun } from './support.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
  await connect(stage.page, 'tracker', tracker);
});

function lying(how: string): ReturnType<typeof stdio> {
  return stdio((liar(how) as { args: string[] }).args);
}

test('names that collide, mean something to objects, or do not print become names that scripts can call', async () => {
  const { state, tools } = await connect(stage.page, 'liar', lying('names'));
  expect(state).toBe('connected');
  const names = tools.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^liar\.[A-Za-z_$][\w$]{0,127}$/);
  expect(names).toEqual(
    expect.arrayContaining(['liar._constructor', 'liar.___proto__', 'liar._then', 'liar.a_b', 'liar.a_b_2']),
  );
  await stage.page.ask('remove-server', { name: 'liar' });
});

test('what a server says of its tools opens no door, and is one line for the page', async () => {
  const { tools } = await connect(stage.page, 'liar', lying('injection'));
  expect(tools).toMatchObject([{ name: 'liar.evil', isReadOnly: true, action: null }]);
  // oxlint-disable-next-line no-control-regex -- these are what must not be there
  expect(tools[0]?.description).not.toMatch(/[\u0000-\u001f\u202e]/);
  const { chat } = await stage.chat('agent');
  stage.model.reply([{ call: 'run_script', args: { script: 'await liar.evil({ a: "x" })' } }]);
  const answered = stage.answer(chat, 'Call it');
  // It says that it only reads, and is asked about.
  expect(callsOf(await waitingRun(stage.page, chat.id))).toMatchObject([{ tool: 'liar.evil', state: 'approval' }]);
  await stage.page.ask('chat:cancel', { chatId: chat.id });
  await answered;
  await stage.page.ask('remove-server', { name: 'liar' });
});

test('a server that never speaks keeps no answer from being stopped, and none from going on without it', async () => {
  const silent = stdio(['-e', 'setInterval(() => {}, 1e6)']);
  const connecting = connect(stage.page, 'silent', silent);
  const { chat } = await stage.chat('agent');
  const { messageId } = await stage.send(chat, 'Hello');
  await stage.page.ask('chat:cancel', { chatId: chat.id });
  expect((await stage.page.ended(messageId)).state).toBe('cancelled');
  stage.model.reply([{ text: 'Without it.' }]);
  expect((await stage.answer(chat, 'Hello')).state).toBe('complete');
  expect(await connecting).toMatchObject({ state: 'failed' });
  const names = stage.model.requests.at(-1)?.tools?.map((tool) => tool.function.name);
  expect(names).toContain('run_script');
  await stage.page.ask('remove-server', { name: 'silent' });
}, 60_000);

test('a server that sends 100 MB is cut off, and the others are as before', async () => {
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  const flood = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    let sent = 0;
    const more = (): void => {
      while (sent++ < 100) if (!response.write(chunk)) return void response.once('drain', more);
      response.end('{}');
    };
    more();
  });
  flood.listen(0, '127.0.0.1');
  await once(flood, 'listening');
  onTestFinished(() => void flood.close());
  const url = `http://127.0.0.1:${(flood.address() as AddressInfo).port}/mcp`;
  const server = await connect(stage.page, 'flood', {
    kind: 'http',
    url,
    headers: {},
    trustHints: false,
    enabled: true,
  });
  expect(server).toMatchObject({ state: 'failed', error: expect.stringContaining('more than 67108864 bytes') });
  const all = await stage.page.ask('list-servers', {});
  expect(all.find(({ name }) => name === 'tracker')).toMatchObject({ state: 'connected' });
  await stage.page.ask('remove-server', { name: 'flood' });
}, 60_000);

test('a large answer of a tool reaches the script as a file, and no page', async () => {
  const { chat } = await stage.chat('agent');
  await stage.page.ask('set-tool-action', { tool: 'tracker.big', action: 'allow' });
  const script =
    'const { attachment, bytes } = await tracker.big({ bytes: 3_000_000 }); [bytes, search(attachment, "xxx", { count: true })]';
  stage.model.reply([{ call: 'run_script', args: { script } }], [{ text: 'Large.' }]);
  const before = stage.page.events.length;
  await stage.answer(chat, 'How large?');
  expect(stage.model.requests.at(-1)?.messages.at(-1)).toMatchObject({ content: '[3000000,1]' });
  expect(JSON.stringify(stage.page.events.slice(before)).length).toBeLessThan(200_000);
});

test('a snapshot that somebody has written into the store is refused, and nothing is called', async () => {
  const { chat } = await stage.chat('agent');
  const script = `const first = await tracker.create_issue({ repo: 'a', title: 'one' }); await tracker.create_issue({ repo: 'a', title: 'two' })`;
  stage.model.reply([{ call: 'run_script', args: { script } }], [{ text: 'Refused.' }]);
  const answered = stage.answer(chat, 'Make two');
  const { runId } = await waitingRun(stage.page, chat.id);
  const database = createClient({ url: `file:${join(stage.dataDir, 'runs', 'runs.db')}` });
  await database.execute({ sql: 'UPDATE runs SET snapshot = randomblob(4000) WHERE id = ?', args: [runId] });
  database.close();
  await stage.page.ask('decide-call', { runId, call: 1, decision: 'allow' });
  await expect.poll(async () => (await stage.page.ask('read-tool-run', { runId })).waitsFor).toEqual(['restart']);
  const run = await stage.page.ask('read-tool-run', { runId });
  expect(callsOf(run).map(({ id }) => id)).toEqual([1]);
  await stage.page.ask('cancel-tool-run', { runId });
  await answered;
});

test.each<[what: string, channel: string, params: object]>([
  ['a run that is not there', 'decide-call', { runId: 'no-run', call: 1, decision: 'allow' }],
  ['a run that is not there', 'cancel-tool-run', { runId: '../../agent.db' }],
  ['a run that is not there', 'fork-tool-run', { runId: '__proto__', call: 1, answer: { value: 1 } }],
  ['a decision of no kind', 'decide-call', { runId: 'x', call: 1, decision: 'approve' }],
  ['a server that is not there', 'remove-server', { name: '__proto__' }],
  [
    'a variable with a name of objects',
    'save-server',
    { name: 'x', was: null, server: { ...tracker, env: { 'a=b': '1' } } },
  ],
])('%s is refused by name: %s', async (_what, channel, params) => {
  const asked = stage.page.ask(channel as 'cancel-tool-run', params as { runId: string });
  await expect(asked).rejects.toMatchObject({ code: expect.stringMatching(/^(?:not_found|invalid_request)$/) });
});
