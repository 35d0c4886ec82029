import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import * as z from 'zod';
import { builtinNames, protocolVersion } from '@mustard-sandbox/protocol';
import { connectSandbox } from '@mustard-sandbox/remote';
import { openFakeServer, result, type Message } from './fake-server.ts';
import { askRaw } from './raw-client.ts';
import { failure, openStage, token, type Stage } from './support.ts';

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

/** The sidecar's protocol as it was when its number was raised to this one. Never written anew: it is what old peers know. */
const frozen = JSON.parse(readFileSync(new URL('frozen/protocol-2.json', import.meta.url), 'utf8')) as {
  requests: Record<string, { params: JsonSchema; result: JsonSchema }>;
  notifications: Record<string, JsonSchema>;
  errorData: JsonSchema;
};

function problems(schema: JsonSchema | undefined, value: unknown): unknown {
  return z.fromJSONSchema(schema as JsonSchema).safeParse(value).error?.issues ?? [];
}

let stage: Stage;
let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'remote-versions-')));
  await writeFile(join(folder, 'notes.txt'), 'hello');
  stage = await openStage({ allowRoots: [folder] });
});
afterAll(async () => {
  await stage.end();
  await rm(folder, { recursive: true, force: true });
});

describe('an old client', () => {
  const initialize = { protocolVersion, client: { name: 'old', version: '0.1.0' } };
  const run = { runId: '1', script: '1', scope: {}, limits: {} };

  it.each<[string, () => Record<string, unknown>]>([
    ['a run', () => ({ ...run, script: '[1, undefined]' })],
    ['a path of the server, as a text', () => ({ ...run, script: 'read_file("notes.txt")', scope: { root: folder } })],
    [
      'an attachment by its path',
      () => ({
        ...run,
        script: 'read_file("attachments:a")',
        scope: { attachments: [{ name: 'a', path: join(folder, 'notes.txt') }] },
      }),
    ],
    ['a large result', () => ({ ...run, script: '"x".repeat(2000000)' })],
    ['a failing run', () => ({ ...run, script: 'throw new Error("no")' })],
    ['a path that it may not name', () => ({ ...run, scope: { root: '/etc' } })],
    ['a crash', () => ({ ...run, script: "'a'.repeat(500000000).length", engine: 'mustardscript' })],
  ])('gets answers that it knows: %s', async (_, params) => {
    const [hello, answer] = await askRaw(stage.server.url, 'mustard-sandbox.1', [
      ['initialize', initialize],
      ['sandbox/run', params()],
    ]);
    expect(problems(frozen.requests['initialize']?.result, hello?.['result'])).toEqual([]);
    if (answer?.['error'] === undefined) {
      expect(problems(frozen.requests['sandbox/run']?.result, answer?.['result'])).toEqual([]);
    } else {
      const { data } = answer['error'] as { data: { code: string } };
      expect(problems(frozen.errorData, data)).toEqual([]);
      // A client of that release refuses the codes that only a client can know.
      expect(['sidecar_crashed', 'sidecar_unavailable', 'quarantined', 'queue_full']).not.toContain(data.code);
    }
  });

  it('cannot send wrappers: its protocol has none', async () => {
    const scope = { attachments: [{ name: 'a', path: { path: '/a', size: 1, mtimeMs: 1, content: 'YQ==' } }] };
    const [, answer] = await askRaw(stage.server.url, 'mustard-sandbox.1', [
      ['initialize', initialize],
      ['sandbox/run', { ...run, scope }],
    ]);
    expect(answer).toMatchObject({ error: { data: { code: 'invalid_request' } } });
  });

  it('a client of another version of the protocol is told so', async () => {
    const [answer] = await askRaw(stage.server.url, 'mustard-sandbox.1', [
      ['initialize', { ...initialize, protocolVersion: 1 }],
    ]);
    expect(answer).toMatchObject({
      error: { data: { code: 'protocol_error', details: { clientVersion: 1, serverVersion: protocolVersion } } },
    });
  });

  it('one of the future, with features and fields that nobody knows yet, is served', async () => {
    const [hello] = await askRaw(stage.server.url, 'mustard-sandbox.1.remote', [
      ['initialize', { ...initialize, capabilities: ['telepathy'], ofTheFuture: true }],
    ]);
    expect(hello).toMatchObject({
      result: { protocolVersion, capabilities: expect.not.arrayContaining(['telepathy']) },
    });
  });
});

