import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from '@libsql/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ModelServer } from '../models/model-server.ts';
import { TestPage } from './support.ts';

const fixture = fileURLToPath(new URL('fixtures/program.mjs', import.meta.url));

let folder: string;
let model: ModelServer;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'agent-plan-kills-')));
  model = await ModelServer.start();
});
afterAll(async () => {
  await model[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** What the database says after the kill. */
async function read(file: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = createClient({ url: `file:${file}` });
  try {
    return (await client.execute(sql)).rows;
  } finally {
    client.close();
  }
}

test('a kill while a plan is approved leaves all of it or nothing: the plan, the mode, and the message', async () => {
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  const app = await mkdtemp(join(folder, 'app-'));
  const seen = new Set<unknown>();
  for (const delayMs of [0, 3, 10, 30, 100, 300, Infinity]) {
    const child = spawn(process.execPath, [fixture, dataDir, model.url], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
    const page = await TestPage.open({ url });
    const { id: appId } = await page.ask('add-app', { path: app });
    const { id: chatId } = await page.ask('create-chat', { appId, mode: 'plan' });
    await page.ask('update-chat', { chatId, model: model.modelId });
    model.clear();
    model.reply([{ text: '<agent-plan>\n1. First\n</agent-plan>' }], [{ text: 'On it' }, 'hang']);
    const { messageId } = await page.ask('chat:stream', { chatId, text: 'Plan it', uploads: [] });
    await page.ended(messageId);
    const approved = page.ask('approve-work-plan', { chatId, messageId, revision: 0, mode: 'build' });
    // The last kill comes when the page has its answer, however slow the machine is.
    await (delayMs === Infinity ? approved : sleep(delayMs));
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    const file = join(dataDir, 'agent.db');
    const [plan] = await read(
      file,
      `SELECT json_extract(work_plan, '$.state') AS state FROM messages WHERE id = '${messageId}'`,
    );
    const [chat] = await read(file, `SELECT mode FROM chats WHERE id = '${chatId}'`);
    const [sent] = await read(file, `SELECT count(*) AS count FROM messages WHERE chat_id = '${chatId}'`);
    const state = [plan?.['state'], chat?.['mode'], Number(sent?.['count'])];
    expect([
      ['pending', 'plan', 2],
      ['approved', 'build', 4],
    ]).toContainEqual(state);
    seen.add(state[0]);
  }
  // Otherwise the kills all came too early or too late to show anything.
  expect(seen).toEqual(new Set(['pending', 'approved']));
}, 240_000);
