import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  applyPlan,
  installListed,
  listedPackages,
  propose,
  type Plan,
} from '../../../packages/desktop-agent/src/server/changes/index.ts';
import { quotedForCmd } from '../../../packages/desktop-agent/src/server/changes/package-manager.ts';
import { filesOf, gitEnv, good, newApp, newFolder, put, removeFolders, state, subjects } from './apps.ts';

/** The real npm, and a registry with two packages: one is a marker, one fails when its script runs. */
let registry: Server;
const ran = join(newFolder(), 'ran');
const before = { ...process.env };

beforeAll(async () => {
  const packages = new Map(['one', 'two'].map((name) => [name, packed(name)]));
  registry = createServer((request, response) => {
    const [, name = '', file] = (request.url ?? '').split('/');
    const tarball = packages.get(name);
    if (tarball === undefined) return response.writeHead(404).end('{}');
    if (file !== undefined) return response.end(tarball);
    const { port } = registry.address() as AddressInfo;
    const dist = {
      tarball: `http://127.0.0.1:${port}/${name}/${name}.tgz`,
      integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    };
    const version = { name, version: '1.0.0', scripts: scriptsOf(name), hasInstallScript: true, dist };
    return response.end(JSON.stringify({ name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }));
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  const { port } = registry.address() as AddressInfo;
  Object.assign(process.env, {
    HOME: newFolder(),
    GIT_CONFIG_GLOBAL: '/nonexistent',
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_cache: newFolder(),
    npm_config_update_notifier: 'false',
    NO_PROXY: '127.0.0.1',
    SECRET_OF_A_MODEL: 'x',
  });
});
afterAll(() => {
  for (const key of Object.keys(process.env)) if (!(key in before)) delete process.env[key];
  Object.assign(process.env, before);
  registry.close();
  removeFolders();
});

function scriptsOf(name: string): { install: string } {
  return { install: `env > ${ran}${name === 'two' ? '; exit 1' : ''}` };
}

function packed(name: string): Buffer {
  const folder = newFolder({
    'package/package.json': JSON.stringify({
      name,
      version: '1.0.0',
      scripts: scriptsOf(name),
    }),
    'package/index.js': 'module.exports = 1;\n',
  });
  return execFileSync('tar', ['-cz', '-C', folder, 'package'], { env: gitEnv });
}

async function planOf(app: string, dependencies: string[], changes: Parameters<typeof propose>[1]['changes'] = []) {
  const { plan } = await propose(app, { summary: 'Add it', changes, dependencies, commands: [] });
  return plan as Plan;
}

describe('packages that an answer adds', () => {
  it('come with the change, in one commit, and their scripts do not run', async () => {
    const app = newApp({ 'package.json': '{"name":"x","private":true}', '.gitignore': 'node_modules\n' });
    put(app, { 'node_modules/old/index.js': 'x', '.npmrc': 'ignore-scripts=false\nregistry=http://127.0.0.1:1/\n' });
    const { notes } = await applyPlan(app, await planOf(app, ['one'], [{ type: 'write', path: 'a.js', content: 'x' }]));
    expect(JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'))).toMatchObject({
      dependencies: { one: '^1.0.0' },
    });
    expect(filesOf(app)).toMatchObject({ 'node_modules/one/index.js': 'module.exports = 1;\n', 'a.js': 'x' });
    expect(subjects(app)[0]).toBe('[agent] Add it - wrote 1 file(s), added one');
    expect(notes).toContain('The packages were installed without the .npmrc of the app.');
    expect(state(app)).toEqual({ ...good, status: '?? .npmrc\n' });
    expect(existsSync(ran)).toBe(false);
    expect(readdirSync(join(app, '.git/mustard-agent')).sort()).toEqual(['.lock', 'tmp']);
  });

  it('may run their scripts when a person said so, without the keys of models', async () => {
    const app = newApp({ '.gitignore': 'node_modules\n' });
    await applyPlan(app, await planOf(app, ['one']), { installScripts: true });
    expect(readFileSync(ran, 'utf8')).not.toContain('SECRET_OF_A_MODEL');
    expect(state(app)).toEqual(good);
  });

  it.each([
    ['is not there', 'missing', false],
    ['fails', 'two', true],
  ])('take the change back with them when one %s', async (_, name, installScripts) => {
    const app = newApp({ 'package.json': '{}', '.gitignore': 'node_modules\n' });
    put(app, { 'node_modules/old/index.js': 'x' });
    const [files, log] = [filesOf(app), subjects(app)];
    const plan = await planOf(app, [name], [{ type: 'write', path: 'a.js', content: 'x' }]);
    await expect(applyPlan(app, plan, { installScripts })).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining(`npm could not add ${name}`),
    });
    expect([filesOf(app), subjects(app)]).toEqual([files, log]);
    expect(state(app)).toEqual(good);
  });

  it('can be stopped while they are installed', async () => {
    const app = newApp({ 'package.json': '{}' });
    const stop = new AbortController();
    const stopped = applyPlan(app, await planOf(app, ['one']), {
      signal: stop.signal,
      installScripts: true,
      onOutput: () => stop.abort(new Error('stopped')),
    });
    stop.abort(new Error('stopped'));
    await expect(stopped).rejects.toThrow(/stopped|abort|cancel/i);
    expect(filesOf(app)).toEqual({ 'package.json': '{}' });
    expect(state(app)).toEqual(good);
  });

  const elsewhere = 'git+https://127.0.0.1:1/x.git';
  it.each([
    ['workspaces', { 'package.json': '{"workspaces":["packages/*"]}' }],
    ['pnpm-workspace.yaml', { 'pnpm-workspace.yaml': "packages:\n  - 'packages/*'\n", 'pnpm-lock.yaml': '' }],
    ['Yarn 2', { 'yarn.lock': '__metadata:\n  version: 8\n' }],
    ['Yarn 2', { '.yarnrc.yml': 'nodeLinker: pnp\n' }],
    ['Yarn 2', { 'package.json': '{"packageManager":"yarn@4.5.0"}' }],
    ['own (../own)', { 'package.json': '{"devDependencies":{"own":"../own","fine":"^1.0.0"}}' }],
    ['own (file:own)', { 'package.json': '{"dependencies":{"own":"file:own"}}' }],
    ['own (person/own)', { 'package.json': '{"dependencies":{"own":"person/own"}}' }],
    ['own (own.tgz)', { 'package.json': '{"optionalDependencies":{"own":"own.tgz"}}' }],
    ['own (workspace:*)', { 'package.json': '{"dependencies":{"own":"workspace:*"}}' }],
    [`own (${elsewhere})`, { 'package.json': `{"overrides":{"a":{"own":"${elsewhere}"}}}` }],
    [elsewhere, { 'package-lock.json': `{"packages":{"node_modules/own":{"resolved":"${elsewhere}#1"}}}` }],
    ['git@127.0.0.1', { 'yarn.lock': 'own@1:\n  resolved "git@127.0.0.1:own.git#1"\n' }],
  ])(
    'are refused by name before anything is touched where there is %s',
    async (name, files: Record<string, string>) => {
      const app = newApp({ 'package.json': '{}', '.gitignore': 'node_modules\n', ...files });
      const wanted = { summary: 'Add it', changes: [], dependencies: ['one'], commands: [] };
      const { proposal, plan } = await propose(app, wanted);
      expect(plan).toBeNull();
      expect(proposal).toMatchObject({ state: 'failed', error: expect.stringContaining(name) });
      // What was proposed before the app became one of these.
      const old: Plan = { ...wanted, effects: [], counts: { wrote: 0, renamed: 0, deleted: 0 }, base: {} };
      await expect(applyPlan(app, old)).rejects.toMatchObject({ code: 'denied', message: proposal.error });
      expect(existsSync(join(app, '.git/mustard-agent/install'))).toBe(false);
      expect(state(app)).toEqual(good);
    },
  );

  it('are refused where the answer itself adds a package that is not from the registry', async () => {
    const app = newApp({ 'package.json': '{}' });
    const content = `{"dependencies":{"own":"${elsewhere}","alias":"npm:@scope/other@^1","fine":">=1 <2 || 3.x"}}`;
    const changes = [{ type: 'write' as const, path: 'package.json', content }];
    const { proposal } = await propose(app, { summary: '', changes, dependencies: ['one'], commands: [] });
    expect(proposal.error).toContain(`not from the registry: own (${elsewhere}),`);
  });

  it('are quoted for the shell of Windows, which would take ^ away and write to a file at >', () => {
    expect(['one@^1.0.0', 'two@>=2'].map(quotedForCmd)).toEqual(['"one@^1.0.0"', '"two@>=2"']);
  });
});

