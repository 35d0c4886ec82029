import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Not the host's PATH: that may hold folders of the very project that the agent works on. */
const setpriv = ['/usr/bin/setpriv', '--pdeathsig', 'KILL'] as const;
const probeTimeoutMs = 5_000;

let prefix: Promise<readonly string[]> | undefined;

/**
 * What to put before a command so that the kernel kills it with its parent, also while it is stopped and cannot see for
 * itself that the parent is gone. Empty where there is no such thing: other systems than Linux, util-linux before 2.33.
 */
export function parentDeathPrefix(): Promise<readonly string[]> {
  prefix ??= process.platform === 'linux' ? probe() : Promise.resolve([]);
  return prefix;
}

async function probe(): Promise<readonly string[]> {
  const [file, ...args] = setpriv;
  try {
    await run(file, [...args, 'true'], { timeout: probeTimeoutMs, env: {} });
    return setpriv;
  } catch (error) {
    const { code } = error as { code?: unknown };
    // An exit code, or no such program: it stays so. Anything else is a machine that is short of something.
    if (typeof code !== 'number' && code !== 'ENOENT' && code !== 'EACCES') prefix = undefined;
    return [];
  }
}
