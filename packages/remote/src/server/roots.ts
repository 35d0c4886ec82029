import { realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { resolveRoots } from '@mustard-sandbox/paths';
import { invalidRequest } from '@mustard-sandbox/protocol';
import type { ResolvedServerOptions } from './options.ts';

/**
 * The folders whose files clients may name, free of links. A folder inside another one stays, because its name may be
 * denied below the other.
 *
 * @throws {SandboxError} `invalid_request` for a root that is missing, and for one that holds files which are not for
 * clients
 */
export function openRoots({
  allowRoots,
  store,
  privateFiles,
}: Pick<ResolvedServerOptions, 'allowRoots' | 'store' | 'privateFiles'>): string[] {
  const roots = allowRoots.flatMap((root) => resolveRoots([root]));
  for (const root of roots) {
    if (holds(root, store) || holds(store, root)) {
      throw invalidRequest(
        'serveSandboxes()',
        'allowRoots',
        `${JSON.stringify(root)} and the store at ${JSON.stringify(store)} hold one another, so clients could read ` +
          'what others have sent. Allow narrower folders, or choose another place with --store',
      );
    }
    const held = privateFiles.find((file) => holds(root, file));
    if (held === undefined) continue;
    throw invalidRequest(
      'serveSandboxes()',
      'allowRoots',
      `${JSON.stringify(root)} holds ${JSON.stringify(held)}, which clients must not read. ` +
        'Allow narrower folders, or move that file',
    );
  }
  return roots;
}

/**
 * Folders are compared by their identity and not by their names, because a disk may be mounted at two places, and may
 * ignore case.
 */
function holds(folder: string, path: string): boolean {
  const wanted = identityOf(folder);
  if (wanted === undefined) return false;
  for (let at = nearest(resolve(path)); ; at = dirname(at)) {
    if (identityOf(at) === wanted) return true;
    if (at === dirname(at)) return false;
  }
}

/** The path without links, or that of the nearest existing folder above it. */
function nearest(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return nearest(dirname(path));
  }
}

function identityOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}
