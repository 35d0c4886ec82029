// Packs every package, installs the tarballs together into an empty folder and uses them there as a user would: what a
// workspace link hides (a file left out of "files", a dependency that only the root has) fails here. Build first.
import { deepEqual } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const root = fileURLToPath(new URL('..', import.meta.url));
// Never imported: importing an executable runs it.
const executables = new Set(['./main']);
const problems = [];

/** Runs a check and keeps going when it fails, so that one run shows everything that is wrong. */
async function check(what, action) {
  try {
    await action();
    console.log(`ok    ${what}`);
  } catch (thrown) {
    const error = /** @type {Error & { all?: string }} */ (thrown);
    console.log(`FAIL  ${what}\n${error.all ?? error.message}`);
    problems.push(what);
  }
}

function assert(condition, message) {
  if (!condition) throw new Error(message);
}

async function readManifests() {
  const folders = await readdir(join(root, 'packages'));
  const texts = await Promise.all(
    folders.map((name) => readFile(join(root, 'packages', name, 'package.json'), 'utf8')),
  );
  return texts.map((text) => JSON.parse(text));
}

/** The tarballs by package name; npm names them after it: @scope/name → scope-name-version.tgz. */
async function pack(manifests, target) {
  await execa(process.execPath, ['scripts/pack.mjs', target], { cwd: root });
  return new Map(
    manifests.map(({ name, version }) => {
      const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
      return [name, join(target, file)];
    }),
  );
}

async function installInto(folder, tarballs) {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const flags = ['--prefer-offline', '--no-audit', '--no-fund'];
  await execa('npm', ['install', ...flags, ...tarballs.values()], { cwd: folder });
}

/** Lints the tarball itself, so that what is published is what is looked at. */
async function lintTarball({ name, exports }, tarball) {
  const options = { cwd: root, preferLocal: true, all: true };
  await check(`${name}: publint`, () => execa('publint', ['run', tarball, '--strict'], options));
  const typed = Object.keys(exports).filter((path) => exports[path].types !== undefined);
  if (typed.length === 0) return; // attw has nothing to say about a command.
  const flags = ['--profile', 'esm-only', '--no-definitely-typed', '--entrypoints', ...typed];
  await check(`${name}: types resolve`, () => execa('attw', [tarball, ...flags], options));
}

async function checkFiles({ name, exports, bin }, app) {
  const installed = join(app, 'node_modules', name);
  const targets = Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? target : Object.values(target),
  );
  const wanted = ['LICENSE', 'NOTICE', ...targets, ...Object.values(bin ?? {})];
  const missing = wanted.filter((file) => !existsSync(join(installed, file)));
  assert(missing.length === 0, `not in the package: ${missing.join(', ')}`);
  assert(!existsSync(join(installed, 'dist/.tsbuildinfo')), 'dist/.tsbuildinfo is in the package');
}

/** Imports one specifier in a process of its own; it must export something, load no addon, and let the process end. */
async function checkImport(specifier, app) {
  const code = `
    const exported = Object.keys(await import(${JSON.stringify(specifier)}));
    process.report.excludeNetwork = true;
    const addons = process.report.getReport().sharedObjects.filter((file) => file.endsWith('.node'));
    console.log(JSON.stringify({ exported, addons }));`;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: app,
    timeout: 30_000,
  });
  const { exported, addons } = JSON.parse(stdout);
  assert(exported.length > 0, 'exports nothing');
  assert(addons.length === 0, `loaded ${addons.join(', ')}`);
}

async function checkBundledNotices(app) {
  for (const [name, works] of Object.entries({
    client: ['zod', 'vscode-jsonrpc'],
    protocol: ['vscode-jsonrpc'],
    daemon: ['zod', 'pino', 'vscode-jsonrpc'],
    'agent-tool': ['zod', 'mime', 'tinyglobby'],
    'mcp-server': ['zod'],
    'bash-tools': ['zod'],
    remote: ['hono', 'ignore', 'picomatch', 'pino', 'ws'],
  })) {
    const file = join(app, `node_modules/@mustard-sandbox/${name}/dist/THIRD-PARTY-LICENSES.txt`);
    const text = await readFile(file, 'utf8');
    for (const work of works) assert(text.includes(`\n${work} `), `that of ${name} does not name ${work}`);
  }
}

