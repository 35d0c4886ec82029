import { copyFile, lstat, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../repository.ts';
import type { Scratch } from './scratch.ts';

/**
 * Brings the objects of a scratch repository into a repository. git has checked them. The caller is the writer: others
 * remove temporary files. Objects that nothing names harm nobody.
 */
export async function takeObjects({ files, gitdir }: Repository, scratch: Scratch): Promise<void> {
  const [from, to] = [join(scratch.folder, 'objects'), join(gitdir, 'objects')];
  for (const name of (await readdir(from)).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    await files.makePlainFolder(join(to, name));
    for (const object of await readdir(join(from, name))) {
      const place = join(to, name, object);
      if (!(await isThere(place))) await files.write(place, await readFile(join(from, name, object)));
    }
  }
  await files.makePlainFolder(join(to, 'pack'));
  const packs = (await readdir(join(from, 'pack'))).filter((name) => /^pack-[0-9a-f]{40}\.(?:pack|idx)$/.test(name));
  // The index last: a pack without one is no pack.
  for (const name of packs.sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')))) {
    const place = join(to, 'pack', name);
    if (await isThere(place)) continue;
    const partial = await files.newTemporary();
    await copyFile(join(from, 'pack', name), partial);
    await rename(partial, place);
  }
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
