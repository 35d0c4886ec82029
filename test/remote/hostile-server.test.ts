import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectSandbox, type ConnectOptions } from '@mustard-sandbox/remote';
import { openFakeServer, result, type Message, type Script } from './fake-server.ts';
import { failure } from './support.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostile-server-'));
  await writeFile(join(folder, 'secret'), 'secret of the client');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function connect(script: Script, options: Partial<ConnectOptions> = {}, socket?: string) {
  const server = await openFakeServer(script, socket);
  const sandbox = connectSandbox({
    url: server.url,
    cacheDir: join(folder, 'cache'),
    ...options,
  });
  onTestFinished(async () => {
    await sandbox.close();
    server.close();
  });
  return sandbox;
}

/** One with little patience. It is connected already, for which a busy machine may take longer than that. */
async function impatient({ onRun, ...script }: Script, options: Partial<ConnectOptions>) {
  let isConnected = false;
  const sandbox = await connect(
    {
      ...script,
      onRun: (message, ...server) =>
        isConnected ? onRun?.(message, ...server) : server[0]({ id: message.id ?? 0, result: result({ json: 0 }) }),
    },
    { ...options, connectTimeoutMs: 200 },
  );
  await vi.waitFor(() => sandbox.run({ script: '0' }));
  isConnected = true;
  return sandbox;
}

const answering = (value: unknown): Script => ({
  onRun: ({ id = 0 }, send) => send({ id, result: result(value) }),
});

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const artifact = (content: string, more: object = {}) => ({
  artifact: {
    id: 'a'.repeat(32),
    name: 'result.json',
    mediaType: 'application/json',
    size: Buffer.byteLength(content),
    sha256: hashOf(content),
    ...more,
  },
});

describe('what a server may ask for', () => {
  const missing =
    (target: string, kind = 'file'): NonNullable<Script['onRun']> =>
    ({ id = 0 }, send) => {
      const details = { status: 404, missing: [{ target, kind }] };
      send({ id, error: { code: 1203, message: 'Send it.', data: { code: 'invalid_request', details } } });
    };
  const secret = () => join(folder, 'secret');

  it.each(['scope.attachments[7].path', 'scope.root', 'inputs.name', '/etc/passwd', '__proto__'])(
    'nothing but what the run names: %s',
    async (target) => {
      const sent: string[] = [];
      const sandbox = await connect({
        onRun(message, send, socket) {
          sent.push(JSON.stringify(message));
          missing(target)(message, send, socket);
        },
      });
      const scope = { attachments: [] };
      const error = await failure(sandbox.run({ script: '1', scope, inputs: { name: secret() } }));
      expect(error.code).toBe('protocol_error');
      expect(sent.join()).not.toContain(Buffer.from('secret of the client').toString('base64'));
    },
  );

  it('a path that it declares, where this client knows no path, stays a text', async () => {
    const seen: Message[] = [];
    const sandbox = await connect({
      initialize: { fileInputs: [{ target: 'sandbox/run', path: 'inputs.json.name', kind: 'file' }] },
      onRun({ id = 0, params = {} }, send) {
        seen.push({ params });
        send({ id, result: result({ json: 1 }) });
      },
    });
    await sandbox.run({ script: '1', inputs: { name: secret() } });
    expect(seen).toMatchObject([{ params: { inputs: { json: { name: secret() } } } }]);
  });

  it('a folder only where the client sends folders', async () => {
    const sandbox = await connect({ onRun: missing('scope.root', 'directory') });
    expect(await failure(sandbox.run({ script: '1', scope: { root: folder } }))).toMatchObject({
      code: 'invalid_request',
      message: 'Send it.',
    });
  });

  it('not without end', async () => {
    let times = 0;
    const sandbox = await connect({
      onRun(message, send, socket) {
        times++;
        missing('scope.attachments[0].path')(message, send, socket);
      },
    });
    const scope = { attachments: [{ name: 'a', path: secret() }] };
    expect(await failure(sandbox.run({ script: '1', scope }))).toMatchObject({ code: 'invalid_request' });
    expect(times).toBeLessThan(10);
  });
});

