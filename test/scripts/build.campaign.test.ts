import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const pool = 'packages/sandbox-client/src/pool.ts';

let copy: string;
const build = () => execa(process.execPath, ['scripts/build.mjs'], { cwd: copy, all: true, reject: false });
const runTest = (file: string, name: string) => {
  const vitest = join(repository, 'node_modules/vitest/vitest.mjs');
  return execa(process.execPath, [vitest, 'run', file, '-t', name], { cwd: copy, all: true, reject: false });
};

/** A copy of this repository as it is built now, which shares the installed packages. */
beforeAll(() => {
  copy = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-build-')));
  const parts = ['packages', 'scripts', 'test', 'package.json', 'tsconfig.base.json', 'vitest.config.ts'];
  const recipes = readdirSync(join(repository, 'examples')).map((name) => `examples/${name}`);
  for (const part of [...parts, ...recipes]) {
    // With the times of the files: they tell what is up to date.
    cpSync(join(repository, part), join(copy, part), { recursive: true, preserveTimestamps: true });
  }
  const modules = join(copy, 'node_modules');
  link(join(repository, 'node_modules'), modules, /^\.|mustard-(?:sandbox|agent)$/);
  for (const name of readdirSync(join(copy, 'packages'))) {
    const manifest = JSON.parse(readFileSync(join(copy, 'packages', name, 'package.json'), 'utf8')) as { name: string };
    mkdirSync(dirname(join(modules, manifest.name)), { recursive: true });
    symlinkSync(join(copy, 'packages', name), join(modules, manifest.name), 'junction');
  }
  return () => rmSync(copy, { recursive: true, force: true });
});
beforeEach(async () => {
  await build();
});

function link(from: string, to: string, except: RegExp): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (!except.test(name)) symlinkSync(join(from, name), join(to, name), 'junction');
  }
}

/** What was written when, of everything that is built. */
function builtFiles(): Map<string, string> {
  const dists = readdirSync(join(copy, 'packages')).map((name) => join(copy, 'packages', name, 'dist'));
  const files = dists.flatMap((dist) =>
    readdirSync(dist, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return new Map(files.map((file) => [relative(copy, file).replaceAll('\\', '/'), `${statSync(file).mtimeMs}`]));
}

function edit(file: string, change: (text: string) => string): void {
  const text = readFileSync(join(copy, file), 'utf8');
  expect(change(text)).not.toBe(text);
  writeFileSync(join(copy, file), change(text));
  onTestFinished(() => restore(file));
}

function restore(file: string): void {
  copyFileSync(join(repository, file), join(copy, file));
}

// Each starts compilers and test runs of its own.
describe('a test run', { timeout: 240_000 }, () => {
  test('tests the sources: what throws in them fails it', async () => {
    const run = () => runTest('test/client/run.test.ts', 'answers with the value and what it took');
    edit(pool, (text) => text.replace(/constructor\([^]*?\{\n/, `$&    throw new Error('thrown by the pool');\n`));
    const broken = await run();
    expect(broken.exitCode, broken.all).toBe(1);
    expect(broken.all).toContain('thrown by the pool');

    restore(pool);
    const mended = await run();
    expect(mended.exitCode, mended.all).toBe(0);
  });

  test('fails where the packages do not compile', async () => {
    edit(pool, (text) => `${text}\nexport const wrong: number = 'text';\n`);
    const { exitCode, all } = await runTest('test/protocol/framing.test.ts', '');
    expect(exitCode, all).toBe(1);
    expect(all).toContain('pool.ts');
    expect(all).toContain('The packages do not compile');
  });
});

describe('a build', { timeout: 240_000 }, () => {
  test('writes nothing when nothing changed', async () => {
    const before = builtFiles();
    expect((await build()).exitCode).toBe(0);
    expect(builtFiles()).toEqual(before);
  });

  test('bundles only what changed', async () => {
    const before = builtFiles();
    edit('packages/agent-tool/src/sizes.ts', (text) => `${text}\nexport const added = 1;\n`);
    expect((await build()).exitCode).toBe(0);
    const after = builtFiles();
    const changed = [...after.keys()].filter((file) => before.get(file) !== after.get(file));
    expect(changed).toContain('packages/agent-tool/dist/sizes.d.ts');
    expect(changed.filter((file) => /sandbox-(client|daemon)/.test(file))).toEqual([]);
  });

  test('mends what was removed or edited, and removes what no source makes any more', async () => {
    const wanted = readFileSync(join(copy, 'packages/sandbox-client/dist/index.js'), 'utf8');
    writeFileSync(join(copy, 'packages/sandbox-client/dist/index.js'), 'half a file');
    rmSync(join(copy, 'packages/sandbox-daemon/dist/main.cjs'));
    writeFileSync(join(copy, 'packages/cli/dist/of-an-earlier-version.js'), '');
    rmSync(join(copy, 'packages/agent-tool/dist/shared'), { recursive: true });
    writeFileSync(join(copy, 'packages/cli/dist/recipes/renamed.js'), '');
    expect((await build()).exitCode).toBe(0);
    const files = builtFiles();
    expect(readFileSync(join(copy, 'packages/sandbox-client/dist/index.js'), 'utf8')).toBe(wanted);
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(['packages/sandbox-daemon/dist/main.cjs', 'packages/agent-tool/dist/index.js']),
    );
    expect([...files.keys()].filter((file) => /earlier|renamed/.test(file))).toEqual([]);
  });

  test('waits for another of the same repository, and takes over from one that died', async () => {
    rmSync(join(copy, 'packages/sandbox-daemon/dist/main.cjs'));
    const dead = await execa(process.execPath, ['-p', 'process.pid']);
    mkdirSync(join(copy, 'node_modules/.cache'), { recursive: true });
    writeFileSync(join(copy, 'node_modules/.cache/build.lock'), dead.stdout);
    const builds = await Promise.all([build(), build(), build()]);
    expect(builds.map(({ exitCode, all }) => ({ exitCode, all }))).toEqual(
      builds.map(() => ({ exitCode: 0, all: '' })),
    );
    expect(existsSync(join(copy, 'node_modules/.cache/build.lock'))).toBe(false);
    const before = builtFiles();
    await build();
    expect(builtFiles()).toEqual(before);
  });
});
