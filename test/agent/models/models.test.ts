import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ModelServer } from './model-server.ts';
import { load, Stage, textOf } from '../turns/support.ts';

/** A provider of models: it lists what it has, and answers messages as Anthropic does. */
class Provider {
  readonly requests: IncomingMessage[] = [];
  readonly server: Server;

  constructor(lists: Record<string, unknown>) {
    this.server = createServer((request, response) => {
      this.requests.push(request);
      const list = lists[request.url ?? ''];
      if (list !== undefined) return void response.end(JSON.stringify(list));
      if (request.url !== '/messages') return void response.writeHead(404).end('{}');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const usage = { input_tokens: 1, output_tokens: 1 };
      const events = [
        {
          type: 'message_start',
          message: { id: 'm', type: 'message', role: 'assistant', model: 'claude', content: [], usage },
        },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello from afar.' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
        { type: 'message_stop' },
      ];
      for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      response.end();
    });
  }

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
}

const anthropic = new Provider({ '/models': { data: [{ id: 'claude-one' }] } });
const openai = new Provider({ '/models': { data: [{ id: 'gpt-one' }, { id: 'gpt-image-one' }, { id: 'whisper' }] } });
const google = new Provider({
  '/models?pageSize=1000': { models: [{ name: 'models/gemini-one' }, { name: 'models/embedding-one' }] },
});
const providers = [anthropic, openai, google];

let stage: Stage;
let local: ModelServer;
beforeAll(async () => {
  local = await ModelServer.start();
  local.models = ['llama', 'nomic-embed-text'];
  const [anthropicUrl = '', openaiUrl = '', googleUrl = ''] = await Promise.all(providers.map((one) => one.listen()));
  const urls = { anthropic: anthropicUrl, openai: openaiUrl, google: googleUrl };
  stage = await Stage.start({
    turns: { models: { local: [{ url: local.url, name: 'Ollama on this machine' }], urls } },
  });
});
afterAll(async () => {
  for (const { server } of providers) server.close();
  await local[Symbol.asyncDispose]();
});

test('the servers of this machine are found, and providers by their keys alone', async () => {
  const labels = async (): Promise<string[]> =>
    (await stage.page.ask('list-models', {})).models.map(({ provider, label }) => `${provider}: ${label}`);
  expect(await labels()).toEqual(['Ollama on this machine: llama', 'A guided first look, without a model: Tour']);
  expect(providers.flatMap(({ requests }) => requests)).toEqual([]);
  await stage.page.ask('set-key', { provider: 'anthropic', key: 'key-a' });
  await stage.page.ask('set-key', { provider: 'openai', key: 'key-o' });
  await stage.page.ask('set-key', { provider: 'google', key: 'key-g' });
  expect(await labels()).toEqual([
    'Ollama on this machine: llama',
    'Anthropic: claude-one',
    'OpenAI: gpt-one',
    'Google: gemini-one',
    'A guided first look, without a model: Tour',
  ]);
  expect(anthropic.requests[0]?.headers['x-api-key']).toBe('key-a');
  expect(openai.requests[0]?.headers.authorization).toBe('Bearer key-o');
  expect(google.requests[0]?.headers['x-goog-api-key']).toBe('key-g');
});

test('a chat that names no model gets the first that answers', async () => {
  const { chat } = await stage.chat('ask');
  await stage.page.ask('update-chat', { chatId: chat.id, model: null });
  local.reply([{ text: 'Local.' }]);
  expect(textOf(await stage.answer(chat, 'Who are you?'))).toBe('Local.');
});

test('a provider answers with its own protocol', async () => {
  await stage.page.ask('set-key', { provider: 'anthropic', key: 'key-a' });
  const { chat } = await stage.chat('ask');
  await stage.page.ask('update-chat', { chatId: chat.id, model: 'anthropic:claude-one' });
  const message = await stage.answer(chat, 'Who are you?');
  expect(message.error).toBeNull();
  expect(textOf(message)).toBe('Hello from afar.');
  await stage.page.ask('set-key', { provider: 'anthropic', key: null });
  expect((await stage.answer(chat, 'And now?')).error).toMatch(/no key for Anthropic.*Settings/);
});

