import { once } from 'node:events';
import { request } from 'node:http';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { networkOf, WrongTokens } from '../../packages/remote/src/server/gate.ts';
import { cli } from '../cli/support.ts';
import { makeCertificate } from './certificate.ts';
import { failure, openStage, otherToken, token, type Stage } from './support.ts';
import type { ServerOptions } from '@mustard-sandbox/remote/server';

async function open(options: ServerOptions = {}): Promise<Stage> {
  const stage = await openStage(options);
  onTestFinished(() => stage.end());
  return stage;
}

/** A connection that says `text` and then nothing, and leaves its end open whatever the server does. */
async function say(stage: Stage, text = ''): Promise<Socket> {
  const { hostname, port } = new URL(stage.server.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => {}).resume();
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

/** Whether the server has closed both directions: what is written comes back as an error. */
async function isGone(socket: Socket): Promise<boolean> {
  if (socket.destroyed) return true;
  return await new Promise((resolve) => socket.write('x', (error) => resolve(error !== null && error !== undefined)));
}

const upgrade = (bearer: string, path = '/v1/sandbox'): string =>
  [
    `GET ${path} HTTP/1.1`,
    'host: localhost',
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
    `authorization: Bearer ${bearer}`,
    '\r\n',
  ].join('\r\n');

function status(stage: Stage, bearer: string, from = '127.0.0.1', forwarded?: string): Promise<number> {
  const { hostname, port } = new URL(stage.server.url);
  const headers = { authorization: `Bearer ${bearer}`, ...(forwarded && { 'x-forwarded-for': forwarded }) };
  return new Promise((resolve, reject) => {
    const asked = request({ host: hostname, port, path: '/metrics', headers, agent: false, localAddress: from });
    asked.on('response', (response) => (response.resume(), resolve(response.statusCode ?? 0)));
    asked.on('error', reject).end();
  });
}

describe('connections without a token', () => {
  it.each([
    ['a wrong token', upgrade('wrong')],
    ['another address', upgrade(token, '/elsewhere')],
    ['another protocol', upgrade(token).replace('websocket', 'h2c').replace('version: 13', 'version: 99')],
    ['a page', upgrade(token).replace('host:', 'origin: https://evil.example\r\nhost:')],
    ['no upgrade, and a wrong token', upgrade('wrong').replace(/(connection|upgrade):.*\r\n/g, '')],
  ])('are closed by the server, whatever the client does: %s', async (_, text) => {
    const stage = await open();
    const socket = await say(stage, text);
    await once(socket, 'end');
    await expect.poll(() => isGone(socket)).toBe(true);
  });

  it('that say nothing keep nobody out', async () => {
    const stage = await open({ maxStrangersPerAddress: 20, maxStrangers: 20 });
    const sockets = await Promise.all(Array.from({ length: 200 }, () => say(stage)));
    expect((await stage.connect().run({ script: '1 + 1' })).value).toBe(2);
    await expect
      .poll(() => sockets.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded).length)
      .toBeLessThanOrEqual(20);
  });

  it('from one address leave room for those from another one', async () => {
    const stage = await open({ listen: '0.0.0.0:0', maxStrangersPerAddress: 3, maxStrangers: 100 });
    const port = Number(new URL(stage.server.url).port);
    const other = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.9' });
    onTestFinished(() => void other.destroy());
    await once(other, 'connect');
    const sockets = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const socket = connect({ host: '127.0.0.1', port });
        socket.on('error', () => {}).resume();
        onTestFinished(() => void socket.destroy());
        await once(socket, 'connect');
        return socket;
      }),
    );
    await expect.poll(() => sockets.filter(({ destroyed }) => !destroyed).length).toBe(3);
    expect(other.destroyed).toBe(false);
  });

  it('do not count once they have shown their token', async () => {
    const stage = await open({ maxStrangersPerAddress: 2, maxStrangers: 2 });
    const clients = Array.from({ length: 5 }, () => stage.connect());
    for (const client of clients) expect((await client.run({ script: '1' })).value).toBe(1);
    const lost: string[] = [];
    for (const client of clients) client.on('backing_off', ({ message }) => lost.push(message));
    await Promise.all(Array.from({ length: 20 }, () => say(stage)));
    for (const client of clients) expect((await client.run({ script: '2' })).value).toBe(2);
    expect(lost).toEqual([]);
  });

  const certificate = makeCertificate();
  it.skipIf(certificate === undefined)('that do not begin with TLS are closed, and keep nobody out', async () => {
    const { cert, key } = certificate as { cert: string; key: string };
    const stage = await open({ maxStrangersPerAddress: 20, maxStrangers: 20, tls: { cert, key } });
    const silent = await say(stage);
    const ended = once(silent, 'end');
    const sockets = await Promise.all(Array.from({ length: 100 }, () => say(stage)));
    await ended;
    const client = stage.connect({ ca: cert });
    expect((await client.run({ script: '1 + 1' })).value).toBe(2);
    // Node alone would wait for 120 s.
    const beganAt = performance.now();
    await expect.poll(() => sockets.every(({ destroyed, readableEnded }) => destroyed || readableEnded)).toBe(true);
    expect(performance.now() - beganAt).toBeLessThan(60_000);
    expect((await client.run({ script: '1 + 2' })).value).toBe(3);
  });
});