async function checkCommand({ version }, app) {
  const run = async (...args) =>
    (await execa('npx', ['--no-install', 'mustard-sandbox', ...args], { cwd: app, all: true })).stdout;
  await check('npx mustard-sandbox --version', async () => {
    const printed = await run('--version');
    assert(printed.trim() === version, `printed ${printed}`);
  });
  await check('npx mustard-sandbox run', async () => {
    await writeFile(join(app, 'two.js'), '1 + 1\n');
    const printed = await run('run', 'two.js');
    assert(printed.trim() === '2', `printed ${printed}`);
  });
  await check('npx mustard-sandbox recipes', async () => {
    const { recipes } = JSON.parse(await run('recipes', '--json'));
    const files = (await readdir(join(root, 'examples'))).filter((name) => name.endsWith('.js'));
    assert(recipes.length === files.length, `has ${recipes.length} recipes; there are ${files.length}`);
    const script = await run('recipes', 'tail');
    const original = await readFile(join(root, 'examples/tail.js'), 'utf8');
    assert(script.trim() === original.trim(), `printed ${script}`);
  });
}

/** Each template is packed as it lies in the repository: npm leaves out names that it takes for its own. */
async function checkTemplates(app) {
  const list = async (folder) =>
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(relative(folder, entry.parentPath), entry.name))
      .sort();
  const known = await list(join(root, 'packages/desktop-agent/templates'));
  deepEqual(await list(join(app, 'node_modules/mustard-agent/templates')), known);
  assert(
    known.some((file) => file.endsWith('gitignore')),
    'no template has a gitignore',
  );
}

/** Starts the installed agent as a person would, and asks for its page. */
async function checkAgent({ version }, app) {
  await check('npx mustard-agent --version', async () => {
    const { stdout } = await execa('npx', ['--no-install', 'mustard-agent', '--version'], { cwd: app });
    assert(stdout.trim() === version, `printed ${stdout}`);
  });
  await check('mustard-agent serves its page and ends with Ctrl-C', async () => {
    const command = join(app, 'node_modules/mustard-agent/bin/mustard-agent.js');
    const data = join(app, 'data');
    const running = execa(process.execPath, [command, '--no-open', '--data', data], {
      cwd: app,
      all: true,
      timeout: 60_000,
    });
    let origin;
    for await (const line of running.iterable({ from: 'stdout' })) {
      origin ??= /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
      if (!line.includes('Ctrl-C')) continue;
      for (const path of ['/', '/main.js', '/page.css']) {
        const { status } = await fetch(origin + path);
        assert(status === 200, `${path} is answered by ${status}`);
      }
      running.kill('SIGINT');
    }
    const { exitCode } = await running;
    assert(exitCode === 0, `ended with ${exitCode}`);
  });
}

// The real path: npm compares paths, and a temporary folder is behind a link on macOS.
const work = await realpath(await mkdtemp(join(tmpdir(), 'check-pack-')));
try {
  const manifests = await readManifests();
  const tarballs = await pack(manifests, join(work, 'tarballs'));
  await check('overrides name each tarball', async () => {
    const { overrides } = JSON.parse(await readFile(join(work, 'tarballs/overrides.json'), 'utf8'));
    const files = Object.fromEntries([...tarballs].map(([name, file]) => [name, `file:${file}`]));
    deepEqual(overrides, files);
  });
  const app = join(work, 'app');
  await installInto(app, tarballs);
  for (const manifest of manifests) {
    await lintTarball(manifest, tarballs.get(manifest.name));
    await check(`${manifest.name}: files`, () => checkFiles(manifest, app));
    const paths = Object.keys(manifest.exports).filter(
      (path) => path !== './package.json' && !executables.has(path) && !path.endsWith('.css'),
    );
    for (const path of paths) {
      const specifier = manifest.name + path.slice(1);
      await check(`import ${specifier}, without the addon`, () => checkImport(specifier, app));
    }
  }
  await check('notices of what is built in', () => checkBundledNotices(app));
  const named = (name) => manifests.find((manifest) => manifest.name === name);
  await checkCommand(named('mustard-sandbox'), app);
  await check('mustard-agent: templates', () => checkTemplates(app));
  await checkAgent(named('mustard-agent'), app);
} finally {
  await rm(work, { recursive: true, force: true });
}
console.log(problems.length === 0 ? 'All packages install and run.' : `${problems.length} pack checks failed.`);
if (problems.length > 0) process.exitCode = 1;
