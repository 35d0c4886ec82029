import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainFailure } from '@mustard-sandbox/agent-tool';
import { SandboxError, type ErrorCode, type Sandbox } from '@mustard-sandbox/client';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { maxAnswerLength } from '../../../packages/agent-tool/src/failures/explain.ts';
import { BuiltinCall } from '../../../packages/sandbox-daemon/src/files/call.ts';
import { fake, failureOf, pidOf, sandbox as makeSandbox } from '../../client/support.ts';
import { exampleIn, explain, folder, inEngine, scope } from './support.ts';

/** What a model reads, after the checks that hold for every answer. */
function explained(error: SandboxError, script = '1 + 1'): string {
  const text = explainFailure(error, { script });
  expect(text.length).toBeLessThan(maxAnswerLength);
  expect(text).not.toMatch(/syntax error|not valid JavaScript/);
  expect(text).toMatch(new RegExp(`^${error.code}[:,] `));
  return text;
}

function codeOf(error: SandboxError): ErrorCode {
  expect(error).toBeInstanceOf(SandboxError);
  return error.code;
}

describe('capability_denied', () => {
  it.each([
    ['read_file("/etc/passwd")', '"/etc/passwd" is refused'],
    ['read_file("../x")', '"../x" is refused'],
    ['read_file(".env")', '".env" is refused'],
    ['read_file("src")', '"src" is refused: it is a folder'],
    ['list_files("a.txt")', '"a.txt" is refused'],
    ['read_file(7)', 'a path must be a string'],
  ])('%s', async (script, says) => {
    const { error, text } = await explain(`const ok = 1;\n${script}`);
    expect(codeOf(error)).toBe('capability_denied');
    expect(text).toContain(says);
    expect(text).toContain('at line 2');
    expect(text).toContain(`2 | ${script}`);
    expect(text).toContain('list_files("attachments:") shows them (attachments:server.log)');
    expect(text).not.toContain(folder);
    expect(text.length).toBeLessThan(maxAnswerLength);
    expect(await inEngine(exampleIn(text))).toContain('attachments:server.log');
  });

  test('without a folder', async () => {
    const options = { scope: { attachments: scope.attachments } };
    const { error, text } = await explain('read_file("a.txt")', options, { hasRoot: false });
    expect(codeOf(error)).toBe('capability_denied');
    expect(text).not.toContain('list_files() shows');
    expect(await inEngine(exampleIn(text))).toEqual(['attachments:server.log']);
  });

  test('by the application', async () => {
    const denied = (): never => {
      throw new SandboxError('capability_denied', 'The user does not allow send_mail.');
    };
    const { error, text } = await explain('send_mail("hi")', { hostFunctions: { send_mail: denied } });
    expect(codeOf(error)).toBe('capability_denied');
    expect(text).toContain('The call was refused: The user does not allow send_mail.');
    expect(text).toContain('Do not try it again');
  });
});

describe('a file that is not to be had', () => {
  it.each([
    ['read_file("nope.txt")', 'No file "nope.txt"', ['a.txt', 'b.txt', 'server.log', 'src/']],
    ['read_file("attachments:nope")', 'There are: attachments:server.log.', ['attachments:server.log']],
    ['list_files("nope")', 'No folder "nope"', ['a.txt', 'b.txt', 'server.log', 'src/']],
  ])('%s', async (script, says, expected) => {
    const { error, text } = await explain(script);
    expect(error).toMatchObject({ code: 'script_error', details: { name: 'NotFoundError' } });
    expect(text).toContain(says);
    expect(await inEngine(exampleIn(text))).toEqual(expected);
  });

  it.each([`read_file('a.txt', 0, 4)`, `read_file('a.txt', 'utf8')`, `read_file('a.txt', { offset: 4 })`])(
    '%s',
    async (script) => {
      const { error, text } = await explain(script);
      expect(codeOf(error)).toBe('script_error');
      expect(text).toContain('read_file(path, { start, length, encoding })');
      expect(await inEngine(exampleIn(text))).toBe('alph');
    },
  );
});

describe('capability_timeout', () => {
  test('of a function of the application', async () => {
    const hostFunctions = { look_up: { handler: () => new Promise(() => {}), timeoutMs: 30 } };
    const { error, text } = await explain('look_up("a")', { hostFunctions });
    expect(codeOf(error)).toBe('capability_timeout');
    expect(text).toContain('look_up() did not answer within 30 ms.');
    expect(text).not.toContain('timeoutMs');
  });

  test('of a built-in function', async () => {
    const call = new BuiltinCall('list_files', 'src');
    const [laterMs, computedUs] = [performance.now() + 2_500, 1e9];
    const clock = vi.spyOn(performance, 'now').mockReturnValue(laterMs);
    const cpuUsage = vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: computedUs, system: 0 });
    const error = await failureOf((async () => call.checkTime())());
    clock.mockRestore();
    cpuUsage.mockRestore();
    const text = explained(error);
    expect(text).toContain('list_files of "src" took longer than its limit of 500 ms.');
    expect(await inEngine(exampleIn(text))).toBe(11);
  });
});

