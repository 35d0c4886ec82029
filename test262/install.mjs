// The package of the tests is a dependency of this folder alone, which is no workspace: nothing else ever fetches it.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const [[name, version]] = Object.entries(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies);

/** Where the package is; `undefined` when it is not installed. */
export function findPackage() {
  const root = join(folder, 'node_modules', ...name.split('/'));
  return existsSync(join(root, 'harness', 'assert.js')) ? root : undefined;
}

/**
 * Fetches it with npm.
 *
 * @param {AbortSignal} signal
 * @returns {Promise<string>} where it is
 * @throws where npm fails, with what to do
 */
export async function fetchPackage(signal) {
  process.stderr.write(
    `Fetching ${name} ${version} into test262/node_modules: 4 MB, 32,000 files, nothing else needs it.\n`,
  );
  const { npm_execpath: npm } = process.env;
  const options = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock'];
  // npm's own file, where npm runs this: `npm` itself is a script of the shell on Windows.
  const [command, args] = npm === undefined ? ['npm', options] : [process.execPath, [npm, ...options]];
  const child = spawn(command, args, { stdio: ['ignore', 2, 2], signal });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
  const root = findPackage();
  if (code === 0 && root !== undefined) return root;
  throw new Error(
    `npm could not fetch ${name} ${version} (exit code ${code}). Check that the registry in use has it: npm view ${name}@${version}. Then run: npm install --prefix test262`,
  );
}

export const packageName = `${name} ${version}`;
