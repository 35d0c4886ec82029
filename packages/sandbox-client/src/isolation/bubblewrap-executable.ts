import { access, constants } from 'node:fs/promises';
import type { NoJail } from './jail.ts';
import { outputOf } from './spawn.ts';

/** The places are fixed, because the host's PATH may contain folders of the project that the agent works on. */
const places = ['/usr/bin', '/bin', '/usr/local/bin', '/run/wrappers/bin', '/run/current-system/sw/bin'];

export const probeTimeoutMs = 5_000;

/** An installed bubblewrap. */
export interface Bubblewrap {
  /** The path of its executable. */
  path: string;
  /** From `bwrap --version`, such as `0.8.0`. */
  version: string;
}

/** Finds bubblewrap, or says how to install it. Only using it shows whether the system lets it make namespaces. */
export async function lookForBubblewrap(): Promise<Bubblewrap | NoJail> {
  const path = await firstExecutable(places.map((place) => `${place}/bwrap`));
  if (path === undefined) {
    const how = 'Install it: `apt install bubblewrap`, `dnf install bubblewrap` or `pacman -S bubblewrap`';
    return { reason: `bubblewrap (bwrap) is not installed in ${places.join(', ')}. ${how}.` };
  }
  try {
    const stdout = await outputOf([path, '--version'], { env: {}, timeout: probeTimeoutMs });
    return { path, version: /[\d.]+/.exec(stdout)?.[0] ?? 'unknown' };
  } catch (error) {
    return { reason: `Could not look at ${path}: ${(error as Error).message}` };
  }
}

async function firstExecutable(files: string[]): Promise<string | undefined> {
  for (const file of files) {
    const executable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (executable) return file;
  }
  return undefined;
}
