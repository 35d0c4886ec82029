import { beforeAll, describe, expect, test } from 'vitest';
import type { ModelReply } from '../models/model-server.ts';
import { ModelServer } from '../models/model-server.ts';
import { Stage, textOf } from './support.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
});

/** So that the SDK does not wait for seconds before it tries again. */
const soon = { 'retry-after-ms': '1' };

const failures: [string, ModelReply[], RegExp, string][] = [
  ['a key that is not accepted', [{ status: 401 }], /does not accept the key \(401\).*Settings/, ''],
  [
    'too many requests',
    Array.from({ length: 3 }, () => ({ status: 429, headers: soon })),
    /no more requests now \(429\).*Wait/,
    '',
  ],
  [
    'an error of the server',
    Array.from({ length: 3 }, () => ({ status: 500, headers: soon })),
    /error of its own \(500\)/,
    '',
  ],
  [
    'a chat that is too long',
    [{ status: 400, body: { error: { code: 'context_length_exceeded', message: 'too long' } } }],
    /longer than what scripted can read.*new chat/,
    '',
  ],
  [
    'a model that is not there',
    [{ status: 404, body: { error: { message: 'no such model' } } }],
    /does not have scripted \(404\)/,
    '',
  ],
  ['a stream that is cut', [[{ text: 'Half an' }, 'cut']], /ended in the middle/, 'Half an'],
  ['a stream that ends too early', [[{ text: 'Half an' }, 'stop-short']], /ended in the middle/, 'Half an'],
  [
    'garbage in the stream',
    [[{ text: 'Half an' }, { raw: 'data: {"no": "chunk"\n\n' }]],
    /not part of an answer/,
    'Half an',
  ],
  ['an endless answer', [[{ endless: 'text' }]], /did not come to an end.*characters/, 'endless endless'],
  ['endless arguments', [[{ text: 'Look. ' }, { endless: 'arguments' }]], /did not come to an end.*call/, 'Look. '],
];

describe.each(failures)('%s', (_, replies, words, kept) => {
  test('fails the answer with words for a person, and keeps what had come', async () => {
    const { chat } = await stage.chat('ask');
    stage.model.reply(...replies);
    const message = await stage.answer(chat, 'Tell me');
    expect(message.state).toBe('failed');
    expect(message.error).toMatch(words);
    expect(textOf(message).startsWith(kept)).toBe(true);
    expect(textOf(message) === '').toBe(kept === '');
    expect((await stage.messages(chat))[1]).toEqual(message);
  });
});

test('an error before the first word is tried again, one after it is not', async () => {
  const { chat } = await stage.chat('ask');
  const before = stage.model.requests.length;
  stage.model.reply({ status: 503, headers: soon }, [{ text: 'Here.' }]);
  expect(textOf(await stage.answer(chat, 'Tell me'))).toBe('Here.');
  expect(stage.model.requests.length).toBe(before + 2);
  stage.model.reply([{ text: 'Half' }, 'cut']);
  expect((await stage.answer(chat, 'Tell me')).state).toBe('failed');
  expect(stage.model.requests.length).toBe(before + 3);
});

test('a server that is gone', async () => {
  const other = await ModelServer.start();
  await stage.serve(other.url);
  const { chat } = await stage.chat('ask');
  await stage.page.ask('update-chat', { chatId: chat.id, model: other.modelId });
  await other[Symbol.asyncDispose]();
  const message = await stage.answer(chat, 'Tell me');
  expect(message.state).toBe('failed');
  expect(message.error).toMatch(/connection was refused.*Start it/);
});

test('a model of a server that is not in the settings gets no request', async () => {
  const other = await ModelServer.start();
  const { chat } = await stage.chat('ask');
  await stage.page.ask('update-chat', { chatId: chat.id, model: other.modelId });
  const message = await stage.answer(chat, 'Tell me');
  expect(message.error).toMatch(/no longer in the settings/);
  expect(other.requests).toEqual([]);
  await other[Symbol.asyncDispose]();
});

