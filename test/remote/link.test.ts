import { execFile, type ChildProcess } from 'node:child_process';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectSandbox } from '@mustard-sandbox/remote';
import { failure, openStage, token, type Stage } from './support.ts';

const main = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.end());

/** A way to the server that can be cut. */
interface Wire {
  url: string;
  cut(): void;
  /** Cuts each connection once so many bytes have gone to the server. */
  cutAfter(bytes: number): void;
  refuse(on: boolean): void;
  cuts: number;
}

async function openWire(target = stage.server.url): Promise<Wire> {
  const sockets = new Set<Socket>();
  const { hostname, port } = new URL(target);
  let most = Infinity;
  let refusing = false;
  const server: Server = createServer((socket) => {
    if (refusing) return void socket.destroy();
    const other = connect(Number(port), hostname);
    let bytes = 0;
    for (const [from, to] of [
      [socket, other],
      [other, socket],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {}).on('close', () => (sockets.delete(from), to.destroy()));
      from.on('data', (chunk: Buffer) => {
        if (from === socket) bytes += chunk.length;
        if (bytes > most) {
          wire.cuts++;
          return void from.destroy();
        }
        if (!to.write(chunk)) from.pause();
      });
      to.on('drain', () => from.resume());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const wire: Wire = {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    cut: () => sockets.forEach((socket) => socket.destroy()),
    cutAfter: (bytes) => void (most = bytes),
    refuse: (on) => void (refusing = on),
    cuts: 0,
  };
  return wire;
}

describe('a connection that breaks', () => {
  it('ends its runs with connection_lost, cancels them at the server, and runs none twice', async () => {
    const wire = await openWire();
    const sandbox = stage.connect({ url: wire.url });
    const calls: string[] = [];
    const hostFunctions = {
      began: (id) => {
        calls.push(id as string);
        if (calls.length === 2) wire.cut();
      },
    } satisfies Record<string, (id: unknown) => void>;
    const run = (id: string): Promise<unknown> =>
      sandbox.run({
        script: 'began(id); while (true) {}',
        inputs: { id },
        hostFunctions,
        limits: { timeoutMs: 10_000 },
      });
    const errors = await Promise.all([failure(run('a')), failure(run('b'))]);
    expect(errors.map(({ code }) => code)).toEqual(['connection_lost', 'connection_lost']);
    // Cancelled at once, and not at its deadline: the processes are free for the next run.
    expect((await sandbox.run({ script: '1 + 1' })).value).toBe(2);
    expect(calls.toSorted()).toEqual(['a', 'b']);
    await vi.waitFor(async () => expect(await gauge('runs')).toBe(0));
  });

  it('ends what a host function waits for', async () => {
    const wire = await openWire();
    const sandbox = stage.connect({ url: wire.url });
    const run = sandbox.run({
      script: 'wait()',
      hostFunctions: {
        wait: () => {
          wire.cut();
          return new Promise(() => {});
        },
      },
    });
    expect(await failure(run)).toMatchObject({ code: 'connection_lost' });
  });

  it('is made again, with backoff, as soon as the server can be reached', async () => {
    const wire = await openWire();
    wire.refuse(true);
    const sandbox = stage.connect({ url: wire.url, connectTimeoutMs: 60_000 });
    const delays: number[] = [];
    sandbox.on('backing_off', ({ delayMs, failures }) => {
      delays.push(delayMs);
      if (failures === 3) wire.refuse(false);
    });
    expect((await sandbox.run({ script: '1' })).value).toBe(1);
    expect(delays).toHaveLength(3);
    expect(delays.every((delay, index) => delay >= 50 * 2 ** index && delay <= 100 * 2 ** index)).toBe(true);
  });

  it('resumes an upload where it was cut', async () => {
    const wire = await openWire();
    const path = join(stage.folder, 'files/cut');
    await writeFile(path, randomBytes(8_000_000));
    wire.cutAfter(1_000_000);
    const sent: number[] = [];
    const sandbox = stage.connect({ url: wire.url, onUpload: (progress) => sent.push(progress.sent) });
    const run = await sandbox.run({
      script: `file_stats('attachments:a').size`,
      scope: { attachments: [{ name: 'a', path }] },
    });
    expect(run.value).toBe(8_000_000);
    expect(wire.cuts).toBeGreaterThanOrEqual(7);
    expect(sent).toEqual(sent.toSorted((a, b) => a - b));
  });
});

async function gauge(name: string): Promise<number> {
  const response = await fetch(`${stage.server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const [, value] = new RegExp(`^mustard_sandbox_${name} (\\d+)$`, 'm').exec(await response.text()) ?? [];
  return Number(value);
}

describe('no connection', () => {
  it('is sidecar_unavailable, with the address and the cause', async () => {
    const sandbox = stage.connect({ url: 'http://127.0.0.1:9', connectTimeoutMs: 300 });
    const state = async (): Promise<string> => {
      expect(await failure(sandbox.run({ script: '1' }))).toMatchObject({
        code: 'sidecar_unavailable',
        message: expect.stringMatching(/http:\/\/127\.0\.0\.1:9 cannot be reached: ECONNREFUSED/),
      });
      return sandbox.stats().state;
    };
    // On a busy machine the first try alone may take all of the time.
    await expect.poll(state).toBe('backing_off');
  });

  it('may be cancelled while it is made, and closed', async () => {
    const sandbox = stage.connect({ url: 'http://127.0.0.1:9', connectTimeoutMs: 60_000 });
    const controller = new AbortController();
    sandbox.on('backing_off', () => controller.abort());
    const run = sandbox.run({ script: '1', signal: controller.signal });
    expect(await failure(run)).toMatchObject({ code: 'cancelled' });
    const other = failure(sandbox.run({ script: '1' }));
    await sandbox.close();
    expect(await other).toMatchObject({ code: 'closed' });
    expect(await failure(sandbox.run({ script: '1' }))).toMatchObject({ code: 'closed' });
    expect(sandbox.stats().state).toBe('closed');
  });

  it('to something that is no such server says so', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    expect(await failure(stage.connect({ url }).run({ script: '1' }))).toMatchObject({
      code: 'invalid_request',
      message: 'The server answered 404.',
    });
  });

  it.each([
    ['refuses it and goes on for ever', 'HTTP/1.1 401 No\r\ncontent-length: 999999999999\r\n\r\n', 'x'.repeat(65_536)],
    ['refuses it a character at a time', 'HTTP/1.1 401 No\r\ncontent-length: 999999999999\r\n\r\n', 'x'],
    ['never comes to its answer', '', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['never comes to the end of its headers', 'HTTP/1.1 101 Switching Protocols\r\n', 'x: y\r\n'],
  ])('to a server that %s is given up', async (_, head, more) => {
    const server = createServer((socket) => {
      socket.once('data', () => {
        socket.write(head);
        const timer = setInterval(() => socket.write(more), 5);
        socket.on('close', () => clearInterval(timer)).on('error', () => {});
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    const error = await failure(stage.connect({ url, connectTimeoutMs: 300 }).run({ script: '1' }));
    expect(['invalid_request', 'sidecar_unavailable']).toContain(error.code);
  });

  it.each(['nonsense', 'ftp://host', 'http://user:pass@host', 'http://host/?a=1'])('%s is no address', (url) => {
    expect(() => connectSandbox({ url })).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});

describe('the server as a process', () => {
  async function start(store: string, ...args: string[]): Promise<{ child: ChildProcess; url: string }> {
    const flags = ['serve', '--listen', '127.0.0.1:0', '--store', store, '--log-level', 'error', '--processes', '2'];
    const child = execFile(process.execPath, [main, ...flags, ...args]);
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stderr?.resume();
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout?.once('data', (text: Buffer) => resolve(String(text).trim()));
      child.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)));
    });
    return { child, url };
  }

  it('lets runs end on SIGTERM, takes no more, and exits with 0', async () => {
    const { child, url } = await start(join(stage.folder, 'sigterm'));
    const exited = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
    const sandbox = stage.connect({ url });
    let release = (): void => {};
    const run = sandbox.run({
      script: 'wait()',
      hostFunctions: { wait: () => new Promise<number>((resolve) => (release = () => resolve(7))) },
      onStart: () => void child.kill('SIGTERM'),
    });
    await vi.waitFor(async () => {
      const code = await sandbox.run({ script: '1' }).then(
        () => 'ran',
        (error: { code: string }) => error.code,
      );
      expect(code).toBe('closed');
    });
    release();
    expect((await run).value).toBe(7);
    expect(await exited).toBe(0);
    const late = stage.connect({ url, connectTimeoutMs: 0 });
    expect(await failure(late.run({ script: '1' }))).toMatchObject({ code: 'sidecar_unavailable' });
  });

  it('killed within an upload and a run, leaves no half file and goes on from what it had', async () => {
    const store = join(stage.folder, 'sigkill');
    const first = await start(store);
    const path = join(stage.folder, 'files/killed');
    await writeFile(path, randomBytes(8_000_000));
    const exited = new Promise((resolve) => first.child.once('exit', resolve));
    const wire = await openWire(first.url);
    wire.cutAfter(3_000_000);
    const sandbox = stage.connect({
      url: wire.url,
      // However slow the machine, some bytes get through between two cuts.
      onUpload({ sent }) {
        if (sent === 0) return;
        first.child.kill('SIGKILL');
        void sandbox.close();
      },
    });
    const scope = { attachments: [{ name: 'a', path }] };
    const script = `file_stats('attachments:a').size`;
    const error = await failure(sandbox.run({ script, scope }));
    expect(error.code).toBe('closed');
    expect(await readdir(join(store, 'local/blobs'))).toEqual([]);
    await exited;
    const second = await start(store);
    const sent: number[] = [];
    const again = stage.connect({ url: second.url, onUpload: (progress) => sent.push(progress.sent) });
    expect((await again.run({ script, scope })).value).toBe(8_000_000);
    expect(sent[0]).toBeGreaterThan(0);
    second.child.kill('SIGTERM');
  });

  it('killed and started again within an upload: the run goes to the new one, once', async () => {
    const store = join(stage.folder, 'restarted');
    const first = await start(store);
    const path = join(stage.folder, 'files/restarted');
    await writeFile(path, randomBytes(8_000_000));
    const wire = await openWire(first.url);
    wire.cutAfter(3_000_000);
    let second: Promise<{ child: ChildProcess }> | undefined;
    const restart = async (): Promise<{ child: ChildProcess }> => {
      const exited = new Promise((resolve) => first.child.once('exit', resolve));
      first.child.kill('SIGKILL');
      await exited;
      return await start(store, '--listen', new URL(first.url).host);
    };
    const sent: number[] = [];
    const calls: unknown[] = [];
    const sandbox = stage.connect({
      url: wire.url,
      connectTimeoutMs: 60_000,
      onUpload(progress) {
        sent.push(progress.sent);
        if (progress.sent > 0) second ??= restart();
      },
    });
    const run = sandbox.run({
      script: `began(file_stats('attachments:a').size)`,
      scope: { attachments: [{ name: 'a', path }] },
      hostFunctions: { began: (size) => void calls.push(size) },
    });
    expect((await run).value).toBe(undefined);
    expect(calls).toEqual([8_000_000]);
    expect(sent).toEqual(sent.toSorted((a, b) => a - b));
    expect((await sandbox.run({ script: '1 + 1' })).value).toBe(2);
    (await second)?.child.kill('SIGTERM');
  });

  it('killed within an upload, and gone: the run fails as one that was not run', async () => {
    const { child, url } = await start(join(stage.folder, 'gone'));
    const path = join(stage.folder, 'files/gone');
    await writeFile(path, randomBytes(8_000_000));
    const wire = await openWire(url);
    wire.cutAfter(3_000_000);
    const sandbox = stage.connect({
      url: wire.url,
      connectTimeoutMs: 500,
      onUpload: ({ sent }) => void (sent > 0 && child.kill('SIGKILL')),
    });
    const run = sandbox.run({ script: '1', scope: { attachments: [{ name: 'a', path }] } });
    expect(await failure(run)).toMatchObject({ code: 'sidecar_unavailable' });
  });
});
