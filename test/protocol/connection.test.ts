import { PassThrough } from 'node:stream';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createConnection,
  errorNumbers,
  isWireCode,
  protocolVersion,
  SandboxError,
  type Connection,
  type ErrorCode,
} from '@mustard-sandbox/protocol';

function pair(): { client: Connection; server: Connection; toServer: PassThrough; toClient: PassThrough } {
  const toServer = new PassThrough();
  const toClient = new PassThrough();
  const client = createConnection(toClient, toServer);
  const server = createConnection(toServer, toClient);
  onTestFinished(() => {
    client.dispose();
    server.dispose();
  });
  client.listen();
  server.listen();
  return { client, server, toServer, toClient };
}

const frame = (message: object): string => {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};

const initializeParams = { protocolVersion, client: { name: 'test', version: '1' } };

describe('a request', () => {
  it('carries every error code of the wire with message and details', async () => {
    const { client, server } = pair();
    let next: SandboxError;
    server.onRequest('ping', () => {
      throw next;
    });
    for (const code of (Object.keys(errorNumbers) as ErrorCode[]).filter(isWireCode)) {
      next = new SandboxError(code, `about ${code}`, { details: { limit: 'engine', value: 3 } });
      await expect(client.request('ping', {})).rejects.toMatchObject({
        code,
        message: `about ${code}`,
        details: { limit: 'engine', value: 3 },
      });
    }
  });

  it('with an unknown field or a wrong type is refused by name', async () => {
    const { client, server } = pair();
    server.onRequest('sandbox/validate', () => ({ diagnostics: [] }));
    const send = (params: object): Promise<unknown> => client.request('sandbox/validate', params as { script: string });
    await expect(send({ script: '1', scrpt: 2 })).rejects.toMatchObject({
      code: 'invalid_request',
      message: "sandbox/validate: unknown option 'scrpt'",
    });
    await expect(send({ script: 5 })).rejects.toThrow(/script: Invalid input: expected string, received number/);
  });

  it('for an unknown method is a protocol error', async () => {
    const { client } = pair();
    await expect(client.request('sandbox/nope' as 'ping', {})).rejects.toMatchObject({ code: 'protocol_error' });
  });

  it('hides what an unexpected exception holds beyond its message, and the paths in that', async () => {
    const { client, server } = pair();
    server.onRequest('ping', () => {
      throw new TypeError("boom in '/home/jo doe/x.js' and /opt/y.js:3");
    });
    const error = (await client.request('ping', {}).catch((reason: unknown) => reason)) as SandboxError;
    const message = "Unexpected: boom in '<path>' and <path>:3";
    expect(error.toJSON()).toEqual({ code: 'protocol_error', message, details: {} });
  });

  it('of another protocol version is refused with both versions named, whatever else it holds', async () => {
    const { client, server } = pair();
    server.onRequest('initialize', () => {
      throw new Error('not reached');
    });
    const params = { ...initializeParams, protocolVersion: 99, somethingNew: true };
    await expect(client.request('initialize', params)).rejects.toMatchObject({
      code: 'protocol_error',
      message: expect.stringMatching(new RegExp(`version 99.*version ${protocolVersion}`)) as string,
      details: { clientVersion: 99, serverVersion: protocolVersion },
    });
  });

  it('is aborted on the other side by a signal', async () => {
    const { client, server } = pair();
    const controller = new AbortController();
    server.onRequest('ping', (_, signal) => {
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new SandboxError('cancelled', 'stopped')));
        controller.abort();
      });
    });
    const answer = client.request('ping', {}, controller.signal);
    await expect(answer).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('that is aborted before it is handled finds its signal aborted', async () => {
    const { client, server } = pair();
    const seen = vi.fn();
    server.onRequest('ping', (_, signal) => {
      seen(signal.aborted);
      return {};
    });
    const controller = new AbortController();
    const answer = client.request('ping', {}, controller.signal);
    controller.abort();
    await answer;
    expect(seen).toHaveBeenCalledWith(true);
  });

  it('whose answer is too large for a frame is answered with that', async () => {
    const toServer = new PassThrough();
    const toClient = new PassThrough();
    const client = createConnection(toClient, toServer);
    const server = createConnection(toServer, toClient, 500);
    onTestFinished(() => [client, server].forEach((connection) => connection.dispose()));
    client.listen();
    server.listen();
    const message = 'x'.repeat(1000);
    server.onRequest('sandbox/validate', () => ({ diagnostics: [{ code: 'parse_error', message }] }));
    await expect(client.request('sandbox/validate', { script: '1' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/exceeds the cap of 500/) as string,
    });
  });

  it('that came before another message is answered before that is handled', async () => {
    const { server, toServer, toClient } = pair();
    const log: string[] = [];
    toClient.on('data', (bytes: Buffer) => log.push(/"id":\d/.exec(bytes.toString())?.[0] ?? ''));
    server.onRequest('shutdown', async () => {
      await Promise.resolve();
      return {};
    });
    server.onNotification('exit', () => log.push('exit'));
    toServer.write(
      frame({ id: 1, method: 'shutdown' }) + frame({ id: 2, method: 'shutdown' }) + frame({ method: 'exit' }),
    );
    await vi.waitFor(() => expect(log).toEqual(['"id":1', '"id":2', 'exit']));
  });

  it('may be aborted after the streams have ended', async () => {
    const { client, server, toClient } = pair();
    server.onRequest('ping', () => new Promise(() => {}));
    const controller = new AbortController();
    const closed = vi.fn();
    client.onClose(closed);
    const answer = client.request('ping', {}, controller.signal);
    toClient.end();
    await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(1));
    // An error in a listener of an AbortSignal is an uncaught exception, which would fail this file.
    controller.abort();
    client.notify('exit', {});
    await expect(client.request('ping', {})).rejects.toMatchObject({ code: 'protocol_error' });
    client.dispose();
    await expect(answer).rejects.toBeInstanceOf(SandboxError);
  });

  it('that is too large for a frame is never sent', async () => {
    const toServer = new PassThrough();
    const client = createConnection(new PassThrough(), toServer, 500);
    onTestFinished(() => client.dispose());
    client.listen();
    await expect(client.request('sandbox/validate', { script: 'x'.repeat(1000) })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/exceeds the cap of 500/) as string,
    });
    expect(toServer.readableLength).toBe(0);
  });

  it('that is pending settles when the connection is disposed', async () => {
    const { client, server } = pair();
    server.onRequest('ping', () => new Promise(() => {}));
    const answer = client.request('ping', {});
    client.dispose();
    await expect(answer).rejects.toBeInstanceOf(SandboxError);
  });
});

