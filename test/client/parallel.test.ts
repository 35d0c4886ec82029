import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { RunOptions, RunResult, Sandbox, SandboxError } from '@mustard-sandbox/client';
import { describe, expect, it, vi } from 'vitest';
import { makeFolder } from '../files/support.ts';
import { failureOf, kill, recorded, sandbox, shared } from './support.ts';

/** On a busy machine. */
const limits = { timeoutMs: 10_000 };
const layout = {
  'logs/a.log': 'one ERROR\ntwo\n',
  'logs/b.log': 'ERROR\nERROR\nERROR\n',
  'logs/deep/c.log': 'none\n',
  'other.txt': 'x',
  '.env': 'SECRET',
};

const run = (script: string, options: Partial<RunOptions> = {}, box: Sandbox = shared()): Promise<RunResult> =>
  box.run({ script, limits, scope: { root: makeFolder(layout) }, ...options });
const failure = async (script: string, options?: Partial<RunOptions>, box?: Sandbox): Promise<SandboxError> =>
  await failureOf(run(script, options, box));

/** Waits until so many runs are under way in other sidecars than that of the run which started them. */
async function childrenOf(box: Sandbox, count: number): Promise<void> {
  const busy = (): number => box.stats().processes.filter(({ state }) => state === 'busy').length;
  await vi.waitFor(() => expect(busy()).toBe(1 + count), { timeout: 20_000 });
}

describe('parallel() gives the answers in order', () => {
  it.each([
    ['a pattern', `'logs/**/*.log'`, ['logs/a.log', 'logs/b.log', 'logs/deep/c.log']],
    ['a folder', `'logs'`, ['logs/a.log', 'logs/b.log', 'logs/deep/c.log']],
    ['a list', `['other.txt', 'logs/a.log', 'logs/a.log']`, ['other.txt', 'logs/a.log', 'logs/a.log']],
    ['a list of patterns', `['other.*', 'logs/*.log']`, ['other.txt', 'logs/a.log', 'logs/b.log']],
    ['what list_files gives', `list_files('logs').filter((path) => !path.endsWith('/'))`, ['logs/a.log', 'logs/b.log']],
    ['a pattern that matches nothing', `'nothing/*.log'`, []],
  ])('for %s', async (_, where, paths) => {
    expect((await run(`parallel(${where}, (path) => path)`)).value).toEqual(paths);
  });

  it.each([
    ['an arrow function', `(path) => read_file(path).length`],
    ['a function with a name', `function size(path) { return read_file(path).length; }`],
    ['an async function', `async (path) => (await read_file(path)).length`],
    ['a function that gives a promise', `(path) => Promise.resolve(read_file(path).length)`],
    ['a function with types', `(path: string): number => read_file(path).length as number`],
    ['a function with a comment at its end', `path => read_file(path).length // it's so`],
    ['the text of a function', `String((path) => read_file(path).length)`],
  ])('of %s', async (_, fn) => {
    expect((await run(`parallel(['logs/a.log', 'logs/b.log'], ${fn}\n)`)).value).toEqual([14, 18]);
  });

  it('as the result of a script leaves it', async () => {
    const value = `[-0, undefined, NaN, { a: [path] }, new Map([[1, 2]]), new Date(0), [, 1]]`;
    const alone = await Promise.all(['logs/a.log', 'logs/b.log'].map((path) => run(value, { inputs: { path } })));
    const together = await run(`parallel('logs/*.log', (path) => (${value}))`);
    expect(together.value).toEqual(alone.map((each) => each.value));
  });

  it('with a value for the function', async () => {
    const script = `parallel('logs/*.log', (path, { words }, ...more) => [words, more.length], { words: ['ERROR', null] })`;
    expect((await run(script)).value).toEqual([
      [['ERROR', null], 0],
      [['ERROR', null], 0],
    ]);
    expect((await run(`parallel('logs/*.log', (path, value = 'none') => value)`)).value).toEqual(['none', 'none']);
  });

  it('in MustardScript too, which gives the text of the function', async () => {
    const script = `const size = (path) => file_stats(path).size; parallel('logs/*.log', String(size))`;
    expect(await run(script, { engine: 'mustardscript' })).toMatchObject({ value: [14, 18], engine: 'mustardscript' });
  });

  it('with one sidecar at a time, with fewer than files, and with several callers', async () => {
    const script = `parallel('logs/**/*.log', (path) => search(path, 'ERROR', { count: true }))`;
    for (const maxProcesses of [1, 2]) {
      const box = sandbox({ maxProcesses, maxNesting: 0, maxQueue: 0 });
      expect((await run(script, {}, box)).value).toEqual([1, 3, 0]);
      const events = recorded(box);
      const both = await Promise.all(Array.from({ length: maxProcesses }, () => run(script, {}, box)));
      expect(both.map(({ value }) => value)).toEqual(Array.from({ length: maxProcesses }, () => [1, 3, 0]));
      // A level of runs has as many sidecars as the sandbox may have.
      expect(box.stats().processes.length).toBeLessThanOrEqual(2 * maxProcesses);
      expect(events.filter(({ event }) => event === 'run_settled')).toHaveLength(4 * maxProcesses);
    }
  });

  it('and counts what the runs have read', async () => {
    const root = makeFolder(layout);
    const attachments = [{ name: 'more', path: join(root, 'other.txt') }];
    const progress: number[] = [];
    const { bytesRead, attachmentsRead, warnings } = await run(
      `parallel(['logs/a.log', 'attachments:more'], (path) => { for (let i = 0; i < 3e5; i++) ; read_file(path); search('logs/b.log', /E?/g); })`,
      { scope: { root, attachments }, onProgress: ({ bytesRead: read }) => progress.push(read) },
    );
    expect(bytesRead).toBeGreaterThanOrEqual(14 + 1 + 2 * 18);
    expect(attachmentsRead).toEqual(['more']);
    expect(warnings).toEqual([]);
    expect(Math.max(0, ...progress)).toBeLessThanOrEqual(bytesRead);
    const cut = `parallel(['logs/b.log'], (path) => search(Array.from({ length: 60 }, () => path), 'ERROR'))`;
    expect((await run(cut)).warnings).toMatchObject([{ id: 'search-limit' }]);
  });
});