describe('what a server may say', () => {
  it.each<[string, NonNullable<Script['onRun']>]>([
    ['an answer that is none', ({ id = 0 }, send) => send({ id, result: { value: 1 } })],
    ['an answer to another request', (_, send) => send({ id: 99, result: result({ json: 1 }) })],
    [
      'of another run',
      (_, send) => send({ method: 'sandbox/started', params: { runId: 'x', sidecar: 1, queueMs: 0 } }),
    ],
    [
      'a call that the run did not offer',
      (_, send) => {
        send({
          id: 1,
          method: 'sandbox/callHostFunction',
          params: { runId: '1', name: 'rm', args: { json: [] }, executionMs: 0 },
        });
      },
    ],
    [
      'that an attachment was read which it was not given',
      ({ id = 0 }, send) => {
        send({ id, result: { ...result({ json: 1 }), attachmentsRead: ['other'] } });
      },
    ],
    ['no frame', (_, __, socket) => socket.send('GARBAGE\r\n\r\n')],
    ['a frame of a gigabyte', (_, __, socket) => socket.send(`Content-Length: ${1024 ** 3}\r\n\r\n`)],
  ])('%s is a protocol_error', async (_, onRun) => {
    const sandbox = await connect({ onRun });
    expect(await failure(sandbox.run({ script: '1' }))).toMatchObject({ code: 'protocol_error' });
  });

  it('nothing: the run is given up', async () => {
    const sandbox = await connect({}, { maxWaitMs: 50 });
    expect(await failure(sandbox.run({ script: '1' }))).toMatchObject({ code: 'sidecar_unavailable' });
    const started: Script = {
      onRun: ({ params }, send) =>
        send({ method: 'sandbox/started', params: { runId: params?.['runId'], sidecar: 1, queueMs: 0 } }),
    };
    const silent = await connect(started, { graceMs: 50 });
    expect(await failure(silent.run({ script: '1', limits: { timeoutMs: 10 } }))).toMatchObject({ code: 'timeout' });
  });

  it('an event of the future is left alone', async () => {
    const sandbox = await connect({
      onRun({ id = 0 }, send) {
        send({ method: 'sandbox/event', params: { event: 'of_the_future', facts: { a: 1 } } });
        send({ id, result: result({ json: 7 }) });
      },
    });
    expect((await sandbox.run({ script: '1' })).value).toBe(7);
  });
});

describe('results that are fetched', () => {
  const content = JSON.stringify({ json: 'fetched' });
  const serving = (handle: object, http: NonNullable<Script['http']>): Script => ({ ...answering(handle), http });

  it('are checked, kept by hash, and fetched once', async () => {
    let times = 0;
    const sandbox = await connect(serving(artifact(content), (_, response) => void (times++, response.end(content))));
    for (let run = 0; run < 2; run++) expect((await sandbox.run({ script: '1' })).value).toBe('fetched');
    expect(times).toBe(1);
    expect(await readdir(join(folder, 'cache'))).toContain(hashOf(content));
  });

  it.each<[string, boolean, (path: string) => Promise<void>]>([
    ['another content of the same length', true, (path) => writeFile(path, 'x'.repeat(content.length))],
    ['a link', true, (path) => symlink(join(folder, 'same'), path)],
    [
      'a folder',
      true,
      async (path) => {
        await mkdir(path);
      },
    ],
    ['the content, named by a server of another machine', false, (path) => writeFile(path, content)],
  ])('are not read in place where there is %s', async (_, isLocal, make) => {
    const stage = await mkdtemp(join(folder, 'artifacts-'));
    await writeFile(join(folder, 'same'), content);
    await make(join(stage, 'a'.repeat(32)));
    let times = 0;
    const http: NonNullable<Script['http']> = (_, response) => void (times++, response.end(content));
    const sandbox = await connect(
      { ...serving(artifact(content), http), initialize: { artifactsFolder: stage } },
      { cacheDir: join(stage, 'cache') },
      isLocal ? join(stage, 'socket') : undefined,
    );
    expect((await sandbox.run({ script: '1' })).value).toBe('fetched');
    expect(times).toBe(1);
  });

  it('may be a profile, which is checked like one that comes along', async () => {
    const profile = JSON.stringify({ not: 'a profile' });
    const sandbox = await connect({
      onRun: ({ id = 0 }, send) => send({ id, result: { ...result({ json: 1 }), profile: artifact(profile) } }),
      http: (_, response) => void response.end(profile),
    });
    expect(await failure(sandbox.run({ script: '1', profile: true }))).toMatchObject({ code: 'protocol_error' });
  });

  it('go on where they broke', async () => {
    const long = JSON.stringify({ json: 'x'.repeat(100_000) });
    let times = 0;
    const sandbox = await connect(
      serving(artifact(long), ({ headers }, response) => {
        const start = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1]);
        response.writeHead(206, { 'content-length': long.length - start });
        times++;
        response.write(long.slice(start, start + 60_000), () => {
          if (start + 60_000 < long.length) response.destroy();
        });
      }),
      { connectTimeoutMs: 5_000 },
    );
    expect((await sandbox.run({ script: '1' })).value).toBe('x'.repeat(100_000));
    expect(times).toBeGreaterThan(1);
  });

  it.each<[string, object, NonNullable<Script['http']>, string]>([
    ['with another hash', artifact('wrong'), (_, response) => void response.end('worng'), 'protocol_error'],
    [
      'without end',
      artifact('endless'),
      (_, response) => {
        const more = (): void =>
          void (response.destroyed || response.write('x'.repeat(1000), () => setImmediate(more)));
        more();
      },
      'protocol_error',
    ],
    ['too large', artifact('large', { size: 10 ** 9 }), () => {}, 'limit_exceeded'],
    ['that are gone', artifact('gone'), (_, response) => void response.writeHead(404).end(), 'invalid_request'],
    ['that are no value', artifact('{"a":1}'), (_, response) => void response.end('{"a":1}'), 'protocol_error'],
  ])('%s are refused, and nothing of them is kept', async (_, handle, http, code) => {
    const before = existsSync(join(folder, 'cache')) ? await readdir(join(folder, 'cache')) : [];
    const sandbox = await connect(serving(handle, http));
    expect(await failure(sandbox.run({ script: '1' }))).toMatchObject({ code });
    const after = existsSync(join(folder, 'cache')) ? await readdir(join(folder, 'cache')) : [];
    expect(after.filter((name) => !before.includes(name) && name !== hashOf('{"a":1}'))).toEqual([]);
  });

  it.each<[string, NonNullable<Script['http']>]>([
    [
      'a byte at a time',
      (_, response) => {
        const timer = setInterval(() => response.write('x'), 5);
        response.on('close', () => clearInterval(timer));
      },
    ],
    ['a byte in each answer', (_, response) => void response.writeHead(206, { 'content-length': 1 }).end('x')],
    [
      'the head of the answer a byte at a time',
      ({ socket }) => {
        socket.write('HTTP/1.1 200 OK\r\nx: ');
        const timer = setInterval(() => socket.write('x'), 5);
        socket.on('close', () => clearInterval(timer));
      },
    ],
    ['fast at first, and then nothing', (_, response) => void response.write('x'.repeat(500_000))],
  ])('%s are given up', async (_, http) => {
    const sandbox = await impatient(serving(artifact('x'.repeat(1_000_000)), http), { cacheDir: join(folder, 'slow') });
    expect(await failure(sandbox.run({ script: '1' }))).toMatchObject({
      code: 'connection_lost',
      message: expect.stringMatching(/^The result of the run cannot be fetched: Less than 16384 bytes of it came/),
    });
    expect(await readdir(join(folder, 'slow'))).toEqual([]);
  });

  it('a byte at a time end with the signal of their run', async () => {
    const controller = new AbortController();
    const http: NonNullable<Script['http']> = (_, response) => {
      response.write('x', () => controller.abort());
    };
    const sandbox = await connect(serving(artifact('x'.repeat(1000)), http), { connectTimeoutMs: 600_000 });
    expect(await failure(sandbox.run({ script: '1', signal: controller.signal }))).toMatchObject({ code: 'cancelled' });
  });

  it('with a path as their name or id break the protocol', async () => {
    for (const more of [{ name: '../../x' }, { id: '../x' }, { sha256: '../x' }]) {
      const sandbox = await connect(answering(artifact('x', more)));
      expect(await failure(sandbox.run({ script: '1' }))).toMatchObject({ code: 'protocol_error' });
    }
  });
});

