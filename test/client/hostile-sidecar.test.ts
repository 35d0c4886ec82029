import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stats } from '../fixtures/fake-stats.mjs';
import { failureOf, fake, fakeDaemon, gone, pidOf, saying } from './support.ts';

const result = { value: { json: 'right' }, ...stats };
const answer = { id: '$id', result };
const call = (fields: object = {}, id: unknown = 1): object => ({
  id,
  method: 'sandbox/callHostFunction',
  params: { runId: '$runId', name: 'ask', args: { json: [] }, executionMs: 0, ...fields },
});
const line = (fields: object = {}): object => ({
  method: 'sandbox/console',
  params: { runId: '$runId', level: 'log', text: 'x', ...fields },
});
const spent = { executionMs: 1, cpuMs: 1, instructionsUsed: 1, heapBytesUsed: 1, hostCalls: 1, bytesRead: 1 };
const progress = (fields: object = {}): object => ({
  method: 'sandbox/progress',
  params: { runId: '$runId', spent, ...fields },
});
const body = '{"jsonrpc":"2.0","method":"x"}';
const failure = (error: object): object => ({ id: '$id', error });
const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
/** `{"x": …}` as the wire has it: JSON.stringify leaves `__proto__` of a literal out. */
const withKey = (key: string): unknown => JSON.parse(`{"${key}": 1}`);

