import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Jail, NoJail } from './jail.ts';
import { ownFiles } from './own-files.ts';
import { seatbeltProfile } from './seatbelt.ts';

const sandboxExec = '/usr/bin/sandbox-exec';

/** A jail by macOS's `sandbox-exec` around `roots`, or what is missing for one. */
export function findSeatbelt(roots: readonly string[]): Jail | NoJail {
  if (!existsSync(sandboxExec)) return { reason: `${sandboxExec}, which comes with macOS, is not there.` };
  const node = process.execPath;
  // Libraries of a Node from a package manager, and Electron's frameworks, are beside the folder of the executable.
  const own = [dirname(dirname(node)), ...ownFiles()].map((file) => realpathSync(file));
  const profile = seatbeltProfile({ node, readable: [...roots, ...own] });
  return {
    by: 'sandbox-exec',
    // `sandbox-exec` becomes the program that it starts, so it adds no process.
    monitored: false,
    wrap: (command) => [sandboxExec, '-p', profile, ...command],
  };
}
