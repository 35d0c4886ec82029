import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { execa, type Options } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createConnection, protocolVersion, type Connection } from '@mustard-sandbox/protocol';

const main = createRequire(import.meta.url).resolve('@mustard-sandbox/daemon/main');
const byHand = (input: string | Uint8Array, args: string[] = []) =>
  execa(process.execPath, [main, ...args], { input, reject: false } satisfies Options);

describe('started by hand', () => {
  it.each([
    ['text', 'hello\n'],
    ['binary', new Uint8Array([0, 255, 1, 2])],
    ['a lying length', 'Content-Length: 99999999999\r\n\r\n'],
    ['JSON without framing', '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'],
  ])('with %s on stdin it ends with an error on stderr and nothing on stdout', async (_, input) => {
    const { exitCode, stdout, stderr } = await byHand(input);
    expect({ exitCode, stdout }).toEqual({ exitCode: 76, stdout: '' });
    expect(stderr).toMatch(/^mustard-sandbox-daemon: .*(Content-Length|exceeds the cap)/);
  });

  it('with an empty stdin it ends quietly', async () => {
    expect(await byHand('')).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('with arguments it says what it is', async () => {
    const { exitCode, stderr } = await byHand('', ['--help']);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('JSON-RPC 2.0') as string,
    });
    expect((await byHand('', ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

function connect(): Connection {
  const daemon = execa(process.execPath, [main], { buffer: false, reject: false });
  const connection = createConnection(daemon.stdout, daemon.stdin);
  connection.listen();
  onTestFinished(async () => {
    connection.notify('exit', {});
    const { exitCode } = await daemon;
    connection.dispose();
    expect(exitCode).toBe(0);
  });
  return connection;
}

const hello = { protocolVersion, client: { name: 'test', version: '1' } };
const run = { runId: '1', script: '1 + 1', scope: {}, limits: {} };

describe('the protocol', () => {
  const frame = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

  it('takes a request without params, and answers what came before the end of input', async () => {
    const ping = frame('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    const other = frame(
      JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'initialize', params: { protocolVersion: 99 } }),
    );
    const { stdout, exitCode } = await byHand(ping + other);
    expect(stdout).toContain('{"jsonrpc":"2.0","id":1,"result":{}}');
    expect(stdout).toMatch(/version 99.*version 2/);
    expect(exitCode).toBe(0);
  });

  it('begins with initialize, once', async () => {
    const daemon = connect();
    await expect(daemon.request('sandbox/run', run)).rejects.toMatchObject({ code: 'protocol_error' });
    const { engine, limits, ceilings } = await daemon.request('initialize', hello);
    expect(engine).toMatchObject({ name: 'mustardscript', version: '0.3.0', available: true });
    expect(limits['timeoutMs']).toBe(2_000);
    expect(ceilings['timeoutMs']).toBe(3_600_000);
    await expect(daemon.request('initialize', hello)).rejects.toMatchObject({ code: 'protocol_error' });
    await expect(daemon.request('sandbox/run', run)).resolves.toMatchObject({ value: { json: 2 } });
  });

  it('answers a run before the next one begins, which may have come together with it', async () => {
    const daemon = connect();
    const order: string[] = [];
    daemon.onNotification('sandbox/console', ({ runId, text }) => order.push(`${runId} writes ${text}`));
    await daemon.request('initialize', hello);
    const runs = ['1', '2', '3', '4'].map(async (runId, index) => {
      const engine = index % 2 === 0 ? ('quickjs' as const) : ('mustardscript' as const);
      await daemon.request('sandbox/run', { runId, script: 'console.log("hi"); 1', engine });
      order.push(`${runId} is answered`);
    });
    await Promise.all(runs);
    expect(order).toEqual(['1', '2', '3', '4'].flatMap((id) => [`${id} writes hi`, `${id} is answered`]));
  });

  it('refuses scopes outside the roots by itself, whatever the client let through', async () => {
    const daemon = connect();
    const root = realpathSync('docs');
    await daemon.request('initialize', { ...hello, roots: [root] });
    const attachment = (path: string): object => ({ attachments: [{ name: 'a', path }] });
    for (const scope of [{ root: dirname(root) }, attachment(resolve('README.md')), { root: `${root}/../test` }]) {
      await expect(daemon.request('sandbox/run', { ...run, scope })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(/outside the roots/) as string,
      });
    }
    const inside = [{ root }, attachment(resolve('docs/architecture.md'))];
    for (const scope of inside) await expect(daemon.request('sandbox/run', { ...run, scope })).resolves.toBeDefined();
  });

  it('of another version is refused, naming both', async () => {
    const answer = connect().request('initialize', { ...hello, protocolVersion: 7 });
    await expect(answer).rejects.toThrow(/version 7.*version 2/);
  });

  it('runs one script at a time: another waits', async () => {
    const daemon = connect();
    const ended: string[] = [];
    let second: Promise<unknown> | undefined;
    daemon.onRequest('sandbox/callHostFunction', async () => {
      // Asked while the first run waits for this very answer.
      second = daemon.request('sandbox/run', { ...run, runId: '2' }).then(() => ended.push('second'));
      return { value: { json: 'first' } };
    });
    await daemon.request('initialize', hello);
    const { value } = await daemon.request('sandbox/run', { ...run, script: 'ask()', hostFunctions: ['ask'] });
    expect(value).toEqual({ json: 'first' });
    ended.push('first');
    await second;
    expect(ended).toEqual(['first', 'second']);
  });

  it('after shutdown runs nothing', async () => {
    const daemon = connect();
    await daemon.request('initialize', hello);
    await daemon.request('shutdown', {});
    await expect(daemon.request('sandbox/run', run)).rejects.toMatchObject({ code: 'closed' });
  });

  it('answers ping', async () => {
    await expect(connect().request('ping', {})).resolves.toEqual({});
  });
});
