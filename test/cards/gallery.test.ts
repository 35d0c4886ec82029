import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

interface Answer {
  status: number;
  body: string;
}

const index = fileURLToPath(new URL('../../packages/cards/gallery/index.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'mustard-gallery-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The command itself, on a small log. */
function start() {
  const child = execa(process.execPath, [index, '--megabytes', '1', '--dir', folder], { reject: false });
  // Read by hand: an iterator that is left waits for the end of the process.
  const url = new Promise<URL>((resolve) => {
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
      const [, found] = /Cards: (\S+)\n/.exec(printed) ?? [];
      if (found !== undefined) resolve(new URL(found));
    });
  });
  return { child, url };
}

let gallery: ReturnType<typeof start>;
let url: URL;
let token: string;
beforeAll(async () => {
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  gallery = start();
  url = await gallery.url;
  token = new URLSearchParams(url.hash.slice(1)).get('token') as string;
});
afterAll(() => gallery.child.kill());

/** By hand: `fetch` would set `Host` and tidy the path. */
function send(
  path: string,
  headers: Record<string, string> = {},
  body?: string,
  method = body === undefined ? 'GET' : 'POST',
) {
  return new Promise<Answer>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: url.port, path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode as number, body: text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const allowed = (): Record<string, string> => ({ authorization: `Bearer ${token}` });

describe('who may use it', () => {
  test('it is on loopback, and its token is long and in no path', () => {
    expect(url.hostname).toBe('127.0.0.1');
    expect(token.length).toBeGreaterThanOrEqual(32);
    expect(`${url.pathname}${url.search}`).not.toContain(token);
  });

  test.each<[string, Record<string, string>, number]>([
    ['no token', { authorization: '' }, 401],
    ['a wrong token', { authorization: `Bearer ${'x'.repeat(32)}` }, 401],
    ['the name of another host, bound to loopback', { host: 'attacker.example' }, 421],
    ['the right name and another port', { host: '127.0.0.1:1' }, 421],
    ['a page of another origin', { origin: 'https://attacker.example' }, 403],
    ['a page without an origin', { origin: 'null' }, 403],
    ['a page of another port of this machine', { origin: 'http://127.0.0.1:1' }, 403],
  ])('%s is refused, also with the token', async (_, headers, status) => {
    const answer = await send('/api/run', { ...allowed(), ...headers }, '{"script":"1"}');
    expect(answer.status).toBe(status);
    expect(answer.body).not.toContain(token);
  });

  test('calls are made by POST alone, so that no link or image makes one', async () => {
    expect((await send('/api/run', allowed())).status).toBe(405);
  });
});

describe('what it serves', () => {
  test.each([
    '/../package.json',
    '/%2e%2e/package.json',
    '/..%2fpackage.json',
    '/secret.txt',
    '//etc/passwd',
    '/__proto__',
    '/constructor',
  ])('no path leads out: %s', async (path) => expect((await send(path)).status).toBe(404));

  test.each([
    '../secret.txt',
    'secret.txt',
    'attachments:secret.txt',
    'attachments:script-output-0123456789abcdef.txt/../secret.txt',
    '/etc/passwd',
  ])('of outputs only outputs: %s', async (name) => {
    const answer = await send('/api/output', allowed(), JSON.stringify({ name }));
    expect(answer.status).toBe(400);
    expect(answer.body).not.toContain('secret"');
  });

  test.each(['nothing', '__proto__', 'constructor', 'toString'])('no call that is not there: %s', async (name) => {
    expect((await send(`/api/${name}`, allowed(), '{}')).status).toBe(404);
  });

  test.each(['', '{', '[', '5', 'null'])('what is no object is refused: %s', async (body) => {
    const { status } = await send('/api/output', allowed(), body, 'POST');
    expect(status).toBe(400);
  });

  test('a request that does not end to grow is', async () => {
    const answer = await send('/api/run', allowed(), JSON.stringify({ script: 'x'.repeat(300_000) })).catch(
      () => undefined,
    );
    expect(answer?.status ?? 400).toBe(400);
  });

  test('the page may load nothing from elsewhere and be in no frame', async () => {
    const { headers } = await fetch(url.origin);
    expect(headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*connect-src 'self'.*frame-ancestors 'none'/,
    );
  });
});

test.skipIf(process.platform === 'win32')(
  'Ctrl-C ends it at once, with a stream open and a script running',
  async () => {
    const other = start();
    const address = await other.url;
    const key = new URLSearchParams(address.hash.slice(1)).get('token') as string;
    const post = (name: string, body: object): Promise<Response> =>
      fetch(`${address.origin}/api/${name}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
      });
    const events = await post('events', {});
    post('run', { script: 'while (true) {}' }).catch(() => {});
    for await (const chunk of events.body!) {
      if (Buffer.from(chunk).includes('gallery.ask')) break;
    }
    other.child.kill('SIGINT');
    const { exitCode, stderr } = await other.child;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  },
);
