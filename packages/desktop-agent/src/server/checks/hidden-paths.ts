import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSecret } from '@mustard-sandbox/paths';
import type { Hidden, NoJail } from '@mustard-sandbox/client/isolation';

/** A jail mounts something over each of them. */
const maxHidden = 1_000;
const maxFolders = 50_000;
/** Refused to scripts because it is large. A compiler lives in it. */
const modules = 'node_modules';

/** What an app has by names that no script reads. Its compiler could tell of it in a problem, which the model gets. */
export async function hiddenPaths(app: string): Promise<Hidden[] | NoJail> {
  const hidden: Hidden[] = [];
  const open: string[][] = [[]];
  for (let folders = 0, folder; (folder = open.pop()) !== undefined; folders++) {
    // What cannot be listed cannot be read by the compiler either.
    const entries = await readdir(join(app, ...folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const segments = [...folder, entry.name];
      // What a link leads to has a name of its own.
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
