import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../support.ts';
import {
  accepts,
  ask,
  beginSession,
  connectHttp,
  eras,
  messagesIn,
  openHttp,
  rpc,
  runScript,
  type HttpStage,
} from './support.ts';

let stage: HttpStage;
let root: string;
beforeAll(async () => {
  root = makeFolder({ 'a.txt': 'in the folder', '.env': 'SECRET=1' }, () => {});
  stage = await openHttp({ root });
});
afterAll(() => stage[Symbol.asyncDispose]());

describe.each(eras)('a client of %s', (era) => {
  it('runs scripts over the folder, and reads resources', async () => {
    const client = await connectHttp(stage.server.url, { era });
    expect(client.getNegotiatedProtocolVersion()).toBe(era);
    const { structuredContent } = await runScript(client, `read_file('a.txt')`);
    expect(structuredContent).toMatchObject({ status: 'completed', value: 'in the folder' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['execute_sandbox_script', 'upload_file']);
    await expect(client.readResource({ uri: 'attachments:///none' })).rejects.toThrow('There is no attachment');
  });

  it('uploads a file to an address that is good once, and then reads it', async () => {
    const client = await connectHttp(stage.server.url, { era });
    const name = `log-${era}.txt`;
    const { structuredContent } = await client.callTool({ name: 'upload_file', arguments: { name } });
    const { url, command } = structuredContent as { url: string; command: string };
    expect(command).toBe(`curl -T FILE '${url}'`);
    const sent = await fetch(url, { method: 'PUT', body: 'two\nlines\n' });
    expect(sent.status).toBe(201);
    expect(await sent.json()).toMatchObject({ name, reference: `attachments:${name}`, size: 10 });
    const again = await fetch(url, { method: 'PUT', body: 'other' });
    expect(again.status).toBe(403);
    const run = await runScript(client, `read_file('attachments:${name}')`);
    expect(run.structuredContent).toMatchObject({ value: 'two\nlines\n' });
    const { resources } = await client.listResources();
    expect(resources.map((resource) => resource.name)).toContain(name);
  });

  it('has roots that mean nothing: they would be folders of the server', async () => {
    const other = makeFolder({ 'b.txt': 'not for clients' });
    const client = await connectHttp(stage.server.url, { era, roots: [`file://${other}`] });
    expect((await runScript(client, `list_files('.')`)).structuredContent).toMatchObject({ value: ['a.txt'] });
  });

  it('is asked before a script where consent is wanted', async () => {
    await using asking = await openHttp({ consent: 'ask' });
    const questions: string[] = [];
    const elicit = (message: string) => {
      questions.push(message);
      return { action: 'accept' as const, content: { permission: 'Allow this script' } };
    };
    const client = await connectHttp(asking.server.url, { era, elicit });
    expect((await runScript(client, '1 + 1')).structuredContent).toMatchObject({ value: 2 });
    expect(questions).toEqual([expect.stringContaining('1 + 1')]);
    const silent = await connectHttp(asking.server.url, { era });
    expect((await runScript(silent, '1')).structuredContent).toMatchObject({ status: 'denied' });
  });

  it('keeps outputs out of the folder that all may read', async () => {
    const client = await connectHttp(stage.server.url, { era });
    const { structuredContent } = await runScript(client, `'x'.repeat(200000) + '${era}'`);
    const { fullOutput } = structuredContent as { fullOutput: string };
    expect(fullOutput).toMatch(/^attachments:script-output-/);
    expect((await runScript(client, `list_files('.')`)).structuredContent).toMatchObject({ value: ['a.txt'] });
    const length = await runScript(client, `read_file('${fullOutput}').length`);
    expect(length.structuredContent).toMatchObject({ value: 200_010 });
  });
});

it('a stream goes on where it broke', async () => {
  const { url } = stage.server;
  const headers = await beginSession(url);
  const body = rpc('tools/call', { name: 'execute_sandbox_script', arguments: { script: '6 * 7' } }, 'call');
  const { body: stream } = await ask(url, { headers, body });
  const [, first] = /^id: (\d+)$/m.exec(stream) ?? [];
  const again = await ask(url, { method: 'GET', headers: { ...headers, 'last-event-id': String(first) } });
  expect(again.status).toBe(200);
  expect(messagesIn(again.body)).toEqual(messagesIn(stream));
  // An event of another session, or of none, is nobody's.
  const others = await beginSession(url);
  const foreign = await ask(url, { method: 'GET', headers: { ...others, 'last-event-id': String(first) } });
  expect(foreign.status).toBe(400);
});

it('a session ends when its client says so, and when it is idle', async () => {
  await using short = await openHttp({ sessionIdleMs: 50 });
  const { url } = short.server;
  const ended = await beginSession(url);
  expect((await ask(url, { method: 'DELETE', headers: ended })).status).toBe(200);
  expect((await ask(url, { headers: ended, body: rpc('ping') })).status).toBe(404);
  const idle = await beginSession(url);
  await expect
    .poll(async () => (await ask(url, { path: '/metrics', method: 'GET' })).body)
    .toContain('mustard_sandbox_sessions 0');
  expect((await ask(url, { headers: idle, body: rpc('ping') })).status).toBe(404);
});

it('one session more than the most ends the oldest that is idle', async () => {
  await using few = await openHttp({ maxSessions: 2 });
  const { url } = few.server;
  const sessions = [await beginSession(url), await beginSession(url), await beginSession(url)];
  const statuses = [];
  for (const headers of sessions) statuses.push((await ask(url, { headers, body: rpc('ping') })).status);
  expect(statuses).toEqual([404, 200, 200]);
});

it('a client hears of a file that was uploaded', async () => {
  const { url } = stage.server;
  const client = await connectHttp(url);
  let changes = 0;
  client.setNotificationHandler('notifications/resources/list_changed', () => void changes++);
  const { structuredContent } = await client.callTool({ name: 'upload_file', arguments: { name: 'news.txt' } });
  await fetch((structuredContent as { url: string }).url, { method: 'PUT', body: 'x' });
  await expect.poll(() => changes).toBeGreaterThan(0);
});

it('tells how it is, and counts', async () => {
  const { url } = stage.server;
  expect(await ask(url, { path: '/health', method: 'GET' })).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  const { body } = await ask(url, { path: '/metrics', method: 'GET' });
  expect(body).toContain('mustard_sandbox_runs_total{code="ok"}');
  expect(body).toMatch(/^mustard_sandbox_http_responses_total\{status="200"\} \d+$/m);
});

it('what is sent wrong gets an answer in words', async () => {
  const { url } = stage.server;
  const headers = await beginSession(url);
  const bodyOf = async (body: string): Promise<string> => (await ask(url, { headers, body })).body;
  expect(await bodyOf('{')).toContain('The body is not JSON.');
  expect(await bodyOf(JSON.stringify({ id: 1, method: 'ping' }))).toContain('The field jsonrpc must be');
  expect(await bodyOf(rpc('tools/call', { name: 'none' }))).toContain('There is no tool');
  expect(await bodyOf(rpc('tools/call', { name: 1 }))).toContain('"message":"params.name: ');
  const none = await ask(url, { headers: accepts, body: rpc('ping') });
  expect([none.status, none.body]).toEqual([400, expect.stringContaining('A session begins with initialize')]);
});

it('files stay in a store that is named, for the next server', async () => {
  const folder = makeFolder({});
  writeFileSync(join(folder, 'other'), '');
  const store = join(folder, 'store');
  await using first = await openHttp({ store });
  const client = await connectHttp(first.server.url);
  const { structuredContent } = await client.callTool({ name: 'upload_file', arguments: { name: 'kept.txt' } });
  await fetch((structuredContent as { url: string }).url, { method: 'PUT', body: 'kept' });
  await client.close();
  await first.server.close();
  await using second = await openHttp({ store });
  const later = await connectHttp(second.server.url);
  expect((await runScript(later, `read_file('attachments:kept.txt')`)).structuredContent).toMatchObject({
    value: 'kept',
  });
});
