import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket, type ClientOptions } from 'ws';
import type { Preview } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import { Stage } from '../turns/support.ts';
import { ask, open, started, visit } from './support.ts';

const stage = await Stage.start();
const agent = new URL(stage.program.url);
let preview: Preview;
let appId: string;
beforeAll(async () => {
  ({ preview, appId } = await started(stage, 'plain'));
});
afterAll(() => stage.page.ask('stop-preview', { appId }));

function socket(origin: string | undefined, options: ClientOptions = {}): WebSocket {
  const { host, port } = new URL(preview.origin);
  const made = new WebSocket(`ws://127.0.0.1:${port}/hmr`, {
    ...(origin !== undefined && { origin }),
    ...options,
    headers: { host, ...options.headers },
  });
  onTestFinished(() => made.terminate());
  return made;
}

async function refused(made: WebSocket): Promise<number | undefined> {
  made.on('error', () => {});
  const [, response] = (await once(made, 'unexpected-response')) as [unknown, { statusCode?: number }];
  return response.statusCode;
}

describe('the preview', () => {
  test('is another origin than the agent, by its name and by its port', () => {
    const { hostname, port } = new URL(preview.origin);
    expect(hostname).toBe(`${appId}.localhost`);
    expect(port).not.toBe(agent.port);
  });

  test.each([
    ['the name of the agent', '127.0.0.1:PORT'],
    ['localhost', 'localhost:PORT'],
    ['a page that was made to point here (DNS rebinding)', 'evil.example:PORT'],
    ['a name that begins like one', 'APP.localhost.evil.example:PORT'],
    ['another port', 'APP.localhost:1'],
    ['no port', 'APP.localhost'],
    ['a user part', 'user@APP.localhost:PORT'],
  ])('refuses %s as Host', async (_, host) => {
    const { port } = new URL(preview.origin);
    const headers = { host: host.replace('PORT', port).replace('APP', appId) };
    expect(await ask(preview, '/', { headers })).toMatchObject({ status: 421 });
    expect(await refused(socket(preview.origin, { headers }))).toBe(421);
  });

  test('shows nothing by the name of another app', async () => {
    const { host, port } = new URL(preview.origin);
    const other = host.replace(
      /^[^.]+/,
      appId.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
    );
    expect(await ask({ origin: `http://${other.replace(`:${port}`, '')}:${port}` }, '/')).toMatchObject({
      status: 503,
    });
  });

  test.each(['AGENT', 'http://evil.example', 'null', 'https://APP.localhost:PORT', 'http://other.localhost:PORT'])(
    'takes no request and no socket of a page of %s, whose origin the dev server would not see',
    async (name) => {
      const origin = name
        .replace('AGENT', agent.origin)
        .replace('PORT', new URL(preview.origin).port)
        .replace('APP', appId);
      expect(await ask(preview, '/headers', { headers: { origin } })).toMatchObject({ status: 403 });
      expect(await ask(preview, '/headers', { method: 'POST', headers: { origin, ...visit } })).toMatchObject({
        status: 403,
      });
      expect(await refused(socket(origin))).toBe(403);
    },
  );

  test('takes no socket of no page, and no part of a page of another site', async () => {
    expect(await refused(socket(undefined))).toBe(403);
    for (const site of ['cross-site', 'same-site']) {
      const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' };
      expect(await ask(preview, '/', { headers })).toMatchObject({ status: 403 });
    }
    expect(await ask(preview, '/', { headers: visit })).toMatchObject({ status: 200 });
    expect(await ask(preview, '/', { method: 'POST', headers: visit })).toMatchObject({ status: 403 });
  });

  test('takes no address of another server', async () => {
    const other = createServer((_, response) => response.end('secret'));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const { host, port: own } = new URL(preview.origin);
    for (const target of [`http://127.0.0.1:${port}/`, `//127.0.0.1:${port}/`, `@127.0.0.1:${port}/`]) {
      const raw = connect(Number(own), '127.0.0.1');
      raw.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      let answer = '';
      for await (const chunk of raw) answer += String(chunk);
      expect(answer).not.toContain('secret');
      // Of the app itself, which takes the second one for a path, or of the proxy.
      expect(answer).toMatch(/^HTTP\/1.1 (?:400|404|200)/);
    }
    const tunnel = connect(Number(own), '127.0.0.1');
    tunnel.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await once(tunnel.resume(), 'close');
  });
});

describe('the agent', () => {
  test.each(['/', '/main.js', '/uploads?chat=a&name=b', '/workspace?chat=a&path=b', '/open'])(
    'takes nothing from the preview at %s, with or without its token',
    async (path) => {
      const token = new URLSearchParams(agent.hash.slice(1)).get('token') ?? '';
      const sent = { origin: preview.origin, 'sec-fetch-site': 'cross-site' };
      for (const headers of [{ origin: sent.origin }, { 'sec-fetch-site': 'cross-site' }, sent]) {
        const all = { host: agent.host, authorization: `Bearer ${token}`, ...headers };
        expect(await ask({ origin: agent.origin }, path, { headers: all })).toMatchObject({ status: 403 });
        expect(await ask({ origin: agent.origin }, path, { method: 'PUT', headers: all })).toMatchObject({
          status: 403,
        });
      }
    },
  );

  test('opens no socket for the preview', async () => {
    const made = new WebSocket(`ws://${agent.host}/socket`, { origin: preview.origin });
    expect(await refused(made)).toBe(403);
  });
});

