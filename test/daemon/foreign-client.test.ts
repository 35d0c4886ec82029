import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { protocolVersion } from '@mustard-sandbox/protocol';

const main = createRequire(import.meta.url).resolve('@mustard-sandbox/daemon/main');

interface Answer {
  id: unknown;
  result?: { value?: unknown };
  error?: { code: number; message: string; data: { code: string; details?: object } };
}

const daemons: ChildProcess[] = [];
afterAll(() => {
  for (const daemon of daemons) daemon.kill('SIGKILL');
});

/** A client that writes whatever it likes, and what the daemon says to it. */
function foreignClient(): {
  write(...messages: (object | string)[]): void;
  answers: Answer[];
  stderr(): string;
  ended: Promise<{ exitCode: number | null; stderr: string; answers: Answer[] }>;
} {
  const daemon = spawn(process.execPath, [main]);
  daemons.push(daemon);
  const answers: Answer[] = [];
  let out = '';
  let stderr = '';
  daemon.stdout.setEncoding('latin1').on('data', (text: string) => {
    out += text;
    // Nothing but frames.
    for (let match; (match = /^Content-Length: (\d+)\r\n\r\n/.exec(out)) !== null;) {
      const end = match[0].length + Number(match[1]);
      if (out.length < end) return;
      answers.push(JSON.parse(out.slice(match[0].length, end)) as Answer);
      out = out.slice(end);
    }
  });
  daemon.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(daemon, 'close').then(([exitCode]) => {
    expect(out).toBe('');
    return { exitCode: exitCode as number | null, stderr, answers };
  });
  return {
    answers,
    stderr: () => stderr,
    ended,
    write(...messages) {
      for (const message of messages) {
        const body = typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message });
        daemon.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      }
    },
  };
}

const initialize = { id: 'i', method: 'initialize', params: { protocolVersion, client: { name: 'x', version: '1' } } };
const params = { runId: '1', script: '1 + 1', scope: {}, limits: {} };
const run = (more: object): object => ({ id: 'r', method: 'sandbox/run', params: { ...params, ...more } });
const exit = { method: 'exit' };
const secondRun = { id: 'again', method: 'sandbox/run', params };
const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('a run with', () => {
  // One daemon for all of them: it goes on after each.
  let client: ReturnType<typeof foreignClient>;
  beforeAll(() => {
    client = foreignClient();
    client.write(initialize);
  });
  let sent = 0;

  it.each<[string, object, string, RegExp]>([
    ['an unknown field', run({ extra: 1 }), 'invalid_request', /^sandbox\/run: unknown option 'extra'$/],
    ['an unknown field of its scope', run({ scope: { write: 1 } }), 'invalid_request', /'scope.write'/],
    ['a name that would draw', run({ '\u202e\u001b[2J': 1 }), 'invalid_request', /'\\u\{202e\}\\u\{1b\}\[2J'/],
    ['ten thousand unknown fields', run(numbered(10_000)), 'invalid_request', /^.{50,3000}$/],
    ['wrong types', run({ script: 1, limits: null }), 'invalid_request', /script: .*; limits: /],
    ['no params', { id: 'r', method: 'sandbox/run' }, 'invalid_request', /runId/],
    [
      'inputs with an unknown tag',
      run({ inputs: { tagged: { a: { $: 'Date' } } } }),
      'invalid_request',
      /tag that is not/,
    ],
    ['inputs that are a tag', run({ inputs: { tagged: { $: 'NaN' } } }), 'invalid_request', /without entries/],
    ['a tag with more', run({ inputs: { tagged: { a: { $: 'NaN', b: 1 } } } }), 'invalid_request', /more beside it/],
    ['a hole in an object', run({ inputs: { tagged: { a: { $: 'hole' } } } }), 'invalid_request', /tag that is not/],
    ['entries that are none', run({ inputs: tagged({ entries: 5 }) }), 'invalid_request', /without entries/],
    ['an entry that is no pair', run({ inputs: tagged({ entries: [['a']] }) }), 'invalid_request', /not a pair/],
    ['a name twice', run({ inputs: { tagged: twice('a') } }), 'invalid_request', /two of them have the same name/],
    ['a name of the language', run({ inputs: { json: { Object: 1 } } }), 'invalid_request', /'Object' is taken/],
    [
      'a name that is a prototype',
      run({ inputs: { json: JSON.parse('{"__proto__":1}') } }),
      'invalid_request',
      /not an identifier/,
    ],
    [
      'a name of a megabyte',
      run({ inputs: { json: { [`-${'x'.repeat(1e6)}`]: 1 } } }),
      'invalid_request',
      /^.{50,400}$/,
    ],
    ['a root that is no path', run({ scope: { root: '/a\0b' } }), 'invalid_request', /scope.root is not there/],
    ['a capability that is built in', run({ hostFunctions: ['read_file'] }), 'invalid_request', /built in/],
    [
      'an unknown method',
      { id: 'r', method: 'sandbox/exec', params: {} },
      'protocol_error',
      /^Unknown method "sandbox\/exec"\.$/,
    ],
    [
      'a method of the other side',
      { id: 'r', method: 'sandbox/callHostFunction', params },
      'protocol_error',
      /Unknown method/,
    ],
  ])('%s is refused, and the next is served', async (_what, request, code, message) => {
    const [first, second] = [`r${++sent}`, `again${sent}`];
    client.write({ ...request, id: first }, { ...secondRun, id: second });
    const answerTo = (id: string): Answer | undefined => client.answers.find((answer) => answer.id === id);
    await expect.poll(() => answerTo(first) && answerTo(second), { interval: 5 }).toBeDefined();
    expect(answerTo(first)?.error?.data.code).toBe(code);
    expect(answerTo(first)?.error?.message).toMatch(message);
    expect(answerTo(second)?.result).toMatchObject({ value: { json: 2 } });
  });

  it('any of these leaves a daemon that ends well and has said nothing on stderr', async () => {
    client.write(exit);
    const { exitCode, stderr, answers } = await client.ended;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(answers).toHaveLength(1 + 2 * sent);
  });

  it('inputs that JSON writes as something else arrive', async () => {
    const other = foreignClient();
    const text = JSON.stringify({
      jsonrpc: '2.0',
      ...run({ script: '[String(a), String(b), c.length, d]', inputs: 5 }),
    });
    const inputs = '{"json":{"a":1e999,"b":-1e999,"c":"\\ud800","d":{"__proto__":{"x":1}}}}';
    other.write(initialize, text.replace('"inputs":5', `"inputs":${inputs}`), exit);
    const { answers } = await other.ended;
    const value = JSON.parse('["Infinity","-Infinity",1,{"__proto__":{"x":1}}]') as unknown;
    expect(answers.find(({ id }) => id === 'r')?.result?.value).toEqual({ json: value });
  });
});

