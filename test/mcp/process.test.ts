import { describe, expect, it, vi } from 'vitest';
import { cliInProcess } from '../cli/in-process.ts';
import { RawProcess } from './raw-server.ts';
import { attachmentsOf, childrenOf, connect, isLinux, isPosix, isRunning, makeFolder } from './support.ts';

const always = ['--consent', 'always'];

const long = [...always, '--timeout', '10s'];

/** Its children, once there are some: it tells progress by the clock, on a busy machine before it has started one. */
async function sidecarsOf({ pid }: RawProcess): Promise<number[]> {
  return await vi.waitFor(() => {
    const children = childrenOf(pid);
    expect(children).not.toEqual([]);
    return children;
  });
}

describe('a client that goes away', () => {
  it('ends the server at once, also before it has said anything', async () => {
    const server = new RawProcess(always);
    server.process.stdin.end();
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect({ stdout: server.stdout, stderr: server.stderr }).toEqual({ stdout: '', stderr: '' });
  });

  // Children are listed by /proc, which only Linux has.
  it.skipIf(!isLinux)('in the middle of a run ends the server and its sidecars', async () => {
    const server = new RawProcess(long);
    await server.initialize();
    await server.runForLong(1);
    const sidecars = await sidecarsOf(server);
    server.process.stdin.end();
    expect(await server.ended).toEqual({ code: 0, signal: null });
    await vi.waitFor(() => expect(sidecars.filter(isRunning)).toEqual([]));
    expect(server.stderr).toBe('');
    expect(server.messages().some(({ id }) => id === 1)).toBe(false);
  });

  it.skipIf(!isLinux)('without reading the answers ends it too', async () => {
    const server = new RawProcess(long);
    await server.initialize();
    await server.runForLong(1);
    const sidecars = await sidecarsOf(server);
    server.process.stdout.destroy();
    server.request(2, 'tools/list');
    expect((await server.ended).signal).toBeNull();
    await vi.waitFor(() => expect(sidecars.filter(isRunning)).toEqual([]));
  });

  // Windows has no signals to send.
  it.skipIf(!isPosix).each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('or %s, in a run, ends it', async (signal) => {
    const server = new RawProcess(long);
    await server.initialize();
    await server.runForLong(1);
    const sidecars = isLinux ? await sidecarsOf(server) : [];
    server.process.kill(signal);
    expect(await server.ended).toEqual({ code: 0, signal: null });
    await vi.waitFor(() => expect(sidecars.filter(isRunning)).toEqual([]));
  });
});

describe('what is no message', () => {
  it('is passed over, and never answered on stdout with anything else', async () => {
    const server = new RawProcess(always);
    for (const line of ['hello', '', '{', '[]', 'null', '{"jsonrpc":"1.0"}', '\u0000\u001b[31m', '{"id":{}}']) {
      server.send(line);
    }
    await server.initialize();
    for (const line of ['GET / HTTP/1.1', '[1, 2]', '{"jsonrpc":"2.0","id":{},"method":5}']) server.send(line);
    server.request(1, 'tools/list');
    server.request(2, 'no/such/method');
    expect((await server.answer(1)).result).toHaveProperty('tools');
    expect((await server.answer(2)).error?.code).toBe(-32601);
    expect(new Set(server.messages().map(({ id }) => id))).toEqual(new Set([0, 1, 2]));
    expect(server.messages()).toHaveLength(3);
    expect(server.stderr).not.toContain('\u001b');
  });

  it('does not fill the memory: of a message without an end nothing is kept', async () => {
    const server = new RawProcess(always);
    const part = 'x'.repeat(1024 * 1024);
    for (let count = 0; count < 40; count++) server.process.stdin.write(part);
    server.send('');
    await server.initialize();
    expect(server.stderr).toContain('mcp: A message was left out: A message may have at most 16777216 bytes.');
  });
});

it('two servers work on one root, and each sees what the other puts out', async () => {
  const root = makeFolder({ 'a.txt': 'a' });
  const servers = await Promise.all([
    connect(['--root', root, ...always], { asProcess: true }),
    connect(['--root', root, ...always], { asProcess: true }),
  ]);
  const answers = await Promise.all(servers.map(({ run }, index) => run(`'${index}'.repeat(100000)`)));
  const outputs = answers.map(({ structuredContent }) => String(structuredContent['fullOutput']));
  expect(new Set(outputs).size).toBe(2);
  for (const { client, run } of servers) {
    expect(await attachmentsOf(client)).toHaveLength(2);
    const script = `[${outputs.map((output) => `read_file('${output}', { length: 1 })`).join()}]`;
    expect((await run(script)).structuredContent.value).toEqual(['0', '1']);
  }
});

describe('a start that cannot work', () => {
  it.each([
    [['--root', 'nowhere'], /--root: there is no folder 'nowhere'/],
    [['--root', 'file.txt'], /--root: 'file.txt' is not a folder/],
    [['--attach', 'nowhere.log'], /--attach: there is no file 'nowhere.log'/],
    [['--consent', 'maybe'], /'maybe' is invalid. Allowed choices are ask, always, never/],
    [['--timeout', '2h'], /--timeout: 2h is out of range. It can be from 1ms to 3600s/],
    [['--media-dir', '../out'], /mediaDir "..\/out" must be a path relative to appPath/],
    [['--json'], /Unknown option '--json'/],
    [['now'], /Too many arguments for 'mcp'/],
  ])('%j exits with 2, and says why on stderr alone', async (args, message) => {
    const cwd = makeFolder({ 'file.txt': '' });
    const { exitCode, stdout, stderr } = await cliInProcess(['mcp', ...args], { cwd });
    expect(exitCode).toBe(2);
    expect(args.includes('--json') ? stdout : stderr).toMatch(message);
    if (!args.includes('--json')) expect(stdout).toBe('');
  });

  it('ends the process', async () => {
    const server = new RawProcess(['--root', 'nowhere']);
    expect(await server.ended).toEqual({ code: 2, signal: null });
  });
});

it('a root in which nothing can be stored serves scripts all the same, and keeps outputs elsewhere', async () => {
  const root = makeFolder({ 'a.txt': 'a', '.dyad': 'a file where the folder would be' });
  const { run, stderr, logs } = await connect(['--root', root, ...always], { asProcess: true });
  const { structuredContent } = await run(`read_file('a.txt').repeat(100000)`);
  expect(structuredContent).toMatchObject({ status: 'completed', truncated: true });
  const next = await run(`file_stats('${String(structuredContent['fullOutput'])}').size`);
  expect(next.structuredContent.value).toBe(100_000);
  expect(stderr()).toBe('');
  const told = {
    level: 'warning',
    data: { message: expect.stringMatching(/^Stored attachments cannot be listed: .+\.dyad/) },
  };
  await vi.waitFor(() => expect(logs).toContainEqual(expect.objectContaining(told)));
});