describe('what passes', () => {
  test('the dev server sees itself: its own name, its own origin, and nothing of the agent', async () => {
    const { origin } = preview;
    const headers = { origin, referer: `${origin}/cart?x=1`, 'x-own': 'yes', connection: 'x-hop', 'x-hop': 'no' };
    const seen = JSON.parse((await ask(preview, '/headers', { headers })).body) as Record<string, string>;
    const own = `http://localhost:${preview.port}`;
    expect(seen).toMatchObject({
      host: `localhost:${preview.port}`,
      origin: own,
      referer: `${own}/cart?x=1`,
      'x-own': 'yes',
    });
    expect(seen['x-hop']).toBeUndefined();
    const framed = await ask(preview, '/headers', { headers: { ...visit, referer: stage.program.url } });
    expect(framed.body).not.toContain(agent.port);
  });

  test('a body goes there and back as it is', async () => {
    const body = Buffer.alloc(3_000_000, 'a\0b\r\n');
    const answer = await open(preview, '/echo', { method: 'POST', body });
    const hash = createHash('sha256');
    for await (const chunk of answer) hash.update(chunk as Buffer);
    expect(hash.digest('hex')).toBe(createHash('sha256').update(body).digest('hex'));
  });

  test('1 GB streams through, and a peer that takes nothing of it costs nothing', async () => {
    const before = process.memoryUsage().rss;
    let most = 0;
    let bytes = 0;
    for await (const chunk of await open(preview, '/big')) {
      bytes += (chunk as Buffer).length;
      most = Math.max(most, process.memoryUsage().rss - before);
    }
    expect(bytes).toBe(1024 ** 3);
    const stalled = await Promise.all(Array.from({ length: 10 }, () => open(preview, '/big')));
    expect((await ask(preview, '/')).status).toBe(200);
    most = Math.max(most, process.memoryUsage().rss - before);
    for (const one of stalled) one.destroy();
    expect(most).toBeLessThan(200 * 1024 * 1024);
  });

  test('a WebSocket, such as that of hot reloading', async () => {
    const made = socket(preview.origin);
    await once(made, 'open');
    made.send('changed');
    const [message] = (await once(made, 'message')) as [Buffer];
    expect(String(message)).toBe(`changed from http://localhost:${preview.port}`);
  });

  test('cookies become those of a frame, and none is for another host', async () => {
    const { headers } = await ask(preview, '/cookie');
    const inFrame = '; SameSite=None; Secure; Partitioned';
    expect(headers['set-cookie']).toEqual([
      `a=1; Path=/${inFrame}`,
      `b=2; HttpOnly${inFrame}`,
      `__Host-c=3; Path=/${inFrame}`,
    ]);
  });

  test('only the page of the agent may show it in a frame, whatever the app says', async () => {
    const framers = `frame-ancestors 'self' http://127.0.0.1:${agent.port} http://localhost:${agent.port}`;
    const plain = await ask(preview, '/');
    expect(plain.headers['content-security-policy']).toBe(framers);
    const strict = await ask(preview, '/strict');
    expect(strict.headers['x-frame-options']).toBeUndefined();
    expect(strict.headers['content-security-policy']).toBe(`default-src 'self'; script-src 'nonce-abc=', ${framers}`);
  });

  test('a redirect of the app stays in the preview', async () => {
    expect((await ask(preview, '/own-redirect')).headers.location).toBe('/headers?x=1');
  });

  test('a redirect elsewhere is no page of the frame: it is told, with a link, and never followed', async () => {
    const framed = await ask(preview, '/away', { headers: visit });
    expect(framed.status).toBe(200);
    expect(framed.body).toContain('This leads away from the app');
    expect(framed.body).not.toContain('<script>alert');
    expect(framed.headers.location).toBeUndefined();
    for (const to of [agent.href, `//evil.example/`, '\\\\evil.example', 'javascript:alert(1)']) {
      const { headers, body } = await ask(preview, `/agent?to=${encodeURIComponent(to)}`, { headers: visit });
      expect(headers.location).toBeUndefined();
      expect(body).not.toMatch(/href="(?!https?:)/);
    }
  });
});

describe('the script in a page', () => {
  const scripts = (html: string): string[] => html.match(/<script[^>]*>/g) ?? [];

  test('is the first thing in the head, and the rest of the page is as it was', async () => {
    const { body, headers } = await ask(preview, '/', { headers: visit });
    const plain = (await ask(preview, '/')).body;
    expect(body).toMatch(/^<!DOCTYPE html>\n<html lang="en">\n<head><script>/);
    expect(body.replace(/<script>[^]*?<\/script>/, '')).toBe(plain);
    expect(headers['content-length'] ?? String(Buffer.byteLength(body))).toBe(String(Buffer.byteLength(body)));
    expect(body).toContain(agent.origin);
    expect(scripts(plain)).toEqual([]);
  });

  test('has the nonce of the policy of the app', async () => {
    expect(scripts((await ask(preview, '/strict', { headers: visit })).body)).toEqual(['<script nonce="abc=">']);
  });

  test('comes into no answer to a request of the page itself', async () => {
    const headers = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };
    expect(scripts((await ask(preview, '/', { headers })).body)).toEqual([]);
  });
});