describe('sidecar_crashed', () => {
  test('out of memory', async () => {
    const { error, text } = await explain(`const a = 'a'.repeat(500000000);\na.length`, { engine: 'mustardscript' });
    expect(error).toMatchObject({ code: 'sidecar_crashed', details: { reason: 'out_of_memory' } });
    expect(text).toContain('asked for more memory than its process may have');
    expect(text).toContain('Do not send it again as it is');
    expect(await inEngine(exampleIn(text))).toBe(90_000);
  });

  test('killed from outside', async () => {
    const box = makeSandbox();
    const running = failureOf(box.run({ script: 'while (true) {}' }));
    await vi.waitFor(() => expect(box.stats().processes[0]?.state).toBe('busy'), 30_000);
    process.kill(pidOf(box), 'SIGKILL');
    const error = await running;
    expect(error).toMatchObject({ code: 'sidecar_crashed', details: { reason: 'killed' } });
    const text = explained(error);
    expect(text).toContain('not the fault of the script');
    expect(text).toContain('may be sent once more');
  });

  it.each([
    ['SIGSEGV', 'stack_overflow', /overflowed the stack.*Do not send it again as it is.*flat lists/s, 1000],
    ['SIGABRT', 'abort', /fault of the engine.*Do not send it again as it is/s, [0, 1, 4, 9, 16]],
    ['SIGTERM', 'killed', /may be sent once more/, undefined],
  ] as const)('by %s', async (signal, reason, says, expected) => {
    const box = makeSandbox();
    const running = failureOf(box.run({ script: 'while (true) {}' }));
    await vi.waitFor(() => expect(box.stats().processes[0]?.state).toBe('busy'), 30_000);
    process.kill(pidOf(box), signal);
    const error = await running;
    expect(error).toMatchObject({ code: 'sidecar_crashed', details: { reason } });
    const text = explained(error);
    expect(text).toMatch(says);
    if (expected !== undefined) expect(await inEngine(exampleIn(text))).toEqual(expected);
  });

  test('by an exit', async () => {
    const error = await failureOf(fake('exit-0').run({ script: '1' }));
    expect(error).toMatchObject({ code: 'sidecar_crashed', details: { reason: 'exit' } });
    expect(explained(error)).toContain('may be sent once more');
  });
});

test('quarantined: do not send it again', async () => {
  const box = makeSandbox({ quarantineAfter: 2, engine: 'mustardscript' });
  // A crash always counts. A script that hangs does not when the host was late itself.
  const script = `'a'.repeat(500000000).length`;
  for (let round = 0; round < 2; round++) await failureOf(box.run({ script }));
  const error = await failureOf(box.run({ script }));
  expect(codeOf(error)).toBe('quarantined');
  const text = explained(error, script);
  expect(text).toContain('crashed or hung its process 2 times');
  expect(text).toContain('Do not send it again');
});

describe('what the script is not at fault for', () => {
  async function failing(box: Sandbox): Promise<SandboxError> {
    return await failureOf(box.run({ script: '1 + 1' }));
  }

  const atFault: [ErrorCode, () => Promise<SandboxError>, RegExp][] = [
    [
      'sidecar_unavailable',
      () => failing(fake('crash-at-start', { maxCrashes: 1 })),
      /could not be started.*once.*tell the user/s,
    ],
    ['protocol_error', () => failing(fake('noise')), /not of the script.*once more.*tell the user/s],
    ['engine_unavailable', () => failing(withoutEngine()), /No script will help.*Tell the user/s],
    ['closed', closedSandbox, /No script can run in this session/],
    ['queue_full', fullQueue, /is not at fault.*same script again.*fewer at a time/s],
    ['cancelled', cancelledRun, /Do not send the script again unless the user asks/],
    [
      'invalid_request',
      () => failing(makeSandbox({ maxTimeoutMs: 1_000, limits: { timeoutMs: 2_000 } })),
      /refused before the script ran/,
    ],
  ];

  it.each(atFault)('%s', async (code, fail, says) => {
    const error = await fail();
    expect(codeOf(error)).toBe(code);
    const text = explained(error);
    expect(text).toMatch(says);
    expect(text).not.toMatch(/\/(?:tmp|home|usr|root|work)\//);
    expect(text).not.toContain('```');
  });

  /** A sidecar that has everything but the binding of MustardScript, asked for that very engine. */
  function withoutEngine(): Sandbox {
    const dist = join(createRequire(import.meta.url).resolve('@mustard-sandbox/daemon/main'), '..');
    const bare = mkdtempSync(join(tmpdir(), 'mustard-bare-'));
    onTestFinished(() => rmSync(bare, { recursive: true, force: true }));
    cpSync(dist, join(bare, 'dist'), { recursive: true, filter: (path) => !/\.map$|\.d\.ts$/.test(path) });
    writeFileSync(join(bare, 'package.json'), JSON.stringify({ type: 'module', version: '0.0.0' }));
    const command: [string, string] = [process.execPath, join(bare, 'dist', 'main.cjs')];
    return makeSandbox({ command, logLevel: 'silent', engine: 'mustardscript' });
  }

  async function closedSandbox(): Promise<SandboxError> {
    const box = makeSandbox();
    await box.close();
    return await failing(box);
  }

  async function fullQueue(): Promise<SandboxError> {
    const box = makeSandbox({ maxProcesses: 1, maxQueue: 1, spares: 0 });
    const runs = [1, 2, 3].map((n) => box.run({ script: String(n) }));
    const error = await failureOf(runs[2] as Promise<unknown>);
    await Promise.all(runs.slice(0, 2));
    return error;
  }

  async function cancelledRun(): Promise<SandboxError> {
    return await failureOf(makeSandbox().run({ script: '1', signal: AbortSignal.abort() }));
  }
});

test('a folder or file that is gone is told without its path', async () => {
  const gone = join(folder, 'gone', 'server.log');
  const { error, text } = await explain('1', { scope: { attachments: [{ name: 'server.log', path: gone }] } });
  expect(codeOf(error)).toBe('invalid_request');
  expect(text).toContain('"server.log" is not there');
  expect(text).not.toContain(folder);
  const told = explainFailure(
    new SandboxError('invalid_request', `root: ${folder}/a b/c is no folder, C:\\Users\\x\\y neither.`),
    { script: '1' },
  );
  expect(told).toContain('root: (a path) is no folder, (a path) neither');
});