describe('parallel() refuses', () => {
  it.each([
    ['no function', `parallel('logs', 7)`, /second argument must be a function/],
    ['a function of the language', `parallel('logs', parseInt)`, /built in or made by bind/],
    ['a built-in', `parallel('logs', read_file)`, /variables of the script|built in/],
    ['a bound function', `parallel('logs', ((path) => path).bind(null))`, /built in or made by bind/],
    ['a method', `parallel('logs', ({ size(path) { return 1; } }).size)`, /cannot stand alone/],
    ['a method called async', `parallel('logs', ({ async(path) { return 1; } }).async)`, /cannot stand alone/],
    ['a class', `parallel('logs', class { })`, /is a class/],
    ['a generator', `parallel('logs', function* (path) { yield path; })`, /generator/],
    ['a text that is no function', `parallel('logs', '1) + (2')`, /cannot stand alone/],
    ['a value that cannot cross', `parallel('logs', (path) => path, () => 1)`, /function/],
    ['10,000 files', `parallel(Array.from({ length: 10000 }, () => 'other.txt'), (path) => path)`, /over 1000 files/],
    ['a file outside', `parallel(['logs/a.log', '/etc/passwd'], (path) => path)`, /absolute paths/],
    ['a folder above', `parallel('../*', (path) => path)`, /'\.\.' is not allowed/],
    ['a secret', `parallel(['.env'], (path) => path)`, /\.env/],
    ['a missing file', `parallel(['logs/a.log', 'no.log'], (path) => path)`, /No file "no.log"/],
    ['no path', `parallel([undefined], (path) => path)`, /path/],
  ])('%s', async (_, script, message) => {
    expect((await failure(script)).message).toMatch(message);
  });

  it('a call in a call', async () => {
    const error = await failure(`parallel('logs', (path) => parallel(path, (one) => one))`);
    expect(error).toMatchObject({ code: 'capability_denied' });
    expect(error.message).toMatch(
      /"logs\/.*: parallel: this run cannot start others, because it is one of parallel\(\)/,
    );
  });

  it('a host function of that name', async () => {
    const hostFunctions = { parallel: () => 1 };
    expect((await failure('1', { hostFunctions })).message).toMatch(/'parallel' is a built-in/);
  });

  it('a run that is frozen at its calls', async () => {
    const box = sandbox();
    const scope = { root: makeFolder(layout) };
    const error = await failureOf(box.runSegment({ script: `parallel('logs', (path) => path)`, scope }));
    expect(error).toMatchObject({ code: 'capability_denied', message: expect.stringContaining('stops at each call') });
  });
});