const broken: [what: string, said: unknown[], message: RegExp][] = [
  ['a host function by a name that is inherited', [call({ name: 'constructor' })], /did not offer/],
  ['arguments that are no list', [call({ args: { json: {} } })], /no list/],
  ['arguments with an unknown tag', [call({ args: { tagged: [{ $: 'function' }] } })], /tag that is not in the table/],
  ['arguments as neither', [call({ args: {} })], /args: Invalid input/],
  ['an argument too many', [call({ more: 1 })], /unknown option 'more'/],
  [
    'positional arguments',
    [{ id: 1, method: 'sandbox/callHostFunction', params: [{}] }],
    /params that are not an object/,
  ],
  ['one id for two calls', [call({}, 1), call({}, '1')], /id of a request that is still open/],
  ['more calls at a time than the limit', Array.from({ length: 140 }, (_, id) => call({}, id)), /more than 128 host/],
  ['calls by a clock that goes back', [call({ executionMs: 5 }, 1), call({ executionMs: 4 }, 2)], /clock.* went back/],
  ['a call by no clock', [call({ executionMs: -1 })], /executionMs: Too small/],
  ['console output of another run', [line({ runId: 'other' })], /not under way/],
  ['console output of an unknown kind', [line({ level: 'debug' })], /level: Invalid option/],
  ['a console line too long', [line({ text: 'x'.repeat(40_000) })], /text: Too big/],
  ['progress of another run', [progress({ runId: 'other' })], /not under way/],
  ['progress that is no numbers', [progress({ spent: { ...spent, bytesRead: '1' } })], /bytesRead: Invalid/],
  ['progress without end', Array.from({ length: 200 }, () => progress()), /more often than it may/],
  ['an unknown request', [{ id: 1, method: 'sandbox/exec', params: {} }], /Unknown method "sandbox\/exec"/],
  ['a request that only a client makes', [{ id: 1, method: 'ping', params: {} }], /Unknown method "ping"/],
  ['an unknown notification', [{ method: 'telemetry', params: {} }], /Unknown notification "telemetry"/],
  ['a notification of the library', [{ method: '$/progress', params: { token: 1 } }], /Unknown notification/],
  ['a cancellation of nothing', [{ method: '$/cancelRequest' }], /cancels something that is not a request/],
  ['a method name that would draw', [{ method: '\u001b[2J\u202e', params: {} }], /"\\u\{1b\}\[2J\\u\{202e\}"/],
  ['an answer to what was not asked', [{ id: 99, result }], /answers no request that is open/],
  ['an answer whose id is text', [{ id: '0', result: 1 }], /answers no request that is open/],
  ['an answer without an id', [{ id: null, error: { code: 1, message: '' } }], /answers no request/],
  ['a result and an error', [{ ...answer, error: { code: 1, message: '' } }], /either a result or an error/],
  ['neither', [{ id: '$id' }], /either a result or an error/],
  ['an unknown field beside the result', [{ ...answer, extra: 1 }], /unknown field "extra"/],
  ['an unknown field in the result', [{ id: '$id', result: { ...result, extra: 1 } }], /unknown option 'extra'/],
  ['a result that is a prototype', [{ id: '$id', result: { ...result, ...(withKey('__proto__') as object) } }], /./],
  ['negative figures', [{ id: '$id', result: { ...result, bytesRead: -1 } }], /bytesRead: Too small/],
  ['figures that are no numbers', [{ id: '$id', result: { ...result, hostCalls: null } }], /hostCalls: Invalid/],
  [
    'figures that no number holds',
    [frame(`{"jsonrpc":"2.0","id":"$id","result":${infinite()}}`)],
    /executionMs: Invalid/,
  ],
  ['a value that nests too deep', [{ id: '$id', result: { ...result, value: { json: deep(1000) } } }], /nests deeper/],
  ['an unknown tag', [{ id: '$id', result: { ...result, value: { tagged: { $: 'Date' } } } }], /tag that is not/],
  ['an error without a code', [failure({ message: 'x' })], /code is not a whole number/],
  [
    'an error whose message is an object',
    [failure({ code: 1003, message: { toString: 1 } })],
    /message is not a string/,
  ],
  ['an error of a code that only a client has', [coded('quarantined', 1103)], /no error code of the wire/],
  ['an error of an unknown code', [coded('fine', 1003)], /no error code of the wire/],
  ['an error of two codes', [coded('timeout', 1003)], /wrong number/],
  ['an error with unknown details', [coded('timeout', 1005, { stack: '/x' })], /unknown option 'details.stack'/],
  ['an error with details of the wrong kind', [coded('timeout', 1005, { location: 'here' })], /details.location/],
  ['an error with details that nest', [coded('timeout', 1005, { frame: deep(90) })], /details.frame/],
  ['a list of messages', [`Content-Length: 4\r\n\r\n[{}]`], /not a JSON object/],
  ['another version of JSON-RPC', [frame('{"jsonrpc":"1.0","method":"x"}')], /not JSON-RPC 2.0/],
  ['bytes that are no UTF-8', ['Content-Length: 2\r\n\r\n\xff\xfe'], /not a JSON object/],
  ['a byte order mark', [`Content-Length: ${body.length + 3}\r\n\r\n\xef\xbb\xbf${body}`], /not a JSON object/],
  ['two lengths', [`Content-Length: ${body.length}\r\nContent-Length: 1\r\n\r\n${body}`], /Expected a "Content-Length/],
  ['a length in hex', ['Content-Length: 0x10\r\n\r\n'], /Expected a "Content-Length/],
  ['a length with a sign', ['Content-Length: +2\r\n\r\n{}'], /Expected a "Content-Length/],
  ['no length', ['Content-Type: text/plain\r\n\r\n{}'], /Expected a "Content-Length/],
  ['lines that end otherwise', ['Content-Length: 2\n\n{}'], /Expected a "Content-Length/],
  ['a foreign header', [`Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}`], /Expected a "Content-Length/],
  [
    'another encoding',
    [`Content-Type: application/json; charset=utf-16\r\nContent-Length: 2\r\n\r\n{}`],
    /Expected a "Content-Length/,
  ],
];

function frame(text: string): string {
  // `"$id"` is replaced by a number of one digit: three characters less, and the quotes.
  const length = text.length - (text.includes('"$id"') ? 4 : 0);
  return `Content-Length: ${length}\r\n\r\n${text}`;
}

function infinite(): string {
  return JSON.stringify(result).replace('"executionMs":1', '"executionMs":1e999');
}

function coded(code: string, number: number, details?: object): object {
  return failure({ code: number, message: 'x', data: { code, details } });
}

describe('a hostile sidecar that sends', () => {
  it.each(broken)('%s is killed, and the run fails with protocol_error', async (_what, said, message) => {
    const box = saying(said);
    await box.warm();
    const pid = pidOf(box);
    const ask = (): Promise<void> => new Promise(() => {});
    // A script with `await` may make several calls at a time.
    const script = 'await ask()';
    const error = await failureOf(box.run({ script, hostFunctions: { ask }, limits: { timeoutMs: 10_000 } }));
    expect({ code: error.code, message: error.message }).toEqual({
      code: 'protocol_error',
      message: expect.stringMatching(message) as string,
    });
    // oxlint-disable-next-line no-control-regex -- that is the point
    expect(error.message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/);
    await gone(pid);
  });

  it.each(['ask()', 'const awaited = ask()'])(
    'two calls at a time for %s, which waits for each, is killed',
    async (script) => {
      const box = saying([call({}, 1), call({}, 2)]);
      await box.warm();
      const pid = pidOf(box);
      let calls = 0;
      const ask = (): Promise<void> => new Promise(() => calls++);
      const error = await failureOf(box.run({ script, hostFunctions: { ask } }));
      expect({ code: error.code, message: error.message, calls }).toEqual({
        code: 'protocol_error',
        message: 'The sidecar called more than one host function at a time.',
        calls: 1,
      });
      await gone(pid);
    },
  );

  it.skipIf(process.platform !== 'linux').each([1, 2])(
    'one that computes without end while %i of its calls are under way is killed',
    async (atOnce) => {
      const box = fake('', { command: [process.execPath, fakeDaemon, 'compute-while-called', String(atOnce)] });
      await box.warm();
      const pid = pidOf(box);
      const ask = (): Promise<void> => sleep(150);
      const limits = { timeoutMs: 200 };
      const error = await failureOf(box.run({ script: 'await ask()', hostFunctions: { ask }, limits }));
      expect({ code: error.code, message: error.message }).toEqual({
        code: 'protocol_error',
        message: expect.stringMatching(/^The sidecar computed for \d+ ms in a run with host functions/) as string,
      });
      await gone(pid);
    },
  );

  it('a second answer has settled the run with the first, or broken it, and is dead', async () => {
    const box = fake('answer-twice');
    await box.warm();
    const pid = pidOf(box);
    const outcome = await box.run({ script: '1' }).then(
      ({ value }) => value,
      (error: { code: string }) => error.code,
    );
    expect([1, 'protocol_error']).toContain(outcome);
    await gone(pid);
  });

  it('a call and then no message, at once, starts no host function', async () => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...call() }).replace('$runId', '1');
    const box = saying([`Content-Length: ${text.length}\r\n\r\n${text}garbage\n`]);
    let calls = 0;
    const error = await failureOf(box.run({ script: '1', hostFunctions: { ask: () => calls++ } }));
    expect({ code: error.code, calls }).toEqual({ code: 'protocol_error', calls: 0 });
  });

  it('a call after the run was cancelled starts no host function', async () => {
    const box = fake('call-after-cancel');
    const abort = new AbortController();
    let calls = 0;
    box.on('run_started', () => setImmediate(() => abort.abort()));
    const hostFunctions = { ask: () => calls++ };
    const { value } = await box.run({ script: '1', hostFunctions, signal: abort.signal });
    expect(value).toContain('"code":"cancelled"');
    expect(calls).toBe(0);
  });

  const MiB = 1024 * 1024;
  it.each([
    [
      'a result over the limit of the run',
      'long-result',
      200,
      { outputBytes: 100 },
      /result over the limit of 100 bytes/,
    ],
    ['a message that no result can be', 'long-result', 5 * MiB, { outputBytes: 100 }, /exceeds the cap of 419\d{4}/],
    ['more items than a value may have', 'result-of-items', 400_000, {}, /400\d{3} fields, lists and objects exceeds/],
    ['arguments of too many items', 'arguments-of-items', 400_000, {}, /400\d{3} fields, lists and objects exceeds/],
    ['one call after another', 'endless-calls', 0, { hostCalls: 20 }, /host functions more than 20 times/],
  ])('%s is killed, and the run fails with protocol_error', async (_what, mode, size, limits, message) => {
    const command = [process.execPath, fakeDaemon, mode, String(size)];
    let calls = 0;
    const ask = (): number => calls++;
    const hostFunctions: Record<string, () => number> = mode.startsWith('long') ? {} : { ask };
    const box = fake(mode, { command });
    await box.warm();
    const pid = pidOf(box);
    // Of 400,000 items a busy machine is not told within the two seconds that a run has by itself.
    const error = await failureOf(box.run({ script: '1', limits: { timeoutMs: 10_000, ...limits }, hostFunctions }));
    expect({ code: error.code, message: error.message }).toEqual({
      code: 'protocol_error',
      message: expect.stringMatching(message) as string,
    });
    expect(calls).toBe(mode === 'endless-calls' ? 20 : 0);
    await gone(pid);
  });

  it.each(['cancellations-when-idle', 'stderr-when-idle'])('%s, without end, is killed', async (mode) => {
    const box = fake(mode);
    const killed = new Promise<string>((resolve) => box.on('killed', ({ why }) => resolve(why)));
    await box.warm();
    const pid = pidOf(box);
    expect(await killed).toBe('protocol_error');
    await gone(pid);
  });

  const foreign = { attachmentsRead: ['given', 'not given'] };
  it.each([
    ['a result', { id: '$id', result: { ...result, ...foreign } }],
    ['an error', coded('timeout', 1005, foreign)],
  ])('%s that names an attachment which the run did not have is killed', async (_what, said) => {
    const scope = { attachments: [{ name: 'given', path: import.meta.filename }] };
    const box = saying([said]);
    await box.warm();
    const pid = pidOf(box);
    const error = await failureOf(box.run({ script: '1', scope }));
    expect(error).toMatchObject({
      code: 'protocol_error',
      message: expect.stringMatching(/attachment "not given"/) as string,
    });
    expect(error.details).toEqual({});
    await gone(pid);
  });

  it('what looks like a prototype changes none', async () => {
    const value = { json: JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}') };
    const box = saying([{ id: '$id', result: { ...result, value } }]);
    const arrived = (await box.run({ script: '1' })).value as object;
    expect(Object.keys(arrived)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(arrived)).toBe(Object.prototype);
    expect({}).not.toHaveProperty('polluted');
  });

  it('a right answer in an unusual frame is understood', async () => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 7, result }).replace('7', '"$id"');
    const header = `content-length: ${text.length - 4}\r\nContent-Type: application/vscode-jsonrpc; charset=utf8`;
    await expect(saying([`${header}\r\n\r\n${text}`]).run({ script: '1' })).resolves.toMatchObject({ value: 'right' });
  });
});

