import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { originOf, Peer, startAgent, tokenOf } from '../support.ts';

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Unlike fetch, it sends any `Host` and any path. */
async function ask(
  origin: string,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(origin);
  const sent = httpRequest({ hostname, port, path, method, headers, agent: false });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString('utf8') };
}

describe('the address', () => {
  test('serves the page with a strict policy and a nonce of its own for each answer', async () => {
    const origin = originOf(await startAgent());
    const [first, second] = [await ask(origin, '/'), await ask(origin, '/')];
    expect(first.status).toBe(200);
    const policy = String(first.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    // Of other origins, only the apps of the preview are shown, each in a frame.
    const rest = policy.replace(/; frame-src http:\/\/\*\.localhost:\d+(?=;|$)/, '');
    expect(rest).not.toBe(policy);
    expect(rest).not.toMatch(/unsafe-(inline|eval)|\*|https?:/);
    expect(first.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    const nonces = [first, second].map(
      ({ headers }) => /nonce-([\w-]+)/.exec(String(headers['content-security-policy']))?.[1],
    );
    expect(nonces[0]).not.toBe(nonces[1]);
    expect(first.body).toContain(nonces[0]);
    expect(first.body).not.toContain('{{nonce}}');
    for (const name of ['/main.js', '/page.css']) expect((await ask(origin, name)).status).toBe(200);
  });

  test.each([
    ['another name for this machine (DNS rebinding)', { host: 'evil.example' }],
    ['another name with the right port', { host: 'evil.example:PORT' }],
    ['another port', { host: '127.0.0.1:1' }],
    ['no port', { host: '127.0.0.1' }],
    ['a user part', { host: 'user@127.0.0.1:PORT' }],
  ])('refuses Host with %s', async (_, { host }) => {
    const program = await startAgent();
    const origin = originOf(program);
    const headers = { host: host.replace('PORT', new URL(origin).port), authorization: `Bearer ${tokenOf(program)}` };
    expect(await ask(origin, '/', { headers })).toMatchObject({ status: 421 });
    expect(await ask(origin, '/uploads?chat=a&name=b', { method: 'PUT', headers })).toMatchObject({ status: 421 });
    expect(await new Peer(origin, { headers: { host: headers.host } }).ended).toBe(421);
  });

  test.each(['http://evil.example', 'null', 'https://127.0.0.1:PORT', 'http://localhost:PORT', 'http://127.0.0.1:1'])(
    'refuses a page of %s',
    async (name) => {
      const program = await startAgent();
      const origin = originOf(program);
      const foreign = name.replace('PORT', new URL(origin).port);
      const headers = { origin: foreign, authorization: `Bearer ${tokenOf(program)}` };
      expect(await ask(origin, '/', { headers })).toMatchObject({ status: 403 });
      expect(await ask(origin, '/uploads?chat=a&name=b', { method: 'PUT', headers })).toMatchObject({ status: 403 });
      expect(await new Peer(origin, { origin: foreign }).ended).toBe(403);
    },
  );

  test('refuses what a browser marks as sent by another site, and a socket of no page', async () => {
    const origin = originOf(await startAgent());
    expect(await ask(origin, '/main.js', { headers: { 'sec-fetch-site': 'cross-site' } })).toMatchObject({
      status: 403,
    });
    expect(await ask(origin, '/main.js', { headers: { 'sec-fetch-site': 'same-site' } })).toMatchObject({
      status: 403,
    });
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET /socket HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    const [data] = (await once(socket, 'data')) as [Buffer];
    expect(data.toString()).toMatch(/^HTTP\/1.1 403 /);
    socket.destroy();
  });

  test('makes no path of an address: only the files of the page are there', async () => {
    const program = await startAgent();
    const origin = originOf(program);
    const secret = await readFile(join(program.dataDir, 'running.json'), 'utf8');
    const paths = [
      '/../../package.json',
      '/..%2f..%2fpackage.json',
      '/%2e%2e/%2e%2e/package.json',
      '/..\\..\\package.json',
      `/${program.dataDir}/running.json`,
      `//${program.dataDir}/running.json`,
      '/.app.json',
      '/index.html/',
      '/%00',
      '/index.html%00.js',
      'http://evil.example/index.html',
      '/constructor',
      '/__proto__',
    ];
    for (const path of paths) {
      const answer = await ask(origin, path);
      expect(answer, path).toMatchObject({ status: 404 });
      expect(answer.body).not.toContain(secret);
    }
  });

  test('takes no token in an address, and no other method', async () => {
    const program = await startAgent();
    const origin = originOf(program);
    const token = tokenOf(program);
    expect(await ask(origin, `/?token=${token}`)).toMatchObject({ status: 400 });
    expect(await ask(origin, `/uploads?chat=a&name=b&token=${token}`, { method: 'PUT' })).toMatchObject({
      status: 401,
    });
    expect(await new Peer(origin, { path: `/socket?token=${token}` }).ended).toBe(404);
    expect(await ask(origin, '/', { method: 'POST' })).toMatchObject({ status: 405 });
    expect(await ask(origin, '/uploads')).toMatchObject({ status: 405 });
  });

  test.each([
    ['none', {}],
    ['a wrong one', { authorization: 'Bearer wrong' }],
    ['an empty one', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: 'Basic dG9rZW4=' }],
  ])('stores and opens nothing with a token that is %s', async (_, headers) => {
    const origin = originOf(await startAgent());
    for (const path of ['/uploads?chat=a&name=b', '/open']) {
      expect(await ask(origin, path, { method: 'PUT', headers, body: 'x' })).toMatchObject({ status: 401 });
    }
  });

  test('is on loopback only', async () => {
    const program = await startAgent();
    expect(new URL(program.url).hostname).toBe('127.0.0.1');
    const [other] = Object.values((await import('node:os')).networkInterfaces())
      .flat()
      .filter((one) => one !== undefined && !one.internal && one.family === 'IPv4');
    if (other === undefined) return;
    const socket = connect(Number(new URL(program.url).port), other.address);
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
  });
});

describe('the socket', () => {
  test.each([
    ['a wrong token', { type: 'hello', token: 'wrong' }],
    ['no token', { type: 'hello' }],
    ['a ticket that was never given', { type: 'hello', ticket: 'wrong' }],
    ['another frame', { type: 'request', id: 1, channel: 'list-apps', params: {} }],
    ['no JSON', '{"type":'],
    ['a field too many', { type: 'hello', token: 'TOKEN', more: true }],
  ])('is closed at a first frame with %s', async (_, frame) => {
    const program = await startAgent();
    const peer = new Peer(originOf(program));
    await once(peer.socket, 'open');
    peer.send(typeof frame === 'string' ? frame : JSON.stringify(frame).replace('TOKEN', tokenOf(program)));
    expect(await peer.ended).toBe(4401);
    expect(peer.frames).toEqual([]);
  });

  test('is told nothing before the token', async () => {
    const program = await startAgent();
    const silent = new Peer(originOf(program));
    await once(silent.socket, 'open');
    const known = await Peer.ready(program);
    await known.ask('update-settings', { theme: 'dark' });
    await known.until(({ event }) => event === 'settings:changed');
    silent.send({ type: 'hello', token: 'wrong' });
    await silent.ended;
    expect(silent.frames).toEqual([]);
  });

  test('takes a ticket once', async () => {
    const program = await startAgent();
    const ticket = new URLSearchParams(new URL(program.makeTicketUrl()).hash.slice(1)).get('ticket');
    const first = new Peer(originOf(program));
    await once(first.socket, 'open');
    first.send({ type: 'hello', ticket });
    expect(await first.until(({ type }) => type === 'ready')).toMatchObject({ token: tokenOf(program) });
    const second = new Peer(originOf(program));
    await once(second.socket, 'open');
    second.send({ type: 'hello', ticket });
    expect(await second.ended).toBe(4401);
  });

  test('answers a channel that is not on the list, and params that do not fit', async () => {
    const peer = await Peer.ready(await startAgent());
    for (const channel of ['no-such', 'constructor', '__proto__', 'toString']) {
      expect((await peer.request(channel, {})).error).toMatchObject({ code: 'unknown_channel' });
    }
    expect((await peer.request('get-app', {})).error).toMatchObject({ code: 'invalid_request' });
    expect((await peer.request('get-app', { appId: 'x', more: 1 })).error).toMatchObject({ code: 'invalid_request' });
    expect((await peer.request('get-app', { appId: 'x' })).error).toMatchObject({ code: 'not_found' });
  });

  test.each([
    ['no JSON', '{'],
    ['an unknown type', { type: 'event', event: 'notice', data: {} }],
    ['no id', { type: 'request', channel: 'list-apps', params: {} }],
    ['an array', []],
  ])('is closed at a frame that is %s', async (_, frame) => {
    const peer = await Peer.ready(await startAgent());
    peer.send(frame);
    expect(await peer.ended).toBe(4400);
  });

  test('is closed at a huge frame, which is not read to its end', async () => {
    const peer = await Peer.ready(await startAgent());
    peer.send('x'.repeat(17 * 1024 * 1024));
    expect(await peer.ended).toBe(1009);
  });

  test('is closed when it carries binary', async () => {
    const peer = await Peer.ready(await startAgent());
    peer.socket.send(Buffer.from('{}'), { binary: true });
    expect(await peer.ended).toBe(4400);
  });

  test('is one of a limited number, and the others go on', async () => {
    const program = await startAgent();
    const known = await Peer.ready(program);
    for (let count = 1; count < 64; count++) await Peer.ready(program);
    expect(await new Peer(originOf(program)).ended).toBe(503);
    expect(await known.ask('list-apps', {})).toEqual([]);
  });

  test('is open to the person, however many others are opened and say nothing', async () => {
    const program = await startAgent();
    const origin = originOf(program);
    const known = await Peer.ready(program);
    const { hostname, port } = new URL(origin);
    const silent = Array.from({ length: 300 }, () => connect(Number(port), hostname).on('error', () => {}));
    await Promise.all(
      silent.map(async (socket) => await Promise.race([once(socket, 'connect'), once(socket, 'close')])),
    );
    expect((await ask(origin, '/')).status).toBe(200);
    for (const socket of silent) socket.destroy();
    const peers = Array.from({ length: 200 }, () => new Peer(origin));
    await Promise.all(
      peers.map(async ({ socket, ended }) => await Promise.race([once(socket, 'open').then(() => 'open'), ended])),
    );
    const person = await Peer.ready(program);
    expect(await person.ask('list-apps', {})).toEqual([]);
    expect(await known.ask('list-apps', {})).toEqual([]);
    // The newest of them have their time to say something.
    expect(peers.filter(({ socket }) => socket.readyState === socket.OPEN).length).toBeGreaterThan(20);
    expect(peers.filter(({ socket }) => socket.readyState === socket.OPEN).length).toBeLessThan(40);
  });

  test('has so many requests at once, and no more', async () => {
    const peer = await Peer.ready(await startAgent());
    const answers = await Promise.all(
      Array.from({ length: 2000 }, () => peer.request('list-folders', { path: '/tmp' })),
    );
    const codes = new Set(answers.map(({ error }) => error?.code));
    expect([...codes].filter((code) => code !== undefined)).toEqual(['overloaded']);
    expect(await peer.ask('list-apps', {})).toEqual([]);
  });

  test('is cut when it does not take what it is sent', async () => {
    const program = await startAgent();
    const slow = await Peer.ready(program);
    slow.socket.pause();
    const text = 'x'.repeat(1024 * 1024);
    const known = await Peer.ready(program);
    // What the system buffers for a connection on loopback is a few megabytes.
    for (let sent = 0; sent < 64; sent++) program.services.broadcast('notice', { id: `${sent}`, text, kind: 'info' });
    slow.socket.resume();
    expect(await slow.ended).toBe(1006);
    expect(slow.frames.length).toBeLessThan(64);
    known.socket.terminate();
  });
});
