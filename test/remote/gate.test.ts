import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { serveSandboxes } from '@mustard-sandbox/remote/server';
import { failure, openStage, otherToken, token, type Stage } from './support.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ maxConnections: 3, connectionWaitMs: 50 });
});
afterAll(() => stage.end());

interface Answer {
  status: number;
  body: string;
}

function ask(path: string, headers: Record<string, string> = {}, at = stage): Promise<Answer> {
  const { hostname, port } = new URL(at.server.url);
  return new Promise((resolve, reject) => {
    const asked = request({ host: hostname, port, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    asked.on('error', reject).end();
  });
}

/** The status that a WebSocket is refused with; 101 when it is opened. */
async function upgrade(headers: Record<string, string>, path = '/v1/sandbox'): Promise<number> {
  const socket = new WebSocket(stage.server.url.replace('http', 'ws') + path, ['mustard-sandbox.1'], { headers });
  return await new Promise((resolve) => {
    socket.on('open', () => (socket.terminate(), resolve(101)));
    socket.on('unexpected-response', (_, { statusCode }) => (socket.terminate(), resolve(statusCode ?? 0)));
    socket.on('error', () => {});
  });
}

const mine = { authorization: `Bearer ${token}` };

describe('who comes in', () => {
  it('needs a token, for everything but /health', async () => {
    expect(await ask('/health')).toEqual({ status: 200, body: '{"status":"ok"}' });
    for (const path of ['/metrics', '/v1/blobs/x', '/v1/artifacts/x', '/', '/v1/sandbox']) {
      expect((await ask(path)).status).toBe(401);
      expect((await ask(path, { authorization: 'Bearer wrong' })).status).toBe(401);
      expect((await ask(path, { authorization: token })).status).toBe(401);
    }
    expect((await ask('/metrics', mine)).status).toBe(200);
    expect(await upgrade({})).toBe(401);
    expect(await upgrade({ authorization: `Bearer ${token}x` })).toBe(401);
    expect(await upgrade(mine)).toBe(101);
  });

  it('is no browser: a foreign page, or one whose name was made to lead here', async () => {
    expect((await ask('/metrics', { ...mine, origin: 'https://evil.example' })).status).toBe(403);
    expect((await ask('/metrics', { ...mine, origin: stage.server.url })).status).toBe(403);
    expect((await ask('/metrics', { ...mine, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(await upgrade({ ...mine, origin: 'https://evil.example' })).toBe(403);
    expect((await ask('/metrics', { ...mine, host: 'evil.example' })).status).toBe(421);
    expect(await upgrade({ ...mine, host: 'evil.example:7777' })).toBe(421);
    expect((await ask('/metrics', { ...mine, host: 'localhost:1' })).status).toBe(200);
    expect((await ask('/metrics', { ...mine, host: '[::1]' })).status).toBe(200);
  });

  it('is told what is wrong, by the client', async () => {
    const wrong = stage.connect({ token: 'wrong' });
    expect(await failure(wrong.run({ script: '1' }))).toMatchObject({
      code: 'invalid_request',
      message: 'The token is wrong, or there is none.',
      details: { status: 401 },
    });
  });

  it('has a bounded number of connections', async () => {
    const open = (): Promise<WebSocket | number> => {
      const socket = new WebSocket(`${stage.server.url.replace('http', 'ws')}/v1/sandbox`, {
        headers: { authorization: `Bearer ${otherToken}` },
      });
      return new Promise((resolve) => {
        socket.on('open', () => resolve(socket)).on('error', () => {});
        socket.on('unexpected-response', (_, { statusCode }) => (socket.terminate(), resolve(statusCode ?? 0)));
      });
    };
    const sockets = [await open(), await open(), await open()];
    expect(await open()).toBe(429);
    const [first] = sockets as WebSocket[];
    const closed = new Promise((resolve) => first?.on('close', resolve));
    first?.close();
    await closed;
    await expect.poll(open).toBeInstanceOf(WebSocket);
    for (const socket of sockets) if (socket instanceof WebSocket) socket.terminate();
  });
});

describe('what a client may send', () => {
  it('floods of headers and broken requests end their connection, and nothing else', async () => {
    expect((await ask('/health', { 'x-flood': 'x'.repeat(20_000) })).status).toBe(431);
    const { hostname, port } = new URL(stage.server.url);
    const reply = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname, () => socket.write('GET / HTTP/1.1\r\nno header\r\n\r\n'));
      let text = '';
      socket.on('data', (data) => (text += data.toString())).on('close', () => resolve(text));
    });
    expect(reply).toMatch(/^HTTP\/1\.1 400 /);
    expect((await ask('/health')).status).toBe(200);
  });

  it('headers that never end are cut off, however steadily they come', { timeout: 60_000 }, async () => {
    const { hostname, port } = new URL(stage.server.url);
    const socket = connect(Number(port), hostname, () => socket.write('GET /health HTTP/1.1\r\nhost: localhost\r\n'));
    const beganAt = performance.now();
    const timer = setInterval(() => socket.write('x'), 200);
    let text = '';
    socket.on('error', () => {}).on('data', (data) => (text += data.toString()));
    await new Promise((resolve) => socket.on('close', resolve));
    clearInterval(timer);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    // Node itself looks every 30 s, and would end it after 40.
    expect(performance.now() - beganAt).toBeLessThan(25_000);
  });

  it.each([
    ['another path', '/v1/blobs/../../etc/passwd', {}, 404],
    ['a hash that is a path', `/v1/blobs/${encodeURIComponent('../'.repeat(10))}`, {}, 400],
    ['no length', `/v1/blobs/${'a'.repeat(64)}`, {}, 400],
    ['a length that is none', `/v1/blobs/${'a'.repeat(64)}`, { 'upload-length': '-1' }, 400],
    ['a length over the limit', `/v1/blobs/${'a'.repeat(64)}`, { 'upload-length': '99999999999999' }, 413],
    ['an artifact that is a path', '/v1/artifacts/..%2f..%2fpid', {}, 404],
  ])('%s is refused', async (_, path, headers, status) => {
    expect((await ask(path, { ...mine, ...headers })).status).toBe(status);
  });

  it.each([
    ['no frame', 'hello\r\n\r\n'],
    ['a frame that is no JSON', 'Content-Length: 3\r\n\r\n{a}'],
    ['a frame without end', `Content-Length: ${1024 ** 3}\r\n\r\n`],
    ['an answer to nothing', frame({ jsonrpc: '2.0', id: 1, result: {} })],
    ['a notification that there is not', frame({ jsonrpc: '2.0', method: 'nonsense', params: {} })],
  ])('%s ends the connection', async (_, text) => {
    const socket = new WebSocket(`${stage.server.url.replace('http', 'ws')}/v1/sandbox`, { headers: mine });
    const code = new Promise((resolve) => socket.on('close', resolve));
    socket.on('open', () => socket.send(text));
    expect(await code).toBe(1002);
  });

  it('a request before the handshake is refused', async () => {
    const socket = new WebSocket(`${stage.server.url.replace('http', 'ws')}/v1/sandbox`, { headers: mine });
    const answer = new Promise<string>((resolve) => socket.on('message', (data: Buffer) => resolve(data.toString())));
    const run = { runId: '1', script: '1', scope: {}, limits: {} };
    socket.on('open', () => socket.send(frame({ jsonrpc: '2.0', id: 1, method: 'sandbox/run', params: run })));
    expect(await answer).toContain('initialize must be the first request');
    socket.terminate();
  });

  it('figures for Prometheus have no names that a client chose', async () => {
    await stage.connect().run({ script: '"secret-value"' });
    const { body } = await ask('/metrics', mine);
    expect(body).toMatch(/^mustard_sandbox_runs_total\{code="ok"\} \d+$/m);
    expect(body).toMatch(/^mustard_sandbox_run_seconds_bucket\{le="\+Inf"\} \d+$/m);
    expect(body).not.toContain('secret-value');
  });
});

describe('figures', () => {
  it("are those of the token that asks, and the server's own only where there is no other", async () => {
    const two = await openStage();
    onTestFinished(() => two.end());
    await two.connect().run({ script: '1' });
    await ask('/metrics', { authorization: 'Bearer wrong' }, two);
    const own = (await ask('/metrics', mine, two)).body;
    expect(own).toMatch(/^mustard_sandbox_runs_total\{code="ok"\} 1$/m);
    expect(own).toMatch(/^mustard_sandbox_connections 1$/m);
    const theirs = (await ask('/metrics', { authorization: `Bearer ${otherToken}` }, two)).body;
    expect(theirs).not.toContain('runs_total');
    expect(theirs).toMatch(/^mustard_sandbox_(?:connections|processes|store_bytes) 0$/m);
    for (const name of ['resident_bytes', 'wrong_tokens', 'tenants']) expect(own + theirs).not.toContain(name);
    const one = await openStage({ tokens: [{ token }] });
    onTestFinished(() => one.end());
    await ask('/metrics', { authorization: 'Bearer wrong' }, one);
    const all = (await ask('/metrics', mine, one)).body;
    expect(all).toMatch(/^mustard_sandbox_wrong_tokens_total 1$/m);
    expect(all).toMatch(/^mustard_sandbox_resident_bytes \d+$/m);
  });
});

function frame(message: object): string {
  const body = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

describe('requests at a time', () => {
  let small: Stage;
  beforeAll(async () => {
    small = await openStage({ maxRequests: 4 });
  });
  afterAll(() => small.end());

  const blob = (name: string): string => `/v1/blobs/${name.repeat(64)}`;
  const askFor = (bearer: string): Promise<Answer> =>
    ask(blob('a'), { authorization: `Bearer ${bearer}`, 'upload-length': '1000' }, small);

  it('are bounded for each token, and those of another one go on', async () => {
    const { hostname, port } = new URL(small.server.url);
    const headers = { ...mine, 'upload-length': '1000', 'upload-offset': '0', 'content-length': '1000' };
    const held = ['b', 'c', 'd', 'e'].map((name) => {
      const asked = request({ host: hostname, port, path: blob(name), method: 'PATCH', headers });
      // The body never comes.
      asked.on('error', () => {}).flushHeaders();
      return asked;
    });
    await expect.poll(async () => (await askFor(token)).status).toBe(429);
    expect((await askFor(token)).body).toContain('4 requests of this token are under way (maxRequests). Wait');
    expect((await askFor(otherToken)).status).toBe(200);
    held[0]?.destroy();
    await expect.poll(async () => (await askFor(token)).status).toBe(200);
    for (const one of held) one.destroy();
  });

  it('are never too many of a client that keeps to the protocol', async () => {
    const refused = async (): Promise<string | undefined> =>
      /^.*status="429".*$/m.exec((await ask('/metrics', { authorization: `Bearer ${otherToken}` }, small)).body)?.[0];
    const before = await refused();
    const client = small.connect({ token: otherToken, inlineBytes: 0 });
    // Such as of a leak, because many of its calls are under way.
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warned);
    onTestFinished(() => void process.off('warning', warned));
    const sizes = Array.from({ length: 12 }, async (_, n) => {
      const path = `${small.folder}/files/${n}`;
      await writeFile(path, `${n} `.repeat(100_000));
      const scope = { attachments: [{ name: 'a', path }] };
      return (await client.run({ script: `file_stats('attachments:a').size`, scope })).value;
    });
    expect(await Promise.all(sizes)).toEqual(Array.from({ length: 12 }, (_, n) => (n < 10 ? 200_000 : 300_000)));
    expect(await refused()).toBe(before);
    expect(warnings).toEqual([]);
  });
});

describe('where it may listen', () => {
  const options = { store: '/nowhere', logLevel: 'silent' } as const;

  it.each([
    ['without a token', [], /a token is needed/],
    ['with a short token', ['short'], /5 characters, and needs at least 32/],
    ['with a token of few characters', ['ab'.repeat(20)], /only 2 different characters/],
  ])('not at an address that others reach, %s', async (_, tokens, message) => {
    const listen = '0.0.0.0:0';
    const refused = serveSandboxes({ ...options, listen, tokens: tokens.map((token) => ({ token })) });
    expect(await failure(refused)).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(message) });
  });

  it('says at every start that nothing is encrypted, or that anyone may come', async () => {
    const open = await openStage({ listen: '0.0.0.0:0' });
    expect(open.server.warnings).toEqual([expect.stringContaining('Nothing is encrypted')]);
    await open.end();
    const local = await openStage({ tokens: [] });
    expect(local.server.warnings).toEqual([expect.stringContaining('There is no token')]);
    await local.end();
  });

  it('not where it cannot, and not twice with one store', async () => {
    expect(await failure(serveSandboxes({ ...options, listen: 'nonsense' }))).toMatchObject({
      message: expect.stringContaining('is not ADDRESS:PORT'),
    });
    const { port } = new URL(stage.server.url);
    const store = `${stage.folder}/other`;
    expect(await failure(serveSandboxes({ ...options, store, listen: `127.0.0.1:${port}` }))).toMatchObject({
      message: expect.stringContaining('EADDRINUSE'),
    });
  });
});