describe('packages that the app lists', () => {
  const manifest = '{"name":"x","private":true,"devDependencies":{"one":"1.0.0"}}';

  it('are named, and installed as they are pinned, without their scripts', async () => {
    const app = newApp({ 'package.json': manifest, '.gitignore': 'node_modules\n' });
    rmSync(ran, { force: true });
    const listed = { manager: 'npm', names: ['one@1.0.0'], hosts: [], refused: null };
    expect(await listedPackages(app)).toEqual({ ...listed, installed: false });
    await installListed(app, {});
    expect(await listedPackages(app)).toMatchObject({ manager: 'npm', names: ['one@1.0.0'], installed: true });
    expect(JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'))).toEqual(JSON.parse(manifest));
    expect(filesOf(app)).toMatchObject({ 'node_modules/one/index.js': 'module.exports = 1;\n' });
    expect(subjects(app)).toEqual(['Install packages', 'first']);
    expect(state(app)).toEqual(good);
    expect(existsSync(ran)).toBe(false);
    // Once more, with nothing left for git to keep.
    await installListed(app, {});
    expect(subjects(app)).toEqual(['Install packages', 'first']);
    expect(state(app)).toEqual(good);
  });

  it('leave all as it was when one is not there', async () => {
    const app = newApp({ 'package.json': '{"dependencies":{"missing":"1.0.0"}}', '.gitignore': 'node_modules\n' });
    put(app, { 'node_modules/old/index.js': 'x' });
    const files = filesOf(app);
    await expect(installListed(app, {})).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('npm could not install what package.json names'),
    });
    expect(filesOf(app)).toEqual(files);
    expect(state(app)).toEqual(good);
  });

  it('are refused where more than packages of the registry would come, and the servers of a lockfile are named', async () => {
    const app = newApp({ 'package.json': '{"dependencies":{"own":"file:../own"}}' });
    expect(await listedPackages(app)).toMatchObject({ refused: expect.stringContaining('own (file:../own)') });
    await expect(installListed(app, {})).rejects.toMatchObject({ code: 'denied' });
    const locked = newApp({
      'package.json': manifest,
      'package-lock.json': '{"packages":{"node_modules/one":{"resolved": "https://evil.example:8/one.tgz"}}}',
    });
    expect(await listedPackages(locked)).toMatchObject({ hosts: ['evil.example:8'] });
  });

  it('are none of a manifest that is a link or no JSON', async () => {
    const app = newApp({ 'package.json': '{"dependencies":' });
    expect(await listedPackages(app)).toMatchObject({ names: [] });
    rmSync(join(app, 'package.json'));
    symlinkSync('/etc/passwd', join(app, 'package.json'));
    expect(await listedPackages(app)).toMatchObject({ names: [], refused: expect.stringContaining('link') });
  });
});
