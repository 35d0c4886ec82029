import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { ServerOptions } from '@mustard-sandbox/remote/server';
import { failure, openStage, otherToken, token, type Stage } from './support.ts';

const MB = 1_000_000;

async function open(options: ServerOptions): Promise<Stage> {
  const stage = await openStage(options);
  onTestFinished(() => stage.end());
  return stage;
}

/** A WebSocket that says nothing by itself; a number is the status that it was refused with. */
async function openSocket(stage: Stage, bearer = token): Promise<WebSocket> {
  const socket = new WebSocket(`${stage.server.url.replace('http', 'ws')}/v1/sandbox`, ['mustard-sandbox.1'], {
    headers: { authorization: `Bearer ${bearer}` },
  });
  onTestFinished(() => socket.terminate());
  socket.on('error', () => {});
  await once(socket, 'open');
  return socket;
}

describe('more clients of a token than it has connections', () => {
  it('all get their answers', async () => {
    const stage = await open({ maxConnections: 4 });
    const clients = Array.from({ length: 60 }, () => stage.connect({ connectTimeoutMs: 60_000 }));
    const work = clients.flatMap((client, n) =>
      [0, 1, 2].map(async (times) => (await client.run({ script: `${n} * 10 + ${times}` })).value),
    );
    expect(await Promise.all(work)).toEqual(clients.flatMap((_, n) => [n * 10, n * 10 + 1, n * 10 + 2]));
    const inTurn = clients.map(async (client, n) => {
      for (let times = 0; times < 3; times++) expect((await client.run({ script: `${n}` })).value).toBe(n);
      expect(await client.validate('1')).toEqual([]);
    });
    await Promise.all(inTurn);
  });

  it('take the place of one that does nothing, and never of one that runs something', async () => {
    const stage = await open({ maxConnections: 1, connectionWaitMs: 100 });
    const [busy, other] = [stage.connect(), stage.connect({ connectTimeoutMs: 500 })];
    let release = (): void => {};
    const began = withResolvers();
    const run = busy.run({
      script: 'wait() + 1',
      hostFunctions: {
        wait: () => {
          began.resolve(undefined);
          return new Promise<number>((resolve) => (release = () => resolve(1)));
        },
      },
    });
    await began.promise;
    expect(await failure(other.run({ script: '1' }))).toMatchObject({
      code: 'sidecar_unavailable',
      message: expect.stringMatching(
        /accepts no connection now: This token already has 1 connections.* Try again later\.$/,
      ),
      details: { status: 429 },
    });
    release();
    expect((await run).value).toBe(2);
    const patient = stage.connect({ connectTimeoutMs: 60_000 });
    expect((await patient.run({ script: '1 + 2' })).value).toBe(3);
    expect((await busy.run({ script: '1 + 3' })).value).toBe(4);
  });

  it('wait in vain where the others know nothing of giving way, and leave no trace when they go', async () => {
    const stage = await open({ maxConnections: 2, connectionWaitMs: 200 });
    const old = [await openSocket(stage), await openSocket(stage)];
    const waiting = Array.from({ length: 20 }, () => stage.connect({ connectTimeoutMs: 300 }));
    const errors = await Promise.all(waiting.map((client) => failure(client.run({ script: '1' }))));
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['sidecar_unavailable']));
    old[0]?.terminate();
    const late = stage.connect({ connectTimeoutMs: 60_000 });
    expect((await late.run({ script: '1 + 1' })).value).toBe(2);
  });
});

function withResolvers(): { promise: Promise<unknown>; resolve: (value: unknown) => void } {
  let resolve: (value: unknown) => void = () => {};
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}

describe('messages that do not come to their end', () => {
  /** The first bytes of a message of 47 MB, as frames of the WebSocket. */
  const start = `Content-Length: ${47 * MB}\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"sandbox/run","params":{"script":"`;

  async function gone(sockets: readonly WebSocket[]): Promise<number> {
    return sockets.filter(({ readyState }) => readyState === WebSocket.CLOSED).length;
  }

  it.each([
    ['in one frame of the WebSocket', (socket: WebSocket) => socket.send(start + 'x'.repeat(3 * MB), { fin: false })],
    [
      'in many of them',
      (socket: WebSocket) => {
        socket.send(start);
        for (let times = 0; times < 60; times++) socket.send('x'.repeat(50_000));
      },
    ],
  ])('%s hold no more than the token may, and cost no other token anything', async (_, begin) => {
    const stage = await open({ maxMessageBytes: 20 * MB });
    const quiet = stage.connect();
    expect((await quiet.run({ script: '1' })).value).toBe(1);
    const sockets = await Promise.all(Array.from({ length: 40 }, () => openSocket(stage)));
    for (const socket of sockets) begin(socket);
    // Six of 3 MB fit.
    await expect.poll(() => gone(sockets)).toBeGreaterThanOrEqual(34);
    await expect
      .poll(() => sockets.every((socket) => socket.bufferedAmount === 0 || socket.readyState === WebSocket.CLOSED))
      .toBe(true);
    const other = stage.connect({ token: otherToken });
    expect((await other.run({ script: 'text.length', inputs: { text: 'x'.repeat(5 * MB) } })).value).toBe(5 * MB);
    // What is small goes on.
    expect((await quiet.run({ script: '1 + 1' })).value).toBe(2);
    for (const socket of sockets) socket.terminate();
    const again = stage.connect({ connectTimeoutMs: 60_000 });
    expect((await again.run({ script: 'text.length', inputs: { text: 'x'.repeat(5 * MB) } })).value).toBe(5 * MB);
  });

  it('or wait for their answers: no more of them than the token may have, and each in its turn', async () => {
    const stage = await open({ maxMessageBytes: 12 * MB, sandbox: { maxProcesses: 1 } });
    // Many large inputs at a time take long on a busy machine.
    const limits = { timeoutMs: 10_000 };
    const client = stage.connect({ connectTimeoutMs: 60_000, limits });
    const runs = Array.from({ length: 12 }, async (_, n) => {
      const text = `${n}`.padEnd(5 * MB);
      return (await client.run({ script: 'Number(text.slice(0, 4))', inputs: { text } })).value;
    });
    expect(await Promise.all(runs)).toEqual(Array.from({ length: 12 }, (_, n) => n));
    const release: (() => void)[] = [];
    const hold = (): Promise<unknown> => new Promise((resolve) => release.push(() => resolve(1)));
    const text = 'x'.repeat(5 * MB);
    const held = [0, 1].map(() => client.run({ script: 'hold()', inputs: { text }, hostFunctions: { hold } }));
    // One process; the second one waits for it, and holds its message too.
    await expect.poll(() => release.length).toBe(1);
    const impatient = stage.connect({ connectTimeoutMs: 5_000, limits });
    expect(await failure(impatient.run({ script: '1', inputs: { text } }))).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('Nothing was run; wait for some of them to end.'),
      details: { status: 429 },
    });
    release[0]?.();
    await expect.poll(() => release.length).toBe(2);
    release[1]?.();
    expect((await Promise.all(held)).map(({ value }) => value)).toEqual([1, 1]);
    expect((await client.run({ script: '1', inputs: { text: 'x'.repeat(5 * MB) } })).value).toBe(1);
  });
});
