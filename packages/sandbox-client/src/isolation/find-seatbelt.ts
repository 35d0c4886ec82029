import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Jail, NoJail } from './jail.ts';
import { ownFiles } from './own-files.ts';
import { seatbeltProfile } from './seatbelt.ts';

const sandboxExec = '/usr/bin/sandbox-exec';

/** A jail by macOS's `sandbox-exec` around `roots`, or what is missing. */
export function findSeatbelt(roots: readonly string[]): Jail | NoJail {
  if (!existsSync(sandboxExec)) return { reason: `${sandboxExec}, which comes with macOS, is not there.` };
  const node = process.execPath;
  // Libraries of a Node from a package manager, and Electron's frameworks, lie beside the folder of the executable.
  const own = [dirname(dirname(node)), ...ownFiles()].map((file) => realpathSync(file));
  const profile = seatbeltProfile({ node, readable: [...roots, ...own] });
  return {
    by: 'sandbox-exec',
    // It becomes the program that it starts.
    monitored: false,
    wrap: (command) => [sandboxExec, '-p', profile, ...command],
  };
}
