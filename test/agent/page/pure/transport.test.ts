import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { takeAddress } from '../../../../packages/desktop-agent/src/page/address.ts';
import { SocketTransport } from '../../../../packages/desktop-agent/src/page/transport.ts';
import { originOf, startAgent, tempFolder, tokenOf } from '../../support.ts';

const sockets: WebSocket[] = [];

/** That of a page: it says where the page is from. Node 20 has none. */
class PageSocket extends WebSocket {
  constructor(url: string) {
    super(url, { origin: url.replace(/^ws/, 'http').replace(/\/socket$/, '') });
    sockets.push(this);
  }
}

beforeAll(() => void vi.stubGlobal('WebSocket', PageSocket));
afterAll(() => void vi.unstubAllGlobals());

function connect(
  program: { url: string },
  credentials = { token: tokenOf(program) } as { token: string } | { ticket: string },
) {
  const onToken = vi.fn<(token: string) => void>();
  const transport = new SocketTransport({ origin: originOf(program), credentials, onToken });
  onTestFinished(() => transport.close());
  const states: boolean[] = [];
  transport.onConnection((connected) => void states.push(connected));
  return { transport, states, onToken };
}

test('what is asked before there is a connection is answered once there is one', async () => {
  const program = await startAgent();
  const { transport, states } = connect(program);
  expect(await transport.invoke('list-apps', {})).toEqual([]);
  expect(states).toEqual([false, true]);
});

test('errors keep their code, and names that are not on the list throw', async () => {
  const { transport } = connect(await startAgent());
  await expect(transport.invoke('get-app', { appId: 'none' })).rejects.toMatchObject({
    name: 'AgentError',
    code: 'not_found',
  });
  await expect(transport.invoke('get-app', { appId: '' })).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(transport.invoke('toString' as 'list-apps', {})).rejects.toMatchObject({ code: 'unknown_channel' });
  expect(() => transport.on('toString' as 'notice', () => {})).toThrow('no event');
});

test('two pages hear the same, until they listen no more', async () => {
  const program = await startAgent();
  const [one, two] = [connect(program), connect(program)];
  const heard = [vi.fn<(data: unknown) => void>(), vi.fn<(data: unknown) => void>()] as const;
  const stop = one.transport.on('app:changed', heard[0]);
  two.transport.on('app:changed', heard[1]);
  await two.transport.invoke('list-apps', {});
  await one.transport.invoke('add-app', { path: await tempFolder() });
  await vi.waitUntil(() => heard[1].mock.calls.length === 1);
  expect(heard[0]).toHaveBeenCalledTimes(1);
  stop();
  await one.transport.invoke('add-app', { path: await tempFolder() });
  await vi.waitUntil(() => heard[1].mock.calls.length === 2);
  expect(heard[0]).toHaveBeenCalledTimes(1);
});

test('a connection that breaks rejects what waits, and comes back by itself', async () => {
  const { transport, states } = connect(await startAgent());
  await transport.invoke('list-apps', {});
  const waiting = transport.invoke('list-apps', {});
  sockets.at(-1)?.terminate();
  await expect(waiting).rejects.toMatchObject({ code: 'disconnected' });
  expect(await transport.invoke('list-apps', {})).toEqual([]);
  expect(states).toEqual([false, true, false, true]);
});

test('a ticket becomes the token, which opens the connection again', async () => {
  const program = await startAgent();
  const ticket = new URLSearchParams(new URL(program.makeTicketUrl()).hash.slice(1)).get('ticket') ?? '';
  const { transport, onToken } = connect(program, { ticket });
  await transport.invoke('list-apps', {});
  expect(onToken).toHaveBeenCalledWith(tokenOf(program));
  sockets.at(-1)?.terminate();
  expect(await transport.invoke('list-apps', {})).toEqual([]);
});

test('a wrong token ends it with a reason, and it does not try again', async () => {
  const program = await startAgent();
  const { transport } = connect(program, { token: 'of yesterday' });
  await expect(transport.invoke('list-apps', {})).rejects.toMatchObject({ code: 'denied' });
  const opened = sockets.length;
  await expect(transport.invoke('list-apps', {})).rejects.toMatchObject({ code: 'denied' });
  expect(sockets).toHaveLength(opened);
});

test('the address gives token and app once, and a page that is loaded again has the token of its tab', () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
  };
  const replaced: unknown[] = [];
  const history = { replaceState: (...args: unknown[]) => replaced.push(args[2]) };
  const take = (hash: string) =>
    takeAddress({ hash, pathname: '/' } as Location, history as unknown as History, storage as unknown as Storage);
  expect(take('#token=abc&app=x')).toEqual({ credentials: { token: 'abc' }, app: 'x' });
  expect(replaced).toEqual(['/']);
  expect(take('#ticket=t')).toEqual({ credentials: { ticket: 't' }, app: undefined });
  kept.set('mustard-agent-token', 'kept');
  expect(take('')).toEqual({ credentials: { token: 'kept' }, app: undefined });
});