test('a redirect takes no key along', async () => {
  const target = new Provider({ '/models': { data: [{ id: 'stolen' }] } });
  const to = await target.listen();
  const redirecting = createServer((_, response) => void response.writeHead(307, { location: `${to}/models` }).end());
  redirecting.listen(0, '127.0.0.1');
  await once(redirecting, 'listening');
  const baseUrl = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
  await stage.serve(baseUrl, { key: 'key-c', headers: { 'x-secret': 'of a header' } });
  expect((await stage.page.ask('list-models', {})).models.map(({ label }) => label)).not.toContain('stolen');
  expect(target.requests).toEqual([]);
  redirecting.close();
  target.server.close();
});

test.each(['nonsense', 'openai-compatible:http://127.0.0.1:9/v1:x', 'constructor:x', 'openai:'])(
  'the model %s is none',
  async (model) => {
    const { chat } = await stage.chat('ask');
    await stage.page.ask('update-chat', { chatId: chat.id, model });
    const message = await stage.answer(chat, 'Hello');
    expect(message.state).toBe('failed');
    expect(message.error).toMatch(/Choose another/);
  },
);

test('the settings say what happened at the address, and a model that no list has can be named', async () => {
  const answers: Record<string, (response: ServerResponse) => void> = {
    '/key/models': (response) => response.writeHead(401).end('{}'),
    '/page/models': (response) => response.end('<!doctype html>'),
    '/empty/models': (response) => response.end('{"data":[]}'),
    '/broken/models': (response) => response.writeHead(500).end(),
    '/elsewhere/models': (response) => response.writeHead(302, { location: '/v1/models' }).end(),
    '/v1/models': (response) => response.end('{"data":[{"id":"one"}]}'),
  };
  const server = createServer((request, response) => {
    (answers[request.url ?? ''] ?? ((other: ServerResponse) => void other.writeHead(404).end()))(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const problemAt = async (url: string, key?: string): Promise<string | undefined> => {
    const id = await stage.serve(url, key === undefined ? {} : { key });
    const { problems } = await stage.page.ask('list-models', {});
    await stage.page.ask('remove-model-server', { id });
    return problems.find(({ provider }) => provider === id)?.text;
  };
  expect(await problemAt(`${origin}/v1`)).toBeUndefined();
  expect(await problemAt(origin)).toMatch(/no list of models at this address \(404\).*\/v1/);
  expect(await problemAt(`${origin}/page`)).toMatch(/did not answer with a list of models/);
  expect(await problemAt(`${origin}/empty`)).toMatch(/has no models/);
  expect(await problemAt(`${origin}/broken`)).toMatch(/an error \(500\)/);
  expect(await problemAt(`${origin}/elsewhere`)).toMatch(/another address/);
  const gone = await ModelServer.start();
  const { url: goneUrl } = gone;
  await gone[Symbol.asyncDispose]();
  expect(await problemAt(goneUrl)).toMatch(/^Nothing answers at 127\.0\.0\.1:\d+: the connection was refused/);
  expect(await problemAt('http://no-such-machine.invalid/v1')).toMatch(
    /No machine with the name no-such-machine\.invalid/,
  );
  expect(await problemAt(`${origin}/key`)).toMatch(/needs a key \(401\)/);
  expect(await problemAt(`${origin}/key`, 'not-the-right-one')).toMatch(/does not accept the key \(401\)/);
  const id = await stage.serve(origin, { name: 'Office', models: ['unlisted'] });
  const { models, problems } = await stage.page.ask('list-models', {});
  expect(models[0]).toMatchObject({
    id: `openai-compatible:${origin}:unlisted`,
    label: 'unlisted',
    provider: 'Office',
  });
  // Who types names needs no list.
  expect(problems.filter(({ provider }) => provider === id)).toEqual([]);
  await stage.page.ask('remove-model-server', { id });
  expect((await stage.page.ask('list-models', {})).models.map(({ label }) => label)).not.toContain('unlisted');
  server.close();
});

test('a key of a provider that is refused is told at that provider', async () => {
  const refusing = createServer((_, response) => void response.writeHead(403).end('{}'));
  refusing.listen(0, '127.0.0.1');
  await once(refusing, 'listening');
  const url = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
  const { Models } =
    await load<typeof import('../../../packages/desktop-agent/src/server/models/models.ts')>('server/models/models.js');
  const models = new Models({
    servers: async () => [],
    options: async () => new Map(),
    key: async (provider) => (provider === 'openai' ? 'sk-wrong' : null),
    tour: () => Promise.reject(new Error('not asked for')),
    local: [],
    urls: { openai: url },
  });
  expect(await models.list()).toEqual({
    models: [expect.objectContaining({ id: 'tour' })],
    problems: [{ provider: 'openai', text: 'OpenAI does not accept the key (403).' }],
  });
  refusing.close();
});
