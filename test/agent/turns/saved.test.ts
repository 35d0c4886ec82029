import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parseRecord } from '@mustard-sandbox/agent-tool';
import { parseChart } from '@mustard-sandbox/charts';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { partsOf, Stage } from './support.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
});
beforeEach(async () => {
  stage.page.onQuestion = undefined;
  await stage.page.ask('update-settings', { scripts: { enabled: true, consent: 'always', timeoutMs: 10_000 } });
});

const script = `
const rows = Array.from({ length: 250 }, (_, n) => ({ n, name: n % 2 ? 'odd' : 'even' }));
save('rows.csv', rows);
chart({ type: 'bar', data: { odd: 125, even: 125 }, x: 'key', y: 'value', name: 'parity' });`;

async function chatWithFiles(): Promise<string> {
  const { chat } = await stage.chat('agent');
  stage.model.reply([{ call: 'execute_sandbox_script', args: { script } }], [{ text: 'Done.' }]);
  const message = await stage.answer(chat, 'Go');
  const { outputs } = parseRecord(partsOf(message, 'script')[0]!.record);
  expect(outputs?.map(({ name }) => name)).toEqual(['rows.csv', 'parity.chart.json']);
  return chat.id;
}

async function get(chat: string, path: string, headers: Record<string, string>): Promise<Response> {
  const query = new URLSearchParams({ chat, path, from: 'saved' });
  return await fetch(`${new URL(stage.program.url).origin}/workspace?${query.toString()}`, { headers });
}

function ownHeaders(): Record<string, string> {
  const token = new URLSearchParams(new URL(stage.program.url).hash.slice(1)).get('token') ?? '';
  return { authorization: `Bearer ${token}` };
}

const readRows = (chatId: string, name: string, request: object = {}) =>
  stage.page.ask('read-rows', { chatId, name, request: { offset: 0, limit: 100, ...request }, columns: ['n', 'name'] });

test('a person gets what scripts have kept, by the token only', async () => {
  const chatId = await chatWithFiles();
  const chart = parseChart(await (await get(chatId, 'parity.chart.json', ownHeaders())).text());
  expect(chart).toMatchObject({ type: 'bar', y: { values: [125, 125] } });
  expect((await get(chatId, 'parity.chart.json', {})).status).toBe(401);
  expect((await get(chatId, 'parity.chart.json', { authorization: 'Bearer wrong' })).status).toBe(401);
  const response = await get(chatId, 'rows.csv', ownHeaders());
  expect(response.headers.get('content-disposition')).toBe('attachment');
  expect(await response.text()).toMatch(/^n,name\n0,even\n1,odd\n/);
});

test('no name leads out of the folder of the chat', async () => {
  const [chatId, other] = [await chatWithFiles(), (await stage.chat('agent')).chat.id];
  for (const name of [
    '../agent.db',
    `../${chatId}/rows.csv`,
    '/etc/hostname',
    '.',
    '..',
    '',
    'agent.db',
    'rows.csv\0',
    '.env',
  ]) {
    expect((await get(chatId, name, ownHeaders())).status).toBe(400);
    await expect(readRows(chatId, name)).rejects.toMatchObject({ code: 'unsafe_path' });
  }
  expect((await get(other, 'rows.csv', ownHeaders())).status).toBe(404);
  expect((await get('../saved', 'rows.csv', ownHeaders())).status).toBe(404);
  await expect(readRows(other, 'rows.csv')).rejects.toMatchObject({ code: 'not_found' });
});

test.skipIf(process.platform === 'win32')('a link in the place of a file is not followed', async () => {
  const chatId = await chatWithFiles();
  const path = join(stage.dataDir, 'saved', chatId, 'rows.csv');
  rmSync(path);
  symlinkSync(join(stage.dataDir, 'agent.db'), path);
  expect((await get(chatId, 'rows.csv', ownHeaders())).status).toBe(400);
  await expect(readRows(chatId, 'rows.csv')).rejects.toMatchObject({
    code: expect.stringMatching(/not_found|unsafe_path/) as string,
  });
});

test('a page of a table is read as a script reads it', async () => {
  const chatId = await chatWithFiles();
  expect(await readRows(chatId, 'rows.csv', { offset: 200 })).toMatchObject({
    total: 250,
    rows: { length: 50, 0: { n: 200, name: 'even' } },
  });
  const found = await readRows(chatId, 'rows.csv', {
    search: 'ODD',
    filters: { n: '>= 240' },
    sorting: { column: 'n', isDescending: true },
  });
  expect(found.rows).toEqual([249, 247, 245, 243, 241].map((n) => ({ n, name: 'odd' })));
  const wrong = { sorting: { column: 'nope', isDescending: false } };
  await expect(readRows(chatId, 'rows.csv', wrong)).rejects.toMatchObject({ code: 'not_found' });
});