describe('the start of a short run', () => {
  const ask = async (capabilities: string[]) => {
    const [, answer] = await askRaw(stage.server.url, 'mustard-sandbox.1.remote', [
      ['initialize', { protocolVersion, client: { name: 'raw', version: '1' }, capabilities }],
      ['sandbox/run', { runId: '1', script: '1', scope: {} }],
    ]);
    return answer?.['result'];
  };

  it('comes with its result to a client that knows that, and by itself to one that does not', async () => {
    expect(await ask([])).not.toHaveProperty('sidecar');
    // A run may take longer on a busy machine; then its start has been told.
    await expect.poll(() => ask(['starts_in_results'])).toHaveProperty('sidecar');
  });
});

describe('an old server', () => {
  /** It knows the frozen protocol alone, and refuses whatever that does not know. */
  async function openOldServer(version = protocolVersion): Promise<{ url: string; wrong: unknown[] }> {
    const wrong: unknown[] = [];
    const server = createServer();
    const sockets = new WebSocketServer({ server, handleProtocols: () => 'mustard-sandbox.1' });
    sockets.on('connection', (socket) => {
      let rest = '';
      socket.on('message', (data: Buffer) => {
        rest += data.toString();
        for (let end = rest.indexOf('\r\n\r\n'); end >= 0; end = rest.indexOf('\r\n\r\n')) {
          const length = Number(/Content-Length: (\d+)/.exec(rest)?.[1]);
          if (rest.length < end + 4 + length) return;
          const message = JSON.parse(rest.slice(end + 4, end + 4 + length)) as Message;
          rest = rest.slice(end + 4 + length);
          const { id, method = '', params } = message;
          if (frozen.requests[method] === undefined) wrong.push(message);
          else wrong.push(...(problems(frozen.requests[method]?.params, params) as unknown[]));
          const { queueMs: _, ...answer } = result({ json: params });
          const results: Record<string, unknown> = {
            initialize: {
              protocolVersion: version,
              server: { name: 'old', version: '0.1.0' },
              pid: 1,
              engine: { name: 'mustardscript', available: true },
              limits: {},
              ceilings: {},
            },
            'sandbox/run': { ...answer, residentBytes: 1 },
            'sandbox/validate': { diagnostics: [] },
          };
          const body = JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} });
          socket.send(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
    });
    return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, wrong };
  }

  it('gets paths as texts, and nothing that it does not know', async () => {
    const { url, wrong } = await openOldServer();
    const sandbox = connectSandbox({ url, uploadDirectories: true });
    onTestFinished(() => sandbox.close());
    const path = join(folder, 'notes.txt');
    const { value, queueMs } = await sandbox.run({
      script: '1',
      scope: { root: folder, attachments: [{ name: 'a', path }] },
      hostFunctions: { f: () => 1 },
    });
    expect(value).toMatchObject({ scope: { root: folder, attachments: [{ name: 'a', path }] } });
    expect(queueMs).toBe(0);
    expect(await sandbox.validate('1')).toEqual([]);
    expect(await sandbox.warm()).toMatchObject({ available: true });
    expect(await sandbox.probe(path)).toBe('missing');
    expect(wrong).toEqual([]);
  });

  it('of another version of the protocol is told apart', async () => {
    const sandbox = connectSandbox({ url: (await openOldServer(1)).url });
    onTestFinished(() => sandbox.close());
    const { code, message } = await failure(sandbox.run({ script: '1' }));
    expect(code).toBe('protocol_error');
    expect(message).toContain(`speaks protocol version 1, this client version ${protocolVersion}.`);
  });
});