describe('results that become files', () => {
  async function project(): Promise<string> {
    const root = await mkdtemp(join(folder, 'project-'));
    await mkdir(join(root, 'src'));
    await mkdir(join(root, 'elsewhere'));
    return root;
  }
  const writing = async (root: string, path: string) =>
    (await connect(answering({ json: { path, content: 'written' } }), { outputs: { root } })).run({ script: '1' });

  it('are written where the client allows it, and the value is the path', async () => {
    const root = await project();
    for (const path of ['.mustard/outputs/a.txt', 'src/.mustard/outputs/b.json', '.mustard/outputs/a.txt']) {
      expect((await writing(root, path)).value).toBe(path);
      expect(await readFile(join(root, path), 'utf8')).toBe('written');
    }
  });

  it.each([
    '../.mustard/outputs/a.txt',
    '/tmp/.mustard/outputs/a.txt',
    'src/a.txt',
    '.mustard/outputs/a.js',
    '.mustard/outputs/../../a.txt',
    '.mustard/outputs/.env.txt',
    '.mustard/outputs/a\0.txt',
    '.mustard/outputs/a b.txt',
    '.mustard\\outputs\\a.txt',
    '.git/.mustard/outputs/a.txt',
    '.mustard/outputs/sub/a.txt',
    'C:/.mustard/outputs/a.txt',
    '.mustard/outputs/con.txt',
    '',
  ])('are not written to %j', async (path) => {
    const root = await project();
    const before = await readdir(root, { recursive: true });
    expect(await failure(writing(root, path))).toMatchObject({ code: 'capability_denied' });
    expect(await readdir(root, { recursive: true })).toEqual(before);
  });

  it('are never written over a link, whether it is the file or a folder on its way', async () => {
    const root = await project();
    await mkdir(join(root, '.mustard/outputs'), { recursive: true });
    await writeFile(join(root, 'src/kept'), 'kept');
    await symlink('../../src/kept', join(root, '.mustard/outputs/a.txt'));
    expect(await failure(writing(root, '.mustard/outputs/a.txt'))).toMatchObject({ code: 'capability_denied' });
    await symlink('../src', join(root, 'elsewhere/.mustard'));
    expect(await failure(writing(root, 'elsewhere/.mustard/outputs/b.txt'))).toMatchObject({
      code: 'capability_denied',
    });
    expect(await readFile(join(root, 'src/kept'), 'utf8')).toBe('kept');
    expect(await readdir(join(root, 'src'))).toEqual(['kept']);
  });

  it('are values like any other where the client has said nothing', async () => {
    const value = { path: '.mustard/outputs/a.txt', content: 'x' };
    expect((await (await connect(answering({ json: value }))).run({ script: '1' })).value).toEqual(value);
  });
});