test('a key goes to its server alone, and into no error and no log', async () => {
  const key = 'sk-very-secret-0123456789';
  const headerSecret = 'of-the-team-very-secret';
  const own = await ModelServer.start();
  await stage.serve(own.url, { key, headers: { 'x-team': headerSecret } });
  const { chat } = await stage.chat('ask');
  await stage.page.ask('update-chat', { chatId: chat.id, model: own.modelId });
  own.reply({ status: 418, body: { error: { message: `Incorrect API key provided: ${key} ${headerSecret}` } } });
  const message = await stage.answer(chat, 'Tell me');
  expect(own.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${key}`, 'x-team': headerSecret });
  expect(message.error).not.toContain('very-secret');
  await stage.page.ask('update-chat', { chatId: chat.id, model: stage.model.modelId });
  stage.model.reply([{ text: 'Hello.' }]);
  await stage.answer(chat, 'And you?');
  expect(stage.model.requests.at(-1)?.headers).not.toHaveProperty('authorization');
  expect(stage.model.requests.at(-1)?.headers).not.toHaveProperty('x-team');
  const { readFile } = await import('node:fs/promises');
  expect(await readFile(`${stage.dataDir}/agent.log`, 'utf8')).not.toContain('very-secret');
  await own[Symbol.asyncDispose]();
});

describe('a key without a known beginning', () => {
  const key = 'Zx9_live/Q7+wert=Secret-0123456789';
  const inBase64 = (text: string): string => Buffer.from(text).toString('base64');
  const shapes: Record<string, ModelReply> = {
    'as it is': { status: 418, body: { error: { message: `Incorrect key: ${key}` } } },
    'in quotation marks, twice': { status: 400, body: { error: { message: `"${key}" is not "${key}"` } } },
    'in another case': { status: 400, body: { error: { message: `Incorrect key ${key.toUpperCase()}` } } },
    'its first half': { status: 400, body: { error: { message: `Incorrect key ${key.slice(0, 18)}***` } } },
    'at the place where a message is cut': { status: 400, body: { error: { message: `${'x'.repeat(285)} ${key}` } } },
    'encoded for an address': { status: 404, body: { error: { message: `/v1?key=${encodeURIComponent(key)}` } } },
    'in the header in base64': { status: 418, body: { error: { message: `Basic ${inBase64(`user:${key}`)}` } } },
    'over two lines': { status: 418, body: { error: { message: `${key.slice(0, 12)}\n${key.slice(12)}` } } },
    'in a body that is no JSON': { status: 418, body: `<p>${key}</p>` },
    'in the middle of the stream': [
      { text: 'Half' },
      { raw: `data: ${JSON.stringify({ error: { message: `key ${key} expired` } })}\n\n` },
    ],
  };

  const places = ['key', 'header'] as const;
  const cases = Object.entries(shapes).flatMap(([shape, reply]) =>
    places.map((place) => [`${shape}, sent as a ${place},`, { reply, place }] as const),
  );
  test.each(cases)(
    '%s comes neither into the chat, nor into the database, nor out of it',
    async (_, { reply, place }) => {
      const own = await ModelServer.start();
      // As the key, and as the value of a header: both are secrets.
      await stage.serve(own.url, place === 'key' ? { key } : { headers: { authorization: `Bearer ${key}` } });
      const { chat } = await stage.chat('ask');
      await stage.page.ask('update-chat', { chatId: chat.id, model: own.modelId });
      own.reply(reply);
      const message = await stage.answer(chat, 'Tell me');
      expect(own.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
      expect(message.state).toBe('failed');
      const { markdown } = await stage.page.ask('export-chat', { chatId: chat.id, attachments: true });
      const everywhere = JSON.stringify([
        message,
        await stage.messages(chat),
        markdown,
        stage.page.events,
      ]).toLowerCase();
      for (const spelled of [key, encodeURIComponent(key), inBase64(`user:${key}`)]) {
        for (let at = 0; at + 10 <= spelled.length; at++) {
          expect(everywhere).not.toContain(spelled.slice(at, at + 10).toLowerCase());
        }
      }
      await own[Symbol.asyncDispose]();
    },
  );
});