describe('a message that breaks the protocol ends the daemon with its exit code:', () => {
  it.each<[string, object | string, RegExp]>([
    ['a list', '[{"jsonrpc":"2.0"}]', /not a JSON object/],
    ['no version', '{"id":1,"method":"ping"}', /not JSON-RPC 2.0/],
    ['an unknown field', { id: 1, method: 'ping', auth: 1 }, /unknown field "auth"/],
    ['positional params', { id: 1, method: 'ping', params: [1] }, /params that are not an object/],
    ['an id that is a list', { id: [1], method: 'ping' }, /an id that is neither/],
    ['an id that is null', { id: null, method: 'ping' }, /an id that is neither/],
    [
      'an unknown notification',
      { method: 'sandbox/\u2028\u0007' },
      /Unknown notification "sandbox\/\\u\{2028\}\\u\{7\}"/,
    ],
    ['an answer nobody waits for', { id: 1, result: {} }, /answers no request/],
    ['a nesting of 10,000 levels', { method: 'exit', params: { x: 'DEEP' } }, /nests deeper/],
    ['two requests with one id', '', /id of a request that is still open/],
  ])('%s', async (what, message, stderrPattern) => {
    const client = foreignClient();
    if (what.startsWith('two'))
      client.write(initialize, { ...run({ script: 'ask()', hostFunctions: ['ask'] }) }, run({}));
    else
      client.write(
        typeof message === 'string'
          ? message
          : JSON.stringify({ jsonrpc: '2.0', ...message }).replace('"DEEP"', deep(10_000)),
      );
    const { exitCode, stderr } = await client.ended;
    expect(exitCode).toBe(76);
    expect(stderr).toMatch(stderrPattern);
    // One line of plain text, and no stack.
    expect(stderr).toMatch(/^mustard-sandbox-daemon: [\x20-\x7e…]*\n$/);
  });

  it('a host call answered with a malformed value fails the run; one with a broken message ends it', async () => {
    for (const [answer, ends] of [
      [{ result: { value: { tagged: { $: 'x' } } } }, false],
      [{ result: { value: 1 } }, true],
      [{ error: { code: 1007, message: 'x', data: { code: 'capability_denied', stack: 1 } } }, true],
    ] as const) {
      const client = foreignClient();
      client.write(initialize, run({ script: 'ask()', hostFunctions: ['ask'] }));
      await expect.poll(() => client.answers.find((message) => 'method' in message)).toBeDefined();
      client.write(
        { id: client.answers.find((message) => 'method' in message)?.id, ...answer },
        { ...secondRun },
        exit,
      );
      const { exitCode, answers } = await client.ended;
      expect(exitCode).toBe(ends ? 76 : 0);
      if (!ends) expect(answers.find(({ id }) => id === 'r')?.error?.data.code).toBe('protocol_error');
    }
  });
});

it('a log line holds nothing that a terminal would act on, and no name of the host', async () => {
  const client = foreignClient();
  const name = 'evil\n\u001b[31m\u2028\u202e\u0085';
  const hello = { protocolVersion, client: { name, version: '1' }, logLevel: 'debug' };
  client.write({ id: 1, method: 'initialize', params: hello });
  await expect.poll(() => client.answers.length).toBe(1);
  // The line is written once the logger is loaded.
  await expect.poll(() => client.stderr()).toContain('\n');
  client.write(exit);
  const { stderr } = await client.ended;
  expect(stderr).toMatch(/^\{[\x20-\x7e]*evil[\x20-\x7e]*\}\n$/);
  expect(Object.keys(JSON.parse(stderr) as object).toSorted()).toEqual(['level', 'msg', 'name', 'pid', 'time']);
});

function numbered(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, 1]));
}

function tagged(more: object): object {
  return { tagged: { a: { $: 'object', ...more } } };
}

function twice(name: string): object {
  return {
    $: 'object',
    entries: [
      [name, 1],
      [name, 2],
    ],
  };
}