describe('a violation', () => {
  it('is an answer out of shape, which also fails the request', async () => {
    const toClient = new PassThrough();
    const client = createConnection(toClient, new PassThrough());
    onTestFinished(() => client.dispose());
    client.listen();
    const violations: SandboxError[] = [];
    client.onViolation((error) => violations.push(error));
    const answer = client.request('sandbox/validate', { script: '1' });
    toClient.write(frame({ id: 0, result: { diagnostics: 'none' } }));
    await expect(answer).rejects.toMatchObject({ code: 'protocol_error' });
    expect(violations).toHaveLength(1);
  });

  it.each([
    ['noise', 'debug output\n'],
    ['an unknown notification', frame({ method: 'sandbox/surprise', params: {} })],
    [
      'a notification out of shape',
      frame({ method: 'sandbox/console', params: { runId: '1', level: 'shout', text: 'x' } }),
    ],
  ])('is %s', async (_, bytes) => {
    const { client, toClient } = pair();
    const violated = vi.fn();
    client.onViolation(violated);
    client.onNotification('sandbox/console', () => {});
    toClient.write(bytes);
    await vi.waitFor(() => expect(violated).toHaveBeenCalledWith(expect.objectContaining({ code: 'protocol_error' })));
  });
});

describe('nothing more is handled', () => {
  const requests = (ids: number[]): string => ids.map((id) => frame({ id, method: 'ping' })).join('');

  it.each([
    ['a request before a violation in the same bytes, nor one after it', requests([1]) + '\n', [2]],
    [
      'a request after a notification that breaks the rules',
      frame({ method: 'sandbox/surprise' }) + requests([1]),
      [2],
    ],
  ])('%s', async (_, bytes, later) => {
    const { server, toServer } = pair();
    const handled = vi.fn(() => ({}));
    const violated = vi.fn();
    server.onRequest('ping', handled);
    server.onViolation(violated);
    toServer.write(bytes);
    await vi.waitFor(() => expect(violated).toHaveBeenCalledTimes(1));
    toServer.write(requests(later));
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(handled).not.toHaveBeenCalled();
  });

  it('after dispose(), though it had arrived', async () => {
    const { server, toServer } = pair();
    const handled = vi.fn(() => {
      server.dispose();
      return {};
    });
    server.onRequest('ping', handled);
    toServer.write(requests(Array.from({ length: 80 }, (_, id) => id)));
    await vi.waitFor(() => expect(handled).toHaveBeenCalled());
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(handled).toHaveBeenCalledTimes(1);
  });
});

it('importing ./protocol loads no addon', async () => {
  const program = `
    await import('@mustard-sandbox/protocol');
    console.log(JSON.stringify(process.report.getReport().sharedObjects.filter((path) => path.endsWith('.node'))));
  `;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', program]);
  expect(JSON.parse(stdout)).toEqual([]);
});
