import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createSandbox } from '@mustard-sandbox/client';
import { build, type BuildOptions } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';

const main = createRequire(import.meta.url).resolve('@mustard-sandbox/daemon/main');
const repository = fileURLToPath(new URL('../..', import.meta.url));
const daemon = join(repository, 'packages/sandbox-daemon');

/** What an idle sidecar needs of Node. Any other module is memory and time that every sidecar pays for. */
const ofNode = [
  ...['buffer', 'console', 'fs', 'module', 'net', 'os', 'path', 'perf_hooks', 'stream', 'stream/promises'],
  ...['string_decoder', 'timers/promises', 'url', 'util', 'v8', 'vm', 'worker_threads', 'diagnostics_channel'],
];

/** What it needs of the built-ins: to open the scope of a run, and to read, list and tell of files. */
const ofFiles = [
  ...['archives/archive', 'archives/bytes', 'archives/content', 'archives/later'],
  ...[
    'aside/aside',
    'aside/messages',
    'binary-kinds',
    'budget',
    'builtins',
    'call',
    'call-clock',
    'file-stats',
    'find-files',
  ],
  ...['find-glob', 'glob', 'index', 'later', 'line-indexes', 'line-readers', 'list-files', 'open', 'options', 'pace'],
  ...[
    'path-policy',
    'read-file',
    'scope',
    'secret-names',
    'source/compression',
    'source/encodings',
    'text-range',
    'tree',
    'walk',
  ],
];

describe('a sidecar', () => {
  it('has loaded nothing but its program and the engine while it is idle', async () => {
    const { files, modules } = await loadedBy();
    expect(files).toEqual(['main.cjs', expect.stringMatching(/\.node$/), 'sidecar.cjs']);
    expect(modules.filter((name) => !ofNode.includes(name))).toEqual([]);
  });

  it('has loaded nothing more after a first script, and the parser after one that needs it', async () => {
    const plain = await loadedBy(`for (const path of list_files()) path; read_file('package.json').length`);
    expect(plain.files).toEqual(['main.cjs', expect.stringMatching(/\.node$/), 'sidecar.cjs']);
    const { files, modules } = await loadedBy(`return file_stats('package.json').size`);
    expect(files).toEqual(['main.cjs', expect.stringMatching(/\.node$/), 'sidecar.cjs', 'reading.cjs']);
    expect(modules.filter((name) => !ofNode.includes(name))).toEqual([]);
  });

  it('has loaded what decompresses after a search', async () => {
    const { modules } = await loadedBy(`search('package.json', 'name', { count: true })`);
    expect(modules).toContain('zlib');
  });

  it('evaluates nothing at its start that few runs need', async () => {
    const reached = await evaluatedAtStart();
    const packages = new Set(reached.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
    expect([...packages].toSorted()).toEqual(['quickjs-wasi', 'vscode-jsonrpc', 'zod']);
    const files = reached.filter((path) => path.startsWith('src/files/')).map((path) => path.slice(10, -3));
    expect(files.filter((path) => !ofFiles.includes(path))).toEqual([]);
    expect(reached.filter((path) => path.startsWith('src/engine/read/'))).toEqual([
      'src/engine/read/read.ts',
      'src/engine/read/syntax.ts',
    ]);
  });
});

/** What a sidecar has loaded at its end: files, and public modules of Node beyond those of Node alone. */
async function loadedBy(script?: string): Promise<{ files: string[]; modules: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'mustard-loaded-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const told = join(folder, 'loaded.json');
  const look = join(folder, 'look.cjs');
  writeFileSync(
    look,
    `const before = new Set(process.moduleLoadList);
    const vm = require('node:vm');
    const compiled = [];
    vm.Script = class extends vm.Script {
      constructor(source, options) {
        super(source, options);
        compiled.push(options.filename);
      }
    };
    process.on('exit', () => {
      const modules = process.moduleLoadList.filter((name) => !before.has(name)).map((name) => name.split(' ').pop());
      const files = [...Object.keys(require.cache).filter((path) => path !== __filename), ...compiled];
      require('node:fs').writeFileSync(${JSON.stringify(told)}, JSON.stringify({ modules, files }));
    });`,
  );
  const sandbox = createSandbox({ command: [process.execPath, '-r', look, main], spares: 0 });
  await sandbox.warm();
  if (script !== undefined) await sandbox.run({ script, scope: { root: repository } });
  await sandbox.close();
  const { files, modules } = JSON.parse(readFileSync(told, 'utf8')) as { files: string[]; modules: string[] };
  return { files: files.map((path) => basename(path)), modules: modules.filter((name) => isBuiltin(name)) };
}

/** The sources that the program evaluates before anything asks it to: what `later.ts` names is none of them. */
async function evaluatedAtStart(): Promise<string[]> {
  const options = pathToFileURL(join(repository, 'scripts/build/bundle-options.mjs')).href;
  const { bundleOptions, commonJs } = (await import(options)) as Record<'bundleOptions' | 'commonJs', BuildOptions>;
  const entry = 'src/server/sidecar.ts';
  const { metafile } = await build({
    ...bundleOptions,
    ...commonJs,
    absWorkingDir: daemon,
    entryPoints: [entry],
    external: ['@duckdb/node-api', 'unpdf'],
    metafile: true,
    write: false,
    outdir: 'out',
  });
  const reached = new Set([entry]);
  for (const path of reached) {
    for (const { path: next, kind, external } of metafile.inputs[path]?.imports ?? []) {
      const isLater = kind === 'dynamic-import' || (kind === 'require-call' && path.endsWith('/later.ts'));
      if (!isLater && external !== true) reached.add(next);
    }
  }
  return [...reached].map((path) => relative(daemon, join(daemon, path)).replaceAll('\\', '/'));
}
