import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { CallClock } from '../../packages/sandbox-daemon/src/files/call-clock.ts';
import { isFull, runs } from '../full.ts';
import { accessTo, errorOf, makeFolder } from './support.ts';

const tree = {
  'b.txt': '',
  'a/x.txt': '',
  'a/y/z.txt': '',
  'a.txt': '',
  'B.txt': '',
  'empty/': '',
  '\u{1f600}.txt': '',
  '\uff5e.txt': '',
  to: { link: 'a' },
  '.env': '',
  'node_modules/x': '',
};

describe('list_files', () => {
  test('gives the entries of one folder, as paths to pass on, sorted by code unit', () => {
    const files = accessTo(makeFolder(tree));
    const root = ['B.txt', 'a.txt', 'a/', 'b.txt', 'empty/', 'to/', '\u{1f600}.txt', '\uff5e.txt'];
    for (const dir of [undefined, '.', './']) expect(files.listFiles(dir)).toEqual(root);
    for (const dir of ['a', 'a/', './a//']) expect(files.listFiles(dir)).toEqual(['a/x.txt', 'a/y/']);
    expect(files.listFiles('to')).toEqual(['to/x.txt', 'to/y/']);
    expect(files.listFiles('empty')).toEqual([]);
  });

  test('hides names that a script could not write', () => {
    const root = makeFolder({
      'back\\slash': '',
      'line\nbreak': '',
      'co:lon': '',
      '~x': '',
      'sub/~x': '',
      nul: '',
      ok: '',
    });
    writeFileSync(Buffer.concat([Buffer.from(`${root}/latin-`), Buffer.of(0xe9)]), '');
    writeFileSync(join(root, 'replaced-\ufffd'), '');
    const files = accessTo(root);
    expect(files.listFiles(undefined)).toEqual(['ok', 'sub/']);
    expect(files.listFiles('sub')).toEqual(['sub/~x']);
  });

  test("hides what a caller's pattern denies, under either of its paths", () => {
    const root = makeFolder({
      'data/raw/x': '',
      'data/y': '',
      to: { link: 'data' },
      'by-link': { link: 'data/raw/x' },
    });
    const files = accessTo(root, { deny: ['data/raw', 'to/y'] });
    expect(files.listFiles(undefined)).toEqual(['data/', 'to/']);
    expect(files.listFiles('data')).toEqual(['data/y']);
    expect(files.listFiles('to')).toEqual([]);
  });

  const many = isFull ? 120_000 : 12_000;
  test(`takes a folder of ${many} entries`, () => {
    const root = makeFolder();
    // Names of a few files: a link takes a third of the time of a file. Some file systems allow 65,000 links to one.
    for (let index = 0; index < many; index++) {
      const first = join(root, `f${index - (index % 1000)}`);
      if (index % 1000 === 0) writeFileSync(first, '');
      else linkSync(first, join(root, `f${index}`));
    }
    // The clock stands still: this machine may be busy, and the time limit is not what is tested here.
    using _clock = stopClock(() => 0);
    expect(accessTo(root).listFiles('.').length).toBe(many);
  });

  test('ends with capability_timeout when it takes too long', () => {
    const root = makeFolder();
    for (let index = 0; index < 1500; index++) writeFileSync(join(root, `f${index}`), '');
    let now = 0;
    using _clock = stopClock(() => (now += 2_500));
    const error = errorOf(() => accessTo(root).listFiles('.'));
    expect(error).toMatchObject({
      code: 'capability_timeout',
      details: { capability: 'list_files', path: '.', limit: 'capability_ms', value: 500, unit: 'ms' },
    });
  });
});

test('a call has time to compute: of what passes, four times as much', () => {
  let now = 0;
  let computed = 0;
  using _clock = stopClock(() => now);
  const cpuUsage = vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: computed * 1000, system: 0 }));
  try {
    const clock = new CallClock(500);
    const isOverAt = (passedMs: number, cpuMs: number): boolean => {
      [now, computed] = [passedMs, cpuMs];
      return clock.isOver();
    };
    expect([isOverAt(60, 10), isOverAt(1900, 300), isOverAt(2001, 300)]).toEqual([false, false, true]);
    expect(isOverAt(600, 461)).toBe(true);
  } finally {
    cpuUsage.mockRestore();
  }
});

