import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { startProcess } from '@mustard-sandbox/client/isolation';
import { AgentError } from '../../shared/contract/index.ts';
import { passedOnEnvironment } from '../passed-on.ts';

export interface Manager {
  name: 'npm' | 'pnpm' | 'yarn' | 'bun';
  lockfiles: readonly string[];
  add: readonly string[];
  /** The arguments that install what `package.json` lists. */
  install: readonly string[];
  withoutScripts: readonly string[];
}

const npm: Manager = {
  name: 'npm',
  lockfiles: ['package-lock.json', 'npm-shrinkwrap.json'],
  add: ['install', '--no-audit', '--no-fund', '--prefer-offline'],
  install: ['install', '--no-audit', '--no-fund', '--prefer-offline'],
  withoutScripts: ['--ignore-scripts'],
};
const managers: readonly Manager[] = [
  {
    name: 'pnpm',
    lockfiles: ['pnpm-lock.yaml'],
    add: ['add', '--ignore-pnpmfile'],
    install: ['install', '--ignore-pnpmfile', '--no-frozen-lockfile'],
    withoutScripts: ['--ignore-scripts'],
  },
  {
    name: 'yarn',
    lockfiles: ['yarn.lock'],
    add: ['add', '--non-interactive'],
    install: ['install', '--non-interactive'],
    withoutScripts: ['--ignore-scripts'],
  },
  {
    name: 'bun',
    lockfiles: ['bun.lock', 'bun.lockb'],
    add: ['add'],
    install: ['install'],
    withoutScripts: ['--ignore-scripts'],
  },
];

/** Quotes for `cmd.exe`, which interprets `^` and `>` of a version range. Checked names have no quote and no `%`. */
export function quotedForCmd(argument: string): string {
  return `"${argument}"`;
}

const timeoutMs = 10 * 60_000;
const maxKeptOutput = 4000;

/** The package manager by the app's lockfile; npm when there is none. */
export function managerOf(app: string): Manager {
  const has = (name: string): boolean => lstatSync(join(app, name), { throwIfNoEntry: false })?.isFile() === true;
  return managers.find(({ lockfiles }) => lockfiles.some(has)) ?? npm;
}

/**
 * Adds packages in a folder, or installs those that it lists, and waits for the end.
 *
 * @throws {AgentError} `internal` with the end of what it printed, `not_found` when the program is not installed
 */
export async function runManager(
  { name, add, install, withoutScripts }: Manager,
  folder: string,
  packages: readonly string[] | 'listed',
  {
    signal,
    installScripts = false,
    onOutput,
  }: { signal?: AbortSignal; installScripts?: boolean; onOutput?: (text: string) => void },
): Promise<void> {
  const flags = installScripts ? [] : withoutScripts;
  const args = packages === 'listed' ? [...install, ...flags] : [...add, ...flags, '--', ...packages];
  const isWindows = process.platform === 'win32';
  // It has its own group, so that what it started ends with it. On Windows npm is a shell script.
  const options = {
    cwd: folder,
    env: { ...passedOnEnvironment(), YARN_IGNORE_PATH: '1', CI: '1' },
    stdio: ['ignore' as const, 'pipe' as const, 'pipe' as const],
    detached: !isWindows,
    shell: isWindows,
  };
  let notStarted: (error: Error) => void = () => {};
  const failure = new Promise<never>((_, reject) => (notStarted = reject));
  failure.catch(() => {});
  const child = startProcess([name, ...(isWindows ? args.map(quotedForCmd) : args)], options, notStarted);
  const kill = (): void => {
    try {
      if (child?.pid === undefined) return;
      if (isWindows) child.kill('SIGKILL');
      else process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  };
  const timer = setTimeout(kill, timeoutMs);
  signal?.addEventListener('abort', kill, { once: true });
  let output = '';
  const hear = (chunk: Buffer): void => {
    const text = chunk.toString('utf8');
    output = (output + text).slice(-maxKeptOutput);
    onOutput?.(text);
  };
  child?.stdout?.on('data', hear);
  child?.stderr?.on('data', hear);
  try {
    const ended = new Promise<number | null>((resolve) => child?.once('close', resolve));
    const code = await Promise.race([failure, ended]);
    signal?.throwIfAborted();
    if (code !== 0) {
      const what = packages === 'listed' ? 'install what package.json names' : `add ${packages.join(', ')}`;
      throw new AgentError('internal', `${name} could not ${what}. It said:\n${output.trim()}`);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new AgentError(
      'not_found',
      `${name} is not installed, and this app has its lockfile. Install ${name}, and try again.`,
      { cause: error },
    );
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', kill);
  }
}