describe('a function that parallel() runs', () => {
  it('sees no variable of the script, and the error says why', async () => {
    const error = await failure(
      `const word = 'ERROR';\nparallel(['logs/a.log'], (path) => {\n  return search(path, word);\n})`,
    );
    expect(error.message).toMatch(
      /"logs\/a\.log": ReferenceError: word is not defined \(line 2 of the function\)\. The function .*third argument/,
    );
    expect(error.details).toMatchObject({ location: { line: 2 } });
  });

  it('reads what the script may read, and nothing else', async () => {
    expect((await run(`parallel(['other.txt'], () => read_file('logs/a.log'))`)).value).toEqual(['one ERROR\ntwo\n']);
    for (const path of ['/etc/passwd', '.env', '../x']) {
      const error = await failure(`parallel(['other.txt'], () => read_file(${JSON.stringify(path)}))`);
      expect(error).toMatchObject({ code: 'capability_denied', details: { capability: 'parallel' } });
    }
    const denied = { scope: { root: makeFolder(layout), deny: ['**/b.log'] } };
    expect((await failure(`parallel(['logs/a.log'], () => read_file('logs/b.log'))`, denied)).code).toBe(
      'capability_denied',
    );
    expect((await run(`parallel('logs', (path) => path)`, denied)).value).toEqual(['logs/a.log', 'logs/deep/c.log']);
  });

  it('has no functions of the host, and saves nothing', async () => {
    const hostFunctions = { ask: () => 'secret' };
    expect((await failure(`ask(); parallel(['other.txt'], () => ask())`, { hostFunctions })).message).toMatch(
      /ask is not defined/,
    );
    const outputs = makeFolder();
    expect((await failure(`parallel(['other.txt'], () => save('a.txt', 'x'))`, { outputs })).message).toMatch(
      /one of parallel/,
    );
  });

  it('prints for the script, no more than the script may', async () => {
    const lines: string[] = [];
    const onConsole = ({ text }: { text: string }): void => void lines.push(text);
    await run(`parallel('logs/*.log', (path) => console.log(path))`, { onConsole });
    expect(lines.sort()).toEqual(['logs/a.log', 'logs/b.log']);
    lines.length = 0;
    const flood = `parallel('logs', () => { for (let i = 0; i < 60; i++) console.log('x'.repeat(16000)); })`;
    await run(flood, { onConsole });
    expect(lines.join('').length).toBeLessThanOrEqual(1024 * 1024);
  });

  it('throws an error that the script can catch and that names the file', async () => {
    const script = `try { parallel('logs', (path) => { if (path.endsWith('b.log')) throw new TypeError('bad'); }) } catch (e) { [e.message, e.code, e.details] }`;
    const { value } = await run(script);
    expect(value).toEqual([
      'parallel: "logs/b.log": TypeError: bad (line 1 of the function)',
      'script_error',
      { path: 'logs/b.log' },
    ]);
  });

  // What ends a sidecar at once elsewhere may be a timeout.
  it.skipIf(process.platform !== 'linux')('may crash its sidecar, and the script goes on', async () => {
    const box = sandbox({ maxProcesses: 2, quarantineAfter: 1 });
    const crash = `const f = (path) => 'a'.repeat(500000000).length; try { parallel(['other.txt'], String(f)) } catch (e) { e.code }`;
    expect((await run(crash, { engine: 'mustardscript' }, box)).value).toBe('sidecar_crashed');
    // The function is to blame, and not the script around it.
    expect((await run(crash, { engine: 'mustardscript' }, box)).value).toMatch(/^(?:sidecar_crashed|quarantined)$/);
    expect((await run('1 + 1', {}, box)).value).toBe(2);
  });
});

describe('the limits of the run hold for all of its files together', () => {
  it('for the time: one that hangs ends with the run', async () => {
    const box = sandbox({ maxProcesses: 2 });
    const script = `try { parallel('logs', (path) => { for (;;) ; }) } catch (e) { 'caught' }`;
    const hanging = { limits: { timeoutMs: 300, instructions: 400e9 } };
    const error = await failure(script, hanging, box);
    expect(error).toMatchObject({ code: 'timeout', details: { limit: 'timeout_ms' } });
    expect(error.details.spent?.executionMs).toBeLessThan(5_000);
    expect((await run('1', {}, box)).value).toBe(1);
  });

  it('for the time of many files, one after the other', async () => {
    const box = sandbox({ maxProcesses: 1 });
    const paths = Array.from({ length: 500 }, () => 'other.txt');
    const script = `parallel(paths, () => { for (let i = 0; i < 1e6; i++) ; return 1; })`;
    const error = await failure(script, { inputs: { paths }, limits: { timeoutMs: 500 } }, box);
    expect(error.code).toBe('timeout');
  });

  it('for what is read', async () => {
    const root = makeFolder({ 'a.txt': 'x'.repeat(1_000), 'b.txt': 'x'.repeat(1_000), 'c.txt': 'x'.repeat(1_000) });
    const scope = { root, maxTotalReadBytes: 2_500 };
    const two = await run(`parallel(['a.txt', 'b.txt'], (path) => read_file(path).length)`, { scope });
    expect(two).toMatchObject({ value: [1_000, 1_000], bytesRead: 2_000 });
    for (const script of [
      `parallel('*.txt', (path) => read_file(path).length)`,
      `read_file('a.txt'); parallel(['b.txt', 'c.txt'], (path) => read_file(path).length)`,
      `parallel(['a.txt', 'b.txt'], (path) => read_file(path).length); read_file('c.txt')`,
      `parallel(['a.txt'], (path) => read_file(path).length); parallel(['b.txt', 'c.txt'], (path) => read_file(path).length)`,
    ]) {
      expect(await failure(script, { scope })).toMatchObject({
        code: 'limit_exceeded',
        details: { limit: 'total_read_bytes' },
      });
    }
  });

  it('for the answers', async () => {
    const large = `parallel(['other.txt', 'other.txt', 'other.txt'], () => 'x'.repeat(5e6)).length`;
    expect(await failure(large)).toMatchObject({ code: 'limit_exceeded', details: { limit: 'output_bytes' } });
  });
});

