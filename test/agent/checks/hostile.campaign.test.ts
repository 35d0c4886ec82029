// Apps whose compiler is a hostile program, and apps that have none.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { unjailedChecker } from '../../../packages/desktop-agent/src/server/checks/checker-command.ts';
import { findProblems } from '../../../packages/desktop-agent/src/server/checks/find-problems.ts';
import { reportOf } from '../../../packages/desktop-agent/src/server/checks/report.ts';
import { runChecker } from '../../../packages/desktop-agent/src/server/checks/run-checker.ts';
import { noJail } from '../../isolation/support.ts';
import { appWith, appWithCompiler, put } from './support.ts';

const allowUnjailed = 'everything';

async function reasonOf(...args: Parameters<typeof findProblems>): Promise<string | undefined> {
  return (await findProblems(...args)).unchecked?.reason;
}

describe('an app that is not looked at', () => {
  test('says why', async () => {
    expect(await reasonOf(appWith({ 'tsconfig.json': '{}' }))).toBe('no-typescript');
    const manifest = { 'node_modules/typescript/package.json': '{ "version": "5.0.0" }' };
    expect(await reasonOf(appWith(manifest))).toBe('no-config');
    expect(await reasonOf(appWithCompiler('', '3.9.0'))).toBe('unsupported');
    expect(await reasonOf(appWithCompiler('', '99.0.0'), { allowUnjailed })).toBe('unsupported');
    const app = appWith({});
    rmSync(app, { recursive: true });
    await expect(findProblems(app)).rejects.toMatchObject({ code: 'not_found' });
  });

  test.each(['../x.ts', '/etc/x.ts', 'a/../../x', 'a//b', './a', 'C:\\x'])('has no path %j', async (path) => {
    const overlay = { deletes: [], renames: [], writes: [{ path, content: '' }] };
    await expect(findProblems(appWithCompiler(''), { overlay })).rejects.toMatchObject({ code: 'unsafe_path' });
  });
});

/** Says this in place of the checker, and is gone. */
const says = (expression: string): string => `require('fs').writeSync(1, '\\n' + ${expression}); process.exit(0);`;

describe('a compiler that', () => {
  test('never ends is stopped', async () => {
    expect(await reasonOf(appWithCompiler('for (;;) {}'), { timeoutMs: 1000, allowUnjailed })).toBe('timeout');
  });

  test('is cancelled ends with that', async () => {
    const cancel = new AbortController();
    const looking = findProblems(appWithCompiler('for (;;) {}'), { signal: cancel.signal, allowUnjailed });
    cancel.abort(new Error('enough'));
    await expect(looking).rejects.toThrow('enough');
  });

  test.each([
    ['floods its output', "for (;;) require('fs').writeSync(1, 'x'.repeat(65536));"],
    ['takes all memory', 'const all = []; for (;;) all.push(Buffer.allocUnsafeSlow(500_000_000));'],
    ['throws', "throw new Error('no')"],
    ['says nothing', 'process.exit(0)'],
    ['says nonsense', says('\'{"problems": 1}\'')],
    ['is none', 'module.exports = {}'],
  ])('%s has found no problems, and it is said', async (_, program) => {
    expect(await reasonOf(appWithCompiler(program), { allowUnjailed })).toBe('failed');
  });

  const lie = { path: 'a.ts', line: 1, column: 1, code: 'TS1', message: 'a lie' };
  test.each([
    ...['/etc/passwd', '../a.ts', 'a/../../b.ts', 'a\n.ts', '~/a.ts', ''].map((path) => ({ ...lie, path })),
    ...[0, -1, 1.5, 1e300].map((line) => ({ ...lie, line })),
    { ...lie, code: '<b>' },
    { ...lie, message: 'x'.repeat(2001) },
    { ...lie, more: 1 },
  ])('lies by %j is not believed', (problem) => {
    const said = `noise\n${JSON.stringify({ problems: [problem], more: 0 })}\n`;
    expect(reportOf({ kind: 'answered', said }, '5.9.3', 1).unchecked?.reason).toBe('failed');
    const honest = `noise\n${JSON.stringify({ problems: [lie], more: 0 })}\n`;
    expect(reportOf({ kind: 'answered', said: honest }, '5.9.3', 1).problems).toEqual([lie]);
  });
});

