import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorNumbers } from '@mustard-sandbox/protocol';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { LocalSandbox, RunOptions, Sandbox, SandboxOptions, SegmentOptions } from '@mustard-sandbox/client';
import { installCopy } from '../install-copy.ts';
import { recorded, sandbox } from './support.ts';

const main = createRequire(import.meta.url).resolve('@mustard-sandbox/daemon/main');
const repository = fileURLToPath(new URL('../..', import.meta.url));

/** In the path of everything the host has, and in its environment: it may come out nowhere. */
const canary = 'CANARY7f3a';

function makeHost(): { root: string; outside: string; attachment: string } {
  const world = mkdtempSync(join(tmpdir(), `${canary}-`));
  onTestFinished(() => rmSync(world, { recursive: true, force: true }));
  const root = join(world, 'root');
  const outside = join(world, 'outside');
  mkdirSync(join(root, 'folder'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(root, 'a.txt'), 'a'.repeat(100));
  writeFileSync(join(root, '.env'), canary);
  writeFileSync(join(outside, 'secret.txt'), canary);
  const attachment = join(outside, 'log.txt');
  writeFileSync(attachment, 'log');
  symlinkSync('../outside/secret.txt', join(root, 'link'));
  symlinkSync(join(outside, 'nothing'), join(root, 'dangling'));
  symlinkSync('loop', join(root, 'loop'));
  execFileSync('mkfifo', [join(root, 'fifo')]);
  return { root, outside, attachment };
}

const fakeDaemon = fileURLToPath(new URL('../fixtures/fake-daemon.mjs', import.meta.url));

function copyWithBrokenEngine(folder: string): string {
  const engine = `@mustardscript/binding-${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`;
  const installed = join(folder, 'node_modules', engine);
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, 'package.json'), '{ "version": "0.3.0", "main": "x.node" }');
  writeFileSync(join(installed, 'x.node'), 'no addon');
  installCopy('sandbox-daemon', folder);
  return join(folder, 'dist/main.cjs');
}