describe('no run is left behind', () => {
  const endless = `parallel(['other.txt', 'other.txt', 'other.txt'], () => { for (;;) ; })`;
  const long = { limits: { timeoutMs: 10_000, instructions: 400e9 } };

  it('when the caller aborts the run', async () => {
    const box = sandbox({ maxProcesses: 2 });
    const abort = new AbortController();
    const failing = failure(endless, { ...long, signal: abort.signal }, box);
    await childrenOf(box, 2);
    abort.abort();
    expect((await failing).code).toBe('cancelled');
    expect(box.stats().processes.filter(({ state }) => state === 'busy')).toEqual([]);
    expect((await run('1', {}, box)).value).toBe(1);
  });

  it('when the sidecar of the run dies', async () => {
    const box = sandbox({ maxProcesses: 2 });
    let first: number | undefined;
    const onStart = ({ sidecar }: { sidecar: number }): void => void (first = sidecar);
    const failing = failure(endless, { ...long, onStart }, box);
    await childrenOf(box, 2);
    kill(box.stats().processes.find(({ sidecar }) => sidecar === first)?.pid);
    expect((await failing).code).toBe('sidecar_crashed');
    expect(box.stats().processes.filter(({ state }) => state === 'busy')).toEqual([]);
  });

  it('when the sandbox is closed', async () => {
    const box = sandbox({ maxProcesses: 2 });
    const failing = failure(endless, long, box);
    await childrenOf(box, 2);
    await box.close();
    expect((await failing).code).toBe('closed');
    expect(box.stats().processes).toEqual([]);
  });

  it('when one of them fails, and the others would hang', async () => {
    const box = sandbox({ maxProcesses: 2 });
    const script = `try { parallel(['logs/a.log', 'logs/b.log'], (path) => { if (path.endsWith('a.log')) throw new Error('x'); for (;;) ; }) } catch (e) { e.message }`;
    expect((await run(script, long, box)).value).toMatch(/"logs\/a\.log": Error: x/);
    expect(box.stats().processes.filter(({ state }) => state === 'busy')).toEqual([]);
  });
});

it('two runs at once in a sandbox of two sidecars wait for each other, and both end', async () => {
  const box = sandbox({ maxProcesses: 2 });
  const script = `parallel('logs', (path) => { for (let i = 0; i < 1e6; i++) ; return path; }).length`;
  const both = await Promise.all([run(script, {}, box), run(script, {}, box), run(script, {}, box)]);
  expect(both.map(({ value }) => value)).toEqual([3, 3, 3]);
});

it.skipIf(process.platform !== 'linux')('several sidecars work at the same time', async () => {
  const box = sandbox({ maxProcesses: 2 });
  const abort = new AbortController();
  const forever = { limits: { timeoutMs: 10_000, instructions: 400e9 }, signal: abort.signal };
  const running = failure(`parallel('logs/*.log', () => { for (;;) ; })`, forever, box);
  await childrenOf(box, 2);
  const pids = box.stats().processes.map(({ pid }) => pid as number);
  const states = (): string => execFileSync('ps', ['-o', 'stat=', '-p', pids.join(',')], { encoding: 'utf8' });
  // The caller sleeps, and the two others compute.
  await vi.waitFor(() => expect(states().match(/^R/gm)).toHaveLength(2), { timeout: 9_000 });
  abort.abort();
  expect((await running).code).toBe('cancelled');
});
