import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSecret } from '@mustard-sandbox/paths';
import type { Hidden, NoJail } from '@mustard-sandbox/client/isolation';

/** The most hidden paths, because a jail mounts something over each of them. */
const maxHidden = 1_000;
const maxFolders = 50_000;
/** Scripts may not read it because it is large. It must not be hidden here, because the compiler is in it. */
const modules = 'node_modules';

/** The paths in an app that no script may read. Its compiler could repeat their contents in a problem for the model. */
export async function hiddenPaths(app: string): Promise<Hidden[] | NoJail> {
  const hidden: Hidden[] = [];
  const open: string[][] = [[]];
  for (let folders = 0, folder; (folder = open.pop()) !== undefined; folders++) {
    // What cannot be listed cannot be read by the compiler either.
    const entries = await readdir(join(app, ...folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const segments = [...folder, entry.name];
      // The target of a link is found under its own name.
      if (entry.isSymbolicLink() || entry.name === modules) continue;
      if (isSecret(segments)) hidden.push({ path: join(app, ...segments), isFolder: entry.isDirectory() });
      else if (entry.isDirectory()) open.push(segments);
    }
    if (hidden.length > maxHidden) return { reason: `there are more than ${maxHidden} secret files to hide.` };
    if (folders > maxFolders)
      return { reason: `there are more than ${maxFolders} folders in which to look for secrets.` };
  }
  return hidden;
}
