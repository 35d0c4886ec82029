import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  accepts,
  ask,
  beginSession,
  connectHttp,
  initialize,
  openHttp,
  rpc,
  runScript,
  type HttpStage,
} from './support.ts';

let stage: HttpStage;
beforeAll(async () => {
  stage = await openHttp({ storeBytes: 100_000 });
});
afterAll(() => stage[Symbol.asyncDispose]());

async function statusWith(headers: Record<string, string>, path?: string): Promise<number> {
  const asked = { headers: { ...accepts, ...headers }, body: initialize };
  return (await ask(stage.server.url, path === undefined ? asked : { ...asked, path })).status;
}

/** An address for an upload. */
async function uploadUrl(name: string): Promise<string> {
  const client = await connectHttp(stage.server.url, { era: '2026-07-28' });
  const { structuredContent } = await client.callTool({ name: 'upload_file', arguments: { name } });
  return (structuredContent as { url: string }).url;
}

function open(): Socket {
  const { hostname, port } = new URL(stage.server.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** All that a connection says until it is closed. */
function untilClosed(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    socket.on('data', (chunk) => (said += String(chunk)));
    socket.on('error', () => {});
    socket.on('close', () => resolve(said));
  });
}

describe('a page', () => {
  it('of another origin is refused, everywhere', async () => {
    const path = new URL(await uploadUrl('page.txt')).pathname;
    for (const at of [undefined, '/metrics', path, '/.well-known/oauth-protected-resource']) {
      expect(await statusWith({ origin: 'https://evil.example' }, at)).toBe(403);
      expect(await statusWith({ origin: 'null' }, at)).toBe(403);
      expect(await statusWith({ 'sec-fetch-site': 'cross-site' }, at)).toBe(403);
      expect(await statusWith({ 'sec-fetch-site': 'same-site' }, at)).toBe(403);
    }
    expect(await statusWith({ origin: 'http://localhost:1' })).toBe(403);
    expect(await statusWith({ origin: `https://evil.example#${new URL(stage.server.url).host}` })).toBe(403);
  });

  it('whose name leads here (DNS rebinding) is refused', async () => {
    expect(await statusWith({ host: 'evil.example' })).toBe(421);
    expect(await statusWith({ host: 'evil.example', origin: 'http://evil.example' })).toBe(421);
    expect(await statusWith({ host: 'localhost.evil.example:1' })).toBe(421);
  });

  it('is none where a client names the server itself as its origin', async () => {
    const { origin } = new URL(stage.server.url);
    expect(await statusWith({ origin })).toBe(200);
  });
});

describe('an address for an upload', () => {
  it('is good for one file, once', async () => {
    const url = await uploadUrl('once.txt');
    const both = await Promise.all(['a', 'b'].map((body) => fetch(url, { method: 'PUT', body })));
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 403]);
    expect((await fetch(url)).status).toBe(405);
  });

  it('cannot be made by others, or changed', async () => {
    const url = await uploadUrl('forged.txt');
    const [, body = ''] = /v1\.([^.]+)\./.exec(url) ?? [];
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as { p: object };
    const other = Buffer.from(JSON.stringify({ ...claims, p: { ...claims.p, user: 'other' } })).toString('base64url');
    for (const forged of [
      url.replace(body, other),
      `${url}x`,
      url.replace(/\/files\/.*/, '/files/x'),
      url.slice(0, -4),
    ]) {
      expect((await fetch(forged, { method: 'PUT', body: 'x' })).status).toBe(403);
    }
  });

  it('takes no more than the files of one user may be, announced or not', async () => {
    const big = Buffer.alloc(100_001);
    const announced = await fetch(await uploadUrl('big.bin'), { method: 'PUT', body: big });
    expect(announced.status).toBe(413);
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(big);
        controller.close();
      },
    });
    const unannounced = await fetch(await uploadUrl('big.bin'), {
      method: 'PUT',
      body: stream,
      duplex: 'half',
    } as never);
    expect(unannounced.status).toBe(413);
    const client = await connectHttp(stage.server.url);
    expect((await client.listResources()).resources.map(({ name }) => name)).not.toContain('big.bin');
  });

  it('makes the oldest file give way, and never a file that is no upload', async () => {
    for (const name of ['one.bin', 'two.bin', 'three.bin']) {
      const sent = await fetch(await uploadUrl(name), { method: 'PUT', body: Buffer.alloc(40_000, name) });
      expect(sent.status).toBe(201);
    }
    const client = await connectHttp(stage.server.url);
    const names = (await client.listResources()).resources.map(({ name }) => name);
    expect(names).not.toContain('one.bin');
    expect(names).toEqual(expect.arrayContaining(['two.bin', 'three.bin']));
  });

  it('keeps nothing of a file whose connection breaks', async () => {
    const url = new URL(await uploadUrl('half.txt'));
    const socket = open();
    socket.end(`PUT ${url.pathname} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf`);
    await untilClosed(socket);
    const client = await connectHttp(stage.server.url);
    expect((await client.listResources()).resources.map(({ name }) => name)).not.toContain('half.txt');
  });

  it('names no place: a path in its name is cut to its last part', async () => {
    const sent = await fetch(await uploadUrl('../../etc/passwd'), { method: 'PUT', body: 'x' });
    expect(await sent.json()).toMatchObject({ name: 'passwd' });
  });
});

