import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAgentPage } from './agent-page.mjs';
import { copyAgentTour } from './agent-tour.mjs';
import { buildApp } from './app.mjs';
import { buildBundles } from './bundles.mjs';
import { compileBundles } from './compiled.mjs';
import { withLock } from './lock.mjs';
import { writeOptionTypes } from './option-types.mjs';
import { removeStale } from './stale.mjs';
import { copyRecipes } from './recipes.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Brings every `dist` up to its sources: compiles, bundles and copies only what changed. Builds of one repository wait
 * for each other, so that several test runs may start at once. Throws when the packages do not compile.
 */
export async function build() {
  await withLock(fileURLToPath(new URL('../../node_modules/.cache/build.lock', import.meta.url)), async () => {
    await compile();
    for (const folder of packageFolders()) writeOptionTypes(join(root, folder));
    await buildBundles();
    await compileBundles();
    await buildApp();
    await buildAgentPage();
    removeStale();
    copyRecipes();
    copyAgentTour();
  });
}

function packageFolders() {
  return readdirSync(join(root, 'packages')).map((name) => `packages/${name}`);
}

/** Each package after those that it stands on, and only when it or they changed. */
async function compile() {
  const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
  const packages = packageFolders();
  const child = spawn(process.execPath, [tsc, '-b', ...packages], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code, signal] = await once(child, 'exit');
  if (code !== 0)
    throw new Error(`The packages do not compile: tsc ended with ${signal ?? code}. Its errors are above.`);
}
