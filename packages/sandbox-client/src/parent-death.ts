import { outputOf } from './isolation/spawn.ts';

/** The place is fixed, because the host's PATH may hold folders of the project that the agent works on. */
const setpriv = ['/usr/bin/setpriv', '--pdeathsig', 'KILL'] as const;
const probeTimeoutMs = 5_000;

let prefix: Promise<readonly string[]> | undefined;

/**
 * A prefix for a command that makes the kernel kill it together with its parent, even while the process is stopped and
 * cannot notice that its parent ended. Empty on systems other than Linux, and with util-linux before 2.33.
 */
export function parentDeathPrefix(): Promise<readonly string[]> {
  prefix ??= process.platform === 'linux' ? probe() : Promise.resolve([]);
  return prefix;
}

async function probe(): Promise<readonly string[]> {
  try {
    await outputOf([...setpriv, 'true'], { timeout: probeTimeoutMs, env: {} });
    return setpriv;
  } catch (error) {
    const { code } = error as { code?: unknown };
    // An exit code or a missing program will not change, so the result is kept. Any other error is a passing shortage.
    if (typeof code !== 'number' && code !== 'ENOENT' && code !== 'EACCES') prefix = undefined;
    return [];
  }
}