describe('a hostile sidecar that floods the host with', () => {
  const limits = { timeoutMs: 10_000 };

  it('console lines costs no memory and ends with protocol_error', async () => {
    const peak = watchMemory();
    let lines = 0;
    const error = await failureOf(fake('console-flood').run({ script: '1', limits, onConsole: () => lines++ }));
    expect({ code: error.code, message: error.message }).toMatchObject({
      code: 'protocol_error',
      message: expect.stringContaining('more to the console than a script can') as string,
    });
    expect(lines).toBeGreaterThan(1_000);
    expect(peak()).toBeLessThan(100);
  });

  it('calls whose answers it does not read', async () => {
    const peak = watchMemory();
    let calls = 0;
    const ask = (): string => {
      calls++;
      return 'x'.repeat(1024 * 1024);
    };
    const error = await failureOf(fake('call-flood').run({ script: '1', limits, hostFunctions: { ask } }));
    expect({ code: error.code, message: error.message }).toMatchObject({
      code: 'protocol_error',
      message: expect.stringMatching(/unread|at a time/) as string,
    });
    expect(calls).toBeLessThan(100);
    expect(peak()).toBeLessThan(300);
  });
});

/** By how many MiB resident memory has grown at most since the call. */
function watchMemory(): () => number {
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  onTestFinished(() => clearInterval(timer));
  return () => (Math.max(peak, process.memoryUsage.rss()) - before) / 1024 / 1024;
}