it.skipIf(process.platform === 'win32')(
  'no error, log or result holds a host path, a value of the environment or a stack',
  { timeout: 240_000 },
  async () => {
    const { root, outside, attachment } = makeHost();
    vi.stubEnv('MUSTARD_SECRET', canary);
    // One that the sidecar gets.
    vi.stubEnv('TMPDIR', outside);
    onTestFinished(() => void vi.unstubAllEnvs());
    const out: unknown[] = [];
    const codes = new Set<string>();
    const stderr = join(outside, 'stderr.log');

    const open = (options: SandboxOptions): LocalSandbox => {
      const box = sandbox({ logLevel: 'debug', spares: 0, ...options });
      out.push(recorded(box));
      return box;
    };
    async function provoke(where: SandboxOptions | Sandbox, use: (box: Sandbox) => Promise<unknown>): Promise<void> {
      const box = 'run' in where ? where : open(where);
      const error = await use(box).catch((reason: unknown) => reason as { code: string; message: string });
      if (error instanceof Error) codes.add((error as Error & { code: string }).code);
      out.push(error, error instanceof Error ? error.message : '', box.stats());
    }
    const scope = { root, attachments: [{ name: 'log', path: attachment }] };
    const logged = { command: ['/bin/sh', '-c', `exec "$@" 2>>'${stderr}'`, 'sh', process.execPath, main] };
    // One for all that leave their sidecar alive.
    const common = open(logged);
    const fails = (
      script: string,
      more: Partial<RunOptions> = {},
      where: SandboxOptions | Sandbox = common,
    ): Promise<void> =>
      provoke(where, async (box) => await box.run({ script, scope, onConsole: (line) => out.push(line), ...more }));

    // Caught: what the script sees.
    const paths = [
      '',
      '/',
      root,
      `${outside}/secret.txt`,
      '../outside',
      '~/x',
      'C:/x',
      'a\\b',
      'link',
      'dangling',
      'loop',
    ];
    paths.push(
      'fifo',
      '.env',
      'folder',
      'none',
      'none/x',
      'a.txt/x',
      'attachments:log',
      'attachments:x',
      'x'.repeat(300),
    );
    await fails(
      `const seen = [];
       for (const path of paths) for (const call of ['read', 'list', 'stats']) {
         try {
           seen.push(call === 'read' ? read_file(path) : call === 'list' ? list_files(path) : file_stats(path).size);
         } catch (error) { seen.push([error.name, error.message, error.code, String(error.stack)]); }
       }
       console.log(seen); seen`,
      // The script's own words come back to it.
      { inputs: { paths: paths.filter((path) => !path.includes(canary)) } },
    );
    // Uncaught: what the caller sees.
    await fails('read_file("link")');
    await fails('read_file("a.txt", { length: -1 })');
    await fails('read_file("a.txt")', { scope: { ...scope, maxReadBytes: 10 } });
    await fails('slow()', { hostFunctions: { slow: { handler: () => new Promise(() => {}), timeoutMs: 1 } } });
    await fails('let x = ;');
    await fails('import("x")');
    await fails('throw new Error(typeof process)');
    await fails('1', { inputs: { f: () => 1 } });
    await fails('1', { scope: { root: join(outside, 'none') } });
    await fails('1', { scope: { root: attachment } });
    await fails('1', { scope: { attachments: [{ name: 'x', path: outside }] } });
    await fails('while (true) {}', { limits: { timeoutMs: 30 } });
    await fails('1', { signal: AbortSignal.abort() });
    await fails('"a".repeat(20000000)');
    await fails('"a".repeat(500000000).length', { engine: 'mustardscript' }, {});
    await fails('1', { hostFunctions: { f: () => 1 }, limits: { timeoutMs: 50_000 } });
    await fails('load()', { hostFunctions: { load: () => readFileSync(join(outside, 'none.txt')) } });
    await fails('load()', { hostFunctions: { load: () => readFileSync(outside) } });
    await provoke({ quarantineAfter: 1 }, async (box) => {
      const script = '"a".repeat(500000000).length';
      await box.run({ script, engine: 'mustardscript' }).catch((error: unknown) => out.push(error));
      await box.run({ script, engine: 'mustardscript' });
    });
    await provoke({ maxProcesses: 1, maxQueue: 0, ...logged }, (box) =>
      Promise.all([1, 2].map(() => box.run({ script: '1' }))),
    );
    await provoke({}, async (box) => {
      await box.close();
      await box.run({ script: '1' });
    });
    const segment = (options: Omit<SegmentOptions, 'hostFunctions'>): Promise<void> =>
      provoke(common, async () => await common.runSegment({ ...options, hostFunctions: ['ask'], scope }));
    await segment({ script: 'ask(1)', engine: 'quickjs' });
    const snapshot = Buffer.from('no snapshot');
    await segment({ script: 'await ask(1)', from: { snapshot, answers: [{ id: 1, value: 1 }] } });
    // Processes that say more than they should.
    const says = (program: string): SandboxOptions => ({ command: [process.execPath, '-e', program], maxCrashes: 1 });
    await fails('1', {}, { command: [join(outside, 'no-such-program')], maxCrashes: 1 });
    await fails('1', {}, says(`require(${JSON.stringify(join(outside, 'none.js'))})`));
    await fails('1', {}, says(`throw new Error(process.env.TMPDIR + " and '" + process.env.TMPDIR + "/a b/c'")`));
    await fails('1', {}, says(`console.log(process.env.TMPDIR)`));

    await fails('1', {}, { command: [process.execPath, fakeDaemon, 'noise'] });
    // A copy whose engine is a file of another kind: the loader names it in full.
    const copy = copyWithBrokenEngine(outside);
    await fails('1', { engine: 'mustardscript' }, { command: [process.execPath, copy], logLevel: 'error' });

    // `connection_lost` is for a sandbox on another machine: test/remote.
    const local = Object.keys(errorNumbers).filter((code) => code !== 'connection_lost');
    expect([...codes].toSorted()).toEqual(local.toSorted());
    const told = JSON.stringify(out);
    for (const text of [told, readFileSync(stderr, 'utf8')]) {
      // A script's own stack names the script, and what it called.
      for (const trace of [
        canary,
        /\bat \S+ \((?!script|<sandbox>|native)/,
        /node:internal/,
        /\.[tr]s:\d/,
        /\.c?js:\d/,
      ]) {
        expect(around(text, trace)).toBe('');
      }
    }
    // The engine's own file is told to the host, in `stats()` and by `warm()`; the rest of the installation is not.
    const withoutEngine = told.replaceAll(/"path":"[^"]*\.node"/g, '');
    expect(around(withoutEngine, dirname(main))).toBe('');
    expect(around(withoutEngine, repository)).toBe('');
  },
);

/** What stands around the first thing that should not be there. */
function around(text: string, wrong: string | RegExp): string {
  const at = typeof wrong === 'string' ? text.indexOf(wrong) : text.search(wrong);
  return at === -1 ? '' : text.slice(Math.max(0, at - 300), at + 100);
}