test('a long read ends with capability_timeout as well', () => {
  const root = makeFolder({ f: Buffer.alloc(9_000_000) });
  let now = 0;
  using _clock = stopClock(() => (now += 2_500));
  expect(errorOf(() => accessTo(root, { maxReadBytes: 10_000_000 }).readFile('f', {}))).toMatchObject({
    code: 'capability_timeout',
    details: { capability: 'read_file', path: 'f' },
  });
});

function stopClock(now: () => number): Disposable {
  const spy = vi.spyOn(performance, 'now').mockImplementation(now);
  return { [Symbol.dispose]: () => spy.mockRestore() };
}

const names = ['a', 'b', 'B.txt', '.env', '.git', 'x.pem', 'c\\d', 'e:f', '~g', 'é', 'con', '.environment.md', 'raw'];
const entry = fc.oneof(
  fc.constant('file' as const),
  fc.constant('folder' as const),
  fc.constant('fifo' as const),
  fc
    .tuple(fc.constantFrom('', '../', '../../', '../outside/'), fc.array(fc.constantFrom(...names), { maxLength: 2 }))
    .map(([up, down]) => ({ link: up + down.join('/') || '.' })),
);
const entries = fc.array(fc.tuple(fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }), entry), {
  maxLength: 12,
});

test('list_files shows exactly what read_file and list_files accept, and none of it is secret', () => {
  fc.assert(
    fc.property(entries, (generated) => {
      // So deep that no chain of links leads out of it: a file would stay behind in the folder of temporary files.
      const deep = 'd/'.repeat(25);
      const world = makeFolder({
        [`${deep}outside/a`]: 'SECRET',
        [`${deep}outside/b/a`]: 'SECRET',
        [`${deep}root/`]: '',
      });
      const root = join(world, deep, 'root');
      for (const [segments, what] of generated) make(root, segments, what);
      const files = accessTo(root, { deny: ['b/raw'] });
      checkFolder(files, root, '.', 0);
      rmSync(world, { recursive: true });
    }),
    runs(300),
  );
});

let fifoPath: string | undefined;
afterAll(() => fifoPath !== undefined && rmSync(join(fifoPath, '..'), { recursive: true }));

/** One named pipe for all: a process for each would take most of this test's time. */
function fifo(): string {
  if (fifoPath === undefined) {
    fifoPath = join(realpathSync(mkdtempSync(join(tmpdir(), 'mustard-fifo-'))), 'fifo');
    if (process.platform !== 'win32') execFileSync('mkfifo', [fifoPath], { stdio: 'ignore' });
  }
  return fifoPath;
}

/** Later entries that clash with earlier ones are left out. */
function make(root: string, segments: string[], what: 'file' | 'folder' | 'fifo' | { link: string }): void {
  const path = join(root, ...segments);
  try {
    mkdirSync(join(path, '..'), { recursive: true });
    // A file lands where the links before it lead: `.git/a` behind a link `.git` to the root is the root's own `a`.
    const real = relative(realpathSync(root), join(realpathSync(join(path, '..')), segments.at(-1) as string));
    const secret =
      real.startsWith('..') ||
      real.split(sep).some((name) => ['.env', '.git', 'x.pem'].includes(name)) ||
      real.startsWith(join('b', 'raw'));
    if (what === 'file') writeFileSync(path, secret ? 'SECRET' : 'plain', { flag: 'wx' });
    else if (what === 'folder') mkdirSync(path);
    else if (what === 'fifo') linkSync(fifo(), path);
    else symlinkSync(what.link, path);
  } catch {
    // Taken already.
  }
}

function checkFolder(files: ReturnType<typeof accessTo>, root: string, dir: string, depth: number): void {
  const listed = new Set(files.listFiles(dir));
  const prefix = dir === '.' ? '' : dir;
  for (const name of readdirSync(join(root, dir))) {
    const path = prefix + name;
    const content = valueOf(() => files.readFile(path, {}).toString());
    const folder = valueOf(() => files.listFiles(path));
    expect(listed.has(path), path).toBe(content !== undefined);
    expect(listed.has(`${path}/`), path).toBe(folder !== undefined);
    expect(content ?? 'plain').not.toBe('SECRET');
    if (folder !== undefined && depth < 3) checkFolder(files, root, `${path}/`, depth + 1);
  }
}

function valueOf<T>(body: () => T): T | undefined {
  try {
    return body();
  } catch {
    return undefined;
  }
}