describe('a client in Python, which knows only docs/reference/protocol.md', () => {
  const python = ['python3', 'python'].find((command) => spawnSync(command, ['--version']).status === 0);

  it.skipIf(python === undefined)('does all that a sidecar does for it, over a WebSocket', async () => {
    const foreign = fileURLToPath(new URL('../foreign', import.meta.url));
    const scenario = fileURLToPath(new URL('remote_scenario.py', import.meta.url));
    const tokenFile = join(stage.folder, 'token');
    await writeFile(tokenFile, token);
    const { hostname, port } = new URL(stage.server.url);
    const { stdout } = await execa(python as string, ['-B', scenario, foreign, hostname, port, tokenFile, folder]);
    const report = JSON.parse(stdout) as Record<string, unknown>;
    expect(report).toMatchObject({
      handshake: { protocolVersion, server: { name: 'mustard-sandbox-server' }, engine: { available: true } },
      another_version: { code: 'protocol_error', details: { clientVersion: 99, serverVersion: protocolVersion } },
      run: { value: 42 },
      read_files: { value: 'notes.txt:hello', bytesRead: 5, refused: { code: 'capability_denied' } },
      console: [
        ['log', 'one 2'],
        ['error', '{ three: 3 }'],
      ],
      host_function: { calls: [['a1', [1, 2]]], value: 19 },
      failing_host_function: { caught: ['ValueError', 'no such thing'], uncaught: { code: 'script_error' } },
      validate: { good: [] },
      script_errors: { limit: { code: 'limit_exceeded' }, deadline: { code: 'timeout' } },
      cancel_at_a_call: { error: { code: 'cancelled' }, next: 2 },
    });
    const { sent, seen, back } = report['values'] as Record<'sent' | 'seen' | 'back', string[]>;
    expect(back).toEqual(seen);
    // Values leave a script as JSON has them, but for what is no finite number.
    expect(sent.filter((value, index) => value !== seen[index])).toEqual([
      '-0.0',
      '[1, hole, undefined]',
      "{'a': {'b': [-0.0]}}",
    ]);
  });
});

it('names no path of the server in any of this', async () => {
  const error = await failure(stage.connect().run({ script: '1', scope: { deny: ['['] } }));
  expect(JSON.stringify(error)).not.toContain(stage.folder);
});

describe('a server that lacks what a run names', () => {
  const has = ['sparse_runs', 'builtin:read_file', 'builtin:search', 'engine:quickjs'];
  const open = async (
    capabilities: string[],
  ): Promise<{ asked: Message[]; box: ReturnType<typeof connectSandbox> }> => {
    const asked: Message[] = [];
    const server = await openFakeServer({
      initialize: { capabilities },
      onRun: (message, send) => {
        asked.push(message);
        send({ id: message.id as number, result: result({ json: 'ran' }) });
      },
    });
    onTestFinished(() => server.close());
    const box = connectSandbox({ url: server.url });
    onTestFinished(() => box.close());
    return { asked, box };
  };

  it.each([
    [
      { scope: { builtins: ['search', 'query'] } },
      /^scope\.builtins: the server does not have query\. It has read_file, /,
    ],
    [{ engine: 'mustardscript' }, /^engine: the server does not have mustardscript\. It has quickjs\./],
  ] as const)('is not asked for it: %j', async (named, message) => {
    const { asked, box } = await open(has);
    const error = await failure(box.run({ script: '1', ...(named as object) }));
    expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(message) as string });
    expect(asked).toEqual([]);
  });

  it('is asked for what it has, for what nobody named, and for anything where it does not tell', async () => {
    const { box } = await open(has);
    await expect(box.run({ script: '1', scope: { builtins: ['search'] }, engine: 'quickjs' })).resolves.toMatchObject({
      value: 'ran',
    });
    await expect(box.run({ script: '1', scope: {} })).resolves.toMatchObject({ value: 'ran' });
    const old = await open(['sparse_runs']);
    await expect(old.box.run({ script: '1', scope: { builtins: ['query'] } })).resolves.toMatchObject({ value: 'ran' });
  });

  it('and an honest one tells all that it has', async () => {
    const [hello] = await askRaw(stage.server.url, 'mustard-sandbox.1.remote', [
      ['initialize', { protocolVersion, client: { name: 'raw', version: '1' } }],
    ]);
    const names = [...builtinNames.map((name) => `builtin:${name}`), 'engine:quickjs', 'engine:mustardscript'];
    expect(hello).toMatchObject({ result: { capabilities: expect.arrayContaining(names) as string[] } });
  });
});
