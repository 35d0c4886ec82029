import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createWorkspaces } from '@mustard-sandbox/bash-tools';
import { sideBySide, summaries } from '../measure.mjs';
import { ratioOf } from '../statistics.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const modules = join(root, 'node_modules');
/** How long a spare may take to be ready; nobody's model asks sooner for the next command. */
const spareMs = 60;

/** What the jail of a command costs: for a command that does nothing, and for the build of a package. */
export async function measure({ quick, folder }) {
  const directory = join(folder, 'workspaces');
  let workspaces;
  try {
    workspaces = await createWorkspaces({ directory, toolchain: [modules, join(root, 'packages')] });
  } catch (/** @type {any} */ error) {
    const skipped = error.message;
    return { ratios: { 'bash-true': { skipped }, 'bash-build': { skipped } }, timings: {}, skipped: { bash: skipped } };
  }
  try {
    const workspace = await workspaces.open();
    const nothing = await sideBySide(
      {
        'true, jail': { run: () => workspace.run('true'), before: () => delay(spareMs) },
        'true, sh': () => outside('true', folder),
      },
      { rounds: quick ? 20 : 100, warmup: 5, budgetMs: quick ? 4000 : 15_000 },
    );
    const place = join(folder, 'build');
    await Promise.all([place, workspace.hostFolder].map(makeProject));
    const builds = await sideBySide(
      {
        'build, jail': () => build((command) => workspace.run(command)),
        'build, outside': () => build((command) => outside(command, place)),
      },
      { rounds: quick ? 3 : 12, warmup: 1, budgetMs: quick ? 15_000 : 60_000 },
    );
    return {
      ratios: {
        'bash-true': ratioOf(nothing['true, jail'], [nothing['true, sh']]),
        'bash-build': ratioOf(builds['build, jail'], [builds['build, outside']]),
      },
      timings: summaries({ ...nothing, ...builds }),
    };
  } finally {
    await workspaces.close();
  }
}

/** The sources of a package, to be compiled. */
async function makeProject(folder) {
  await mkdir(folder, { recursive: true });
  await cp(join(root, 'packages/mcp-server/src'), join(folder, 'src'), { recursive: true });
  await cp(join(root, 'tsconfig.base.json'), join(folder, 'base.json'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const compilerOptions = { rootDir: 'src', outDir: 'out', composite: false };
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: './base.json', compilerOptions, include: ['src'] }),
  );
  await symlink(modules, join(folder, 'node_modules'));
}

async function build(run) {
  const { exitCode, stdout } = await run(`rm -rf out && node ${modules}/typescript/bin/tsc -p . && ls out/index.js`);
  if (exitCode !== 0) throw new Error(`The build failed: ${stdout}`);
}

/** The same by the shell of this machine. */
async function outside(command, cwd) {
  const child = spawn('/bin/sh', ['-c', command], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.resume();
  const [exitCode] = await once(child, 'close');
  return { exitCode, stdout };
}
