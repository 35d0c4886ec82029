import { realpathSync } from 'node:fs';
import { mayBeCopied } from '@mustard-sandbox/bash-tools';
import { FolderFiles } from '@mustard-sandbox/paths';
import { isGone, maxTakenBytes, snapshotOf, type Snapshot } from './snapshot.ts';

interface Folders {
  /** Both absolute. */
  workspace: string;
  app: string;
  /** What both had in common. */
  base: Snapshot;
}

/** What became of a workspace. */
export interface Followed {
  /** What both have in common from now on. A file that differs on both sides stays as it was. */
  base: Snapshot;
  /** Files that changed in the app, and that commands changed, too: the workspace has what commands made. */
  conflicts: string[];
}

/**
 * Brings into a workspace what changed in the app since, such as by an approval or by hand. What commands made or changed
 * stays. Larger files are as they were.
 */
export async function follow({ workspace, app, base }: Folders): Promise<Followed> {
  const [now, there] = [await snapshotOf(workspace, app), await snapshotOf(app, app)];
  const [to, from] = [
    new FolderFiles(realpathSync.native(workspace)),
    new FolderFiles(realpathSync.native(app), { refuseSecrets: true }),
  ];
  const followed: Followed = { base: { ...base }, conflicts: [] };
  for (const path of [...new Set([...Object.keys(base), ...Object.keys(there)])].sort()) {
    const hash = there[path];
    if (hash === base[path] || !mayBeCopied(path)) continue;
    // Only too large by now, or ignored by git.
    if (hash === undefined && !isGone(from, path)) continue;
    const isUntouched = now[path] === base[path] && (now[path] !== undefined || isGone(to, path));
    if (now[path] !== hash && !isUntouched) {
      followed.conflicts.push(path);
      continue;
    }
    try {
      if (hash === undefined && now[path] !== undefined) to.remove(path, 'workspace');
      if (hash !== undefined && now[path] !== hash) {
        to.write(path, from.read(path, maxTakenBytes, 'workspace').bytes, 'workspace');
      }
    } catch {
      // Where the app has a folder commands made a file, or a link.
      followed.conflicts.push(path);
      continue;
    }
    if (hash === undefined) delete followed.base[path];
    else followed.base[path] = hash;
  }
  return followed;
}
