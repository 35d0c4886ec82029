import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { atServer } from '../cli/in-process.ts';
import { RawServer } from './raw-server.ts';
import { connectForAll, eras, textOf } from './support.ts';

const always = ['--consent', 'always'];

async function started(version: string): Promise<RawServer> {
  return await RawServer.here([...always, ...(await atServer())], version);
}

const call = (fields: object): object => ({ name: 'execute_sandbox_script', arguments: { script: '1' }, ...fields });

describe('a request with an id', () => {
  // One server for all of them: it goes on after each.
  let server: RawServer;
  const ends: (() => void | Promise<void>)[] = [];
  beforeAll(async () => {
    server = await RawServer.here([...always, ...(await atServer())], undefined, (end) => ends.push(end));
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });
  let id = 100;

  it.each([
    ['params that are a list', 'tools/list', [], -32602, 'The params of tools/list must be an object.'],
    ['params that are a number', 'tools/call', 5, -32602, 'The params of tools/call must be an object.'],
    ['a progress token that is none', 'tools/call', call({ _meta: { progressToken: true } }), -32602, /progressToken/],
    ['_meta that is none', 'tools/call', call({ _meta: 7 }), -32602, /_meta must be an object/],
    ['a log level that is none', 'logging/setLevel', { level: 'loud' }, -32602, /^params\.level: /],
    ['a URI that is none', 'resources/read', { uri: 5 }, -32602, /^params\.uri: /],
    ['a handshake without content', 'initialize', {}, -32602, /^params\.protocolVersion: /],
    ['a call without a name', 'tools/call', { arguments: {} }, -32602, /^params\.name: /],
    ['no params where there must be some', 'tools/call', undefined, -32602, /^params: /],
    ['a method that is none', 7, {}, -32600, 'The field method must be a string.'],
    ['a method that is not there', 'no/such', {}, -32601, /./],
  ])('gets an answer in a sentence: %s', async (_, method, params, code, message) => {
    server.send({ jsonrpc: '2.0', id: ++id, method, ...(params !== undefined && { params }) });
    const { error } = await server.answer(id);
    expect(error?.code).toBe(code);
    expect(error?.message).toMatch(message);
    expect(error?.message).not.toMatch(/[[{\n]/);
  });

  it('gets one for another version of JSON-RPC', async () => {
    server.send({ jsonrpc: '1.0', id: 'a', method: 'ping' });
    expect((await server.answer('a')).error).toMatchObject({ code: -32600, message: expect.stringContaining('"2.0"') });
  });

  it.each([
    ['has no method', { jsonrpc: '2.0', id: 91 }, 'The field method must be a string.'],
    ['has nothing but an id', { id: 92 }, 'The field jsonrpc must be "2.0".'],
    ['has half a number as its id', { jsonrpc: '2.0', id: 1.5, method: 'ping' }, /^The field id must be a string or/],
  ])('gets one when it %s', async (_, message, problem) => {
    server.send(message);
    const { error } = await server.answer(message.id);
    expect(error?.code).toBe(-32600);
    expect(error?.message).toMatch(problem);
  });

  const megabytes = (count: number): object => ({ script: 'x'.repeat(count * 1024 * 1024) });
  const longRefusal = { code: -32600, message: expect.stringContaining('16777216') };

  it('that is too long gets one, and the server goes on', async () => {
    server.request(1, 'tools/call', call({ arguments: megabytes(17) }));
    server.request(2, 'ping');
    expect((await server.answer(1)).error).toMatchObject(longRefusal);
    expect((await server.answer(2)).result).toEqual({});
  });

  it('that is too long gets one when its id stands at its end, and never one for an id among its arguments', async () => {
    const params = call({ arguments: { ...megabytes(17), id: 4 } });
    server.send({ method: 'tools/call', params: { id: 3, ...params }, jsonrpc: '2.0', id: 5 });
    server.request(6, 'ping');
    expect((await server.answer(5)).error).toMatchObject(longRefusal);
    await server.answer(6);
    expect(server.messages().filter(({ id }) => id === 3 || id === 4)).toEqual([]);
  });

  it('of 12 MB gets the answer of the tool, and the server goes on', async () => {
    server.request(7, 'tools/call', call({ arguments: megabytes(12) }));
    server.request(8, 'ping');
    expect((await server.answer(7)).result).toMatchObject({ isError: true });
    expect((await server.answer(8)).result).toEqual({});
  });

  it.each([5_000, 1_000_000])('that nests %i levels deep gets one, and the server goes on', async (levels) => {
    const nested = '['.repeat(levels) + ']'.repeat(levels);
    server.send(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x","arguments":${nested}},"id":${levels}}`);
    server.request(9, 'ping');
    const deep = { code: -32600, message: 'A message nests deeper than 400 levels.' };
    expect((await server.answer(levels)).error).toEqual(deep);
    expect((await server.answer(9)).result).toEqual({});
  });

  it('of too many fields gets one, and the server goes on', async () => {
    server.request(10, 'tools/call', call({ arguments: { list: Array.from({ length: 1_000_000 }, () => ({})) } }));
    server.request(11, 'ping');
    expect((await server.answer(10)).error).toMatchObject({
      code: -32600,
      message: expect.stringContaining('1000000'),
    });
    expect((await server.answer(11)).result).toEqual({});
  });
});

describe('a batch', () => {
  const batch = [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/none' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list', params: [] },
    { jsonrpc: '2.0', id: 3, method: 'tools/call', params: call({}) },
  ];

  it.each(['2024-11-05', '2025-03-26'])('is answered as one at %s', async (version) => {
    const server = await started(version);
    server.send(batch);
    const answers = await server.batch();
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([1, 2, 3]));
    expect(answers.find(({ id }) => id === 2)?.error?.code).toBe(-32602);
  });

  it('does not wait for a request of it that is cancelled', async () => {
    const server = await started('2025-03-26');
    const endless = call({ arguments: { script: 'while (true) {}' }, _meta: { progressToken: 'p' } });
    server.send([
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: endless },
      { jsonrpc: '2.0', id: 2, method: 'ping' },
    ]);
    server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    expect((await server.batch()).map(({ id }) => id)).toEqual([2]);
  });

  it('is answered when the last request that is open is cancelled after the others were answered', async () => {
    const server = await started('2025-03-26');
    const endless = call({ arguments: { script: 'while (true) {}' }, _meta: { progressToken: 'p' } });
    server.send([
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: endless },
    ]);
    // The ping was answered by then.
    await vi.waitUntil(() => server.messages().some(({ method }) => method === 'notifications/progress'));
    server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    expect((await server.batch()).map(({ id }) => id)).toEqual([1]);
  });

  it('is refused, each request of it, where the version has none', async () => {
    const server = await started('2025-06-18');
    server.send(batch);
    for (const id of [1, 2, 3]) expect((await server.answer(id)).error?.code).toBe(-32600);
  });
});

it.each([
  ['2025-06-18', -32002],
  ['2024-11-05', -32002],
])('a missing resource has the code of its version: %s', async (version, code) => {
  const server = await started(version);
  server.request(1, 'resources/read', { uri: 'attachments:///none.txt' });
  expect((await server.answer(1)).error?.code).toBe(code);
});

describe.each(eras)('an answer, at %s', (era) => {
  const server = connectForAll(async () => [...always, ...(await atServer())], { era });

  it('says what JSON cannot', async () => {
    const { run } = server();
    const answer = await run('[NaN, -Infinity, 1]');
    expect(answer.structuredContent).toMatchObject({ value: ['NaN', '-Infinity', 1] });
    expect(answer.structuredContent['note']).toMatch(/^NaN, -Infinity: a number here/);
    expect(textOf(answer)).toContain('NaN, -Infinity: a number here');
    expect((await run('["NaN"]')).structuredContent['note']).toBeUndefined();
  });

  it('has what was printed where there is no value', async () => {
    const { run } = server();
    const answer = await run('console.log("found", 3); undefined');
    expect(answer.structuredContent.text).toContain('It printed:\nfound 3');
    expect(textOf(await run('for (const n of [1, 2]) console.log(n); 7'))).toBe('7');
  });
});