/** Tries what no compiler has to do, and says as problems what it could. */
function attack(places: string[], readable: string[]): string {
  return `
    const fs = require('fs');
    const done = [];
    const attempt = (what, how) => { try { if (how() !== false) done.push(what); } catch {} };
    for (const place of ${JSON.stringify(places)}) attempt('wrote ' + place, () => fs.writeFileSync(place, 'x'));
    for (const place of ${JSON.stringify(readable)}) attempt('saw ' + place, () => fs.existsSync(place));
    attempt('has an environment', () => 'PATH' in process.env || 'HOME' in process.env);
    attempt('sees processes', () => fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length > 3);
    const problems = done.map((message) => ({ path: 'a.ts', line: 1, column: 1, code: 'TS1', message }));
    ${says('JSON.stringify({ problems, more: 0 })')}`;
}

test.skipIf(noJail)('in the jail a compiler writes nothing, and sees nothing but the app', async () => {
  const places = [join(tmpdir(), 'mustard-evil'), join(homedir(), 'mustard-evil'), '/mustard-evil'];
  const other = appWith({ 'other.ts': '' });
  const program = attack([...places, 'evil.ts', './node_modules/evil.js'], ['/etc/passwd', homedir(), other]);
  const app = appWithCompiler(program);
  expect(await findProblems(app)).toEqual({ problems: [], more: 0, unchecked: null });
  for (const place of [...places, join(app, 'evil.ts')]) expect(existsSync(place)).toBe(false);
});

test.skipIf(noJail)('in the jail a compiler finds no file and no folder that scripts may not read', async () => {
  const secrets = ['.env', 'sub/.env.local', '.git/config', 'certs/server.key', '.ssh/id_rsa'];
  const program = `
    const fs = require('fs');
    const seen = ${JSON.stringify([...secrets, 'a.ts', 'sub/plain.txt'])}.filter((path) => {
      try { return fs.readFileSync(path, 'utf8').includes('content'); } catch { return false; }
    });
    const problems = seen.map((message) => ({ path: 'a.ts', line: 1, column: 1, code: 'TS1', message }));
    ${says('JSON.stringify({ problems, more: 0 })')}`;
  const app = appWithCompiler(program);
  put(app, Object.fromEntries([...secrets, 'a.ts', 'sub/plain.txt'].map((path) => [path, 'content'])));
  const { problems } = await findProblems(app);
  expect(problems.map(({ message }) => message)).toEqual(['a.ts', 'sub/plain.txt']);
});

test('without one a native compiler, which nothing holds, is asked about by itself, and the question says so', async () => {
  const { platform } = process;
  Object.defineProperty(process, 'platform', { value: 'darwin' });
  try {
    const native = appWithCompiler('', '7.0.2');
    for (const allowUnjailed of ['nothing', 'reading'] as const) {
      const { unchecked } = await findProblems(native, { allowUnjailed });
      expect(unchecked).toMatchObject({
        reason: 'no-jail-native',
        message: expect.stringContaining('all of your rights'),
      });
    }
    expect(await reasonOf(native, { allowUnjailed: 'everything' })).not.toMatch(/no-jail/);
    const script = appWithCompiler('', '5.9.3');
    expect(await reasonOf(script)).toBe('no-jail');
    expect(await reasonOf(script, { allowUnjailed: 'reading' })).not.toMatch(/no-jail/);
  } finally {
    Object.defineProperty(process, 'platform', { value: platform });
  }
});

test('without one, where a person allowed it, Node lets it write nothing and start nothing', async () => {
  const place = join(tmpdir(), 'mustard-evil-unjailed');
  const program = `
    let done = 0;
    for (const how of [
      () => require('fs').writeFileSync(${JSON.stringify(place)}, 'x'),
      () => require('fs').writeFileSync(${JSON.stringify(import.meta.dirname)} + '/evil', 'x'),
      () => require('child_process').execSync('true'),
      () => require('fs').readFileSync(${JSON.stringify(import.meta.filename)}),
    ]) try { how(); done++; } catch {}
    ${says('done')}`;
  const app = appWithCompiler(program);
  const overlay = { deletes: [], renames: [], writes: [] };
  const request = JSON.stringify({ app, config: 'tsconfig.json', overlay, maxProblems: 1 });
  const end = await runChecker(unjailedChecker(app, false), request, 60_000, undefined);
  expect(end).toMatchObject({ kind: 'answered', said: '\n0' });
  expect(existsSync(place)).toBe(false);
});

test.skipIf(noJail)('what a compiler starts ends with it', async () => {
  const mark = `mustard-left-${process.pid}`;
  const program = `
    require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)', '${mark}'], {
      detached: true,
      stdio: 'ignore',
    });
    for (;;) {}`;
  expect(await reasonOf(appWithCompiler(program), { timeoutMs: 3000 })).toBe('timeout');
  const left = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandOf(name).includes(mark));
  expect(left).toEqual([]);
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