describe('a message', () => {
  it('of any depth and size is answered', async () => {
    const headers = await beginSession(stage.server.url);
    const send = async (body: string): Promise<[number, string]> => {
      const answer = await ask(stage.server.url, { headers, body });
      return [answer.status, answer.body];
    };
    const deep = `{"jsonrpc":"2.0","id":7,"method":"ping","params":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_001)}`;
    expect(await send(deep)).toEqual([400, expect.stringContaining('"id":7')]);
    expect((await send('['.repeat(1_000_000)))[0]).toBe(400);
    const wide = rpc('ping', { list: Array.from({ length: 1_000_001 }, () => []) });
    expect((await send(wide))[0]).toBe(400);
    expect((await send('x'.repeat(17 * 1024 * 1024)))[0]).toBe(413);
    for (const body of ['', 'null', '1', '"x"', '[]', '{}', '[1]', '{"jsonrpc":"2.0"}', '\u0000']) {
      expect((await send(body))[0]).toBe(400);
    }
    expect((await send(rpc('ping')))[0]).toBe(200);
  });

  it('of another type is not read', async () => {
    expect(await statusWith({ 'content-type': 'text/plain' })).toBe(415);
    expect(await statusWith({ 'content-type': 'application/json, text/plain' })).toBe(415);
  });
});

describe('a connection', () => {
  it('with headers without end is closed', async () => {
    const socket = open();
    socket.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}`);
    expect(await untilClosed(socket)).toContain('431');
  });

  it('that smuggles a second request is refused', async () => {
    const socket = open();
    const both = 'Content-Length: 5\r\nTransfer-Encoding: chunked';
    socket.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\n${both}\r\n\r\n0\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n`);
    expect(await untilClosed(socket)).toMatch(/^HTTP\/1\.1 400/);
  });

  it('that breaks while a script runs ends nothing of the session, and the answer can be fetched', async () => {
    const headers = await beginSession(stage.server.url);
    const body = rpc('tools/call', { name: 'execute_sandbox_script', arguments: { script: `'kept'` } });
    const { host } = new URL(stage.server.url);
    const socket = open();
    const lines = Object.entries({ host, ...headers, 'content-length': String(body.length) });
    socket.write(
      `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${body}`,
    );
    const first = await new Promise<string>((resolve) => {
      let said = '';
      socket.on('data', (chunk) => (said += String(chunk)).includes('\nid: ') && resolve(said));
    });
    socket.destroy();
    const [, event = ''] = /\nid: (\d+)/.exec(first) ?? [];
    await expect
      .poll(async () => {
        const again = await ask(stage.server.url, { method: 'GET', headers: { ...headers, 'last-event-id': event } });
        return again.body;
      })
      .toContain('kept');
  });
});

it('a user who asks too much is told so, and nobody else is', async () => {
  await using few = await openHttp({ requestsPerSecond: 1 });
  const statuses = new Set<number>();
  for (let tries = 0; tries < 30; tries++) {
    statuses.add((await ask(few.server.url, { headers: accepts, body: initialize })).status);
  }
  expect([...statuses]).toEqual([200, 429]);
  const client = await connectHttp(stage.server.url);
  expect((await runScript(client, '1')).structuredContent).toMatchObject({ value: 1 });
});

it('messages that do not arrive hold a bounded memory', async () => {
  await using small = await openHttp({ maxMessageBytes: 1_000_000 });
  const body = `"${'x'.repeat(1_500_000)}"`;
  expect((await ask(small.server.url, { headers: accepts, body })).status).toBe(429);
  expect((await ask(small.server.url, { headers: accepts, body: initialize })).status).toBe(200);
});