describe('a server with a certificate of its own', () => {
  const certificate = makeCertificate();
  it.skipIf(certificate === undefined)('is reached by the command with --ca, and not without', async () => {
    const { cert, key } = certificate as { cert: string; key: string };
    const stage = await open({ tls: { cert, key } });
    const files = {
      ca: join(stage.folder, 'ca'),
      token: join(stage.folder, 'token'),
      none: join(stage.folder, 'none'),
    };
    await writeFile(files.ca, cert);
    await writeFile(files.token, token);
    await writeFile(files.none, 'nothing');
    const run = (...flags: string[]): ReturnType<typeof cli> =>
      cli(['run', '-', '--remote', stage.server.url, '--token-file', files.token, ...flags], { input: '1 + 1' });
    expect(await run('--ca', files.ca)).toMatchObject({ exitCode: 0, stdout: '2\n' });
    expect(await run()).toMatchObject({ exitCode: 4, stderr: expect.stringMatching(/SELF_SIGNED|self-signed/) });
    expect(await run('--ca', files.none)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('is not a PEM file'),
    });
    const local = await cli(['run', '-', '--ca', files.ca], { input: '1' });
    expect(local).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--ca is for --remote URL') });
  });
});

describe('an address that sent too many wrong tokens', () => {
  it('is refused with the right one too, until some time has passed', async () => {
    const stage = await open();
    const statuses = new Set<number>();
    while (!statuses.has(429))
      for (const one of await Promise.all(Array.from({ length: 50 }, () => status(stage, 'wrong')))) statuses.add(one);
    expect(await status(stage, token)).toBe(429);
    await expect.poll(() => status(stage, token)).toBe(200);
  });

  it('is no other address, and what is connected already goes on', async () => {
    const stage = await open();
    const client = stage.connect();
    await client.run({ script: '1' });
    const guess = async (): Promise<number> => await status(stage, 'wrong');
    while ((await guess()) !== 429);
    expect(await status(stage, token, '127.0.0.2')).toBe(200);
    expect((await client.run({ script: '1 + 1' })).value).toBe(2);
  });

  it('says so to a client, which comes in as soon as it may', async () => {
    const stage = await open();
    while ((await status(stage, 'wrong')) !== 429);
    const impatient = stage.connect({ connectTimeoutMs: 0 });
    expect(await failure(impatient.run({ script: '1' }))).toMatchObject({ code: 'sidecar_unavailable' });
    expect((await stage.connect().run({ script: '1 + 1' })).value).toBe(2);
  });

  it('has no way around it on a connection that another token opened, as a proxy would share one', async () => {
    const stage = await open();
    const { hostname, port } = new URL(stage.server.url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    let text = '';
    socket.on('data', (data) => (text += data.toString()));
    const ask = async (bearer: string): Promise<string> => {
      text = '';
      socket.write(`GET /v1/artifacts/x HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${bearer}\r\n\r\n`);
      await expect.poll(() => text).toContain('\r\n\r\n{');
      return text.slice(9, 12);
    };
    expect(await ask(token)).toBe('404');
    while ((await status(stage, 'wrong')) !== 429);
    expect(await ask(token)).toBe('404');
    expect(await ask(otherToken)).toBe('429');
  });
});

describe('clients behind a proxy', () => {
  const proxies = ['127.0.0.5'];
  const behind = async (stage: Stage, bearer: string, forwarded: string): Promise<number> =>
    await status(stage, bearer, '127.0.0.5', forwarded);

  it('are counted apart, so that wrong tokens of one keep no other out', async () => {
    const stage = await open({ proxies });
    // Whatever it puts before its own address, which the proxy adds.
    while ((await behind(stage, 'wrong', '198.51.100.2, 203.0.113.1')) !== 429);
    expect(await behind(stage, token, '203.0.113.1')).toBe(429);
    expect(await behind(stage, token, '198.51.100.2')).toBe(200);
    expect(await behind(stage, token, '203.0.113.1, 198.51.100.2:4711')).toBe(200);
    expect(await behind(stage, token, '203.0.113.1, 127.0.0.5')).toBe(429);
  });

  it('are not told apart by a header of anyone else', async () => {
    const stage = await open({ proxies });
    let sent = 0;
    while ((await status(stage, 'wrong', '127.0.0.6', `203.0.113.${sent++ % 250}`)) !== 429);
    expect(await status(stage, token, '127.0.0.6', '198.51.100.2')).toBe(429);
    expect(await behind(stage, token, '203.0.113.1')).toBe(200);
  });

  it('may be more at once than clients of one address', async () => {
    const stage = await open({ proxies, maxStrangersPerAddress: 3, maxStrangers: 100 });
    const port = Number(new URL(stage.server.url).port);
    const silent = Array.from({ length: 50 }, (_, n) =>
      connect({ host: '127.0.0.1', port, localAddress: n < 20 ? '127.0.0.5' : '127.0.0.6' }),
    );
    onTestFinished(() => void silent.map((socket) => socket.destroy()));
    await Promise.all(silent.map(async (socket) => await once(socket.on('error', () => {}).resume(), 'connect')));
    await expect.poll(() => silent.slice(20).filter(({ destroyed }) => !destroyed).length).toBe(3);
    expect(silent.slice(0, 20).filter(({ destroyed }) => destroyed)).toEqual([]);
  });

  it('need an address of the proxy', async () => {
    expect(await failure(open({ proxies: ['proxy.example'] }))).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('must be an address') as string,
    });
  });
});

describe('one address', () => {
  it.each([
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['10.1.2.3', '10.1.2.3'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::', '2001:db8:1:2'],
    ['2001:db8::9', '2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
    ['', ''],
  ])('%s counts as %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it('is still refused after wrong tokens from 20,000 others', () => {
    // No second passes, however long this takes.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const wrong = new WrongTokens();
    const again = (): void => {
      for (let times = 0; times < 40; times++) wrong.count('10.0.0.1');
    };
    again();
    for (let n = 0; n < 20_000; n++) {
      wrong.count(`10.${(n >> 16) + 1}.${(n >> 8) & 255}.${n & 255}`);
      if (n % 5_000 === 0) again();
    }
    expect(wrong.isOver('10.0.0.1')).toBe(true);
  });
});
