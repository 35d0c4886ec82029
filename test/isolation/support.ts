import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createSandbox, type Sandbox, type SandboxOptions } from '@mustard-sandbox/client';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { onTestFinished } from 'vitest';
import { installCopy } from '../install-copy.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const maliciousEngine = fileURLToPath(new URL('fixtures/malicious-engine.mjs', import.meta.url));

/** Why there is no jail on this machine; `undefined` where there is one. */
export const noJail: string | undefined = await whyNoJail();
if (noJail !== undefined) process.stderr.write(`Tests of the jail are skipped: ${noJail}\n`);

async function whyNoJail(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `nobody has run them on ${process.platform} yet`;
  const sandbox = createSandbox({ roots: [], spares: 0 });
  try {
    await sandbox.warm();
    const { active, reason } = sandbox.stats().isolation;
    return active === 'jail' ? undefined : (reason ?? 'unknown');
  } finally {
    await sandbox.close();
  }
}

/** A fresh folder by its real path, removed after the test. */
export function makeFolder(parent = tmpdir(), prefix = 'mustard-jail-'): string {
  const folder = realpathSync(mkdtempSync(join(parent, prefix)));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Installation {
  createSandbox: (options: SandboxOptions) => Sandbox;
  /** The folder that the sidecar runs in. */
  dist: string;
}

/** The built client and daemon in a folder of their own, as npm installs them, with the malicious engine. */
export async function installMalicious(folder: string): Promise<Installation> {
  const modules = join(folder, 'node_modules');
  for (const name of ['client', 'daemon']) {
    const target = join(modules, '@mustard-sandbox', name);
    installCopy(`sandbox-${name}`, target);
  }
  linkAll(join(repository, 'node_modules'), modules);
  const dist = join(modules, '@mustard-sandbox/daemon/dist');
  const main = { sidecar: 'src/server/sidecar.ts' };
  await rebuild('sandbox-daemon', main, dist, /\/engine\/engines\.ts$/, maliciousEngine, 'commonJs');
  // Node's own flags bind its JavaScript, which here stands for machine code that nothing in the process binds.
  const noFlags = join(folder, 'no-flags.js');
  writeFileSync(noFlags, 'export const nodeFlags = () => [];\n');
  const clientDist = join(modules, '@mustard-sandbox/client/dist');
  await rebuild('sandbox-client', { index: 'src/index.ts' }, clientDist, /\/node-flags\.ts$/, noFlags);
  const client = join(clientDist, 'index.js');
  const { createSandbox } = (await import(pathToFileURL(client).href)) as Installation;
  return { createSandbox, dist };
}

/** A package's bundle, with another module in the place of one. */
async function rebuild(
  name: string,
  entryPoints: Record<string, string>,
  outdir: string,
  filter: RegExp,
  path: string,
  format?: 'commonJs',
): Promise<void> {
  const options = pathToFileURL(join(repository, 'scripts/build/bundle-options.mjs')).href;
  const { bundleOptions, commonJs } = (await import(options)) as Record<'bundleOptions' | 'commonJs', BuildOptions>;
  const replace: Plugin = {
    name: 'replace',
    setup(bundler) {
      bundler.onResolve({ filter }, () => ({ path }));
    },
  };
  const absWorkingDir = join(repository, 'packages', name);
  // What is installed beside the packages is loaded from there.
  const external = ['@duckdb/node-api', 'unpdf'];
  const own = format === undefined ? {} : commonJs;
  await build({ ...bundleOptions, ...own, absWorkingDir, entryPoints, outdir, external, plugins: [replace] });
}

function linkAll(from: string, modules: string): void {
  for (const name of readdirSync(from)) {
    if (/^\.|mustard-sandbox/.test(name) || existsSync(join(modules, name))) continue;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(from, name), join(modules, name));
  }
}
