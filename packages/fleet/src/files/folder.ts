import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { placeOf, type ObjectName, type ObjectStore } from './store.ts';

/**
 * A store in a folder that all machines share, such as one of NFS. A file that a run uses gets the present time, so
 * that unused files can be found by their age.
 *
 * @param folder made if it is missing
 */
export function folderStore(folder: string): ObjectStore {
  const root = resolve(folder);
  const pathOf = (name: ObjectName): string => join(root, placeOf(name));
  return {
    async has(name) {
      const path = pathOf(name);
      const found = await stat(path).catch(() => undefined);
      if (found?.size !== name.size) return false;
      await utimes(path, new Date(), new Date()).catch(() => {});
      return true;
    },
    async put(name, content) {
      const path = pathOf(name);
      await mkdir(dirname(path), { recursive: true });
      // It is in the same folder, so that the rename stays within one file system.
      const partial = `${path}.${randomUUID()}.partial`;
      try {
        await pipeline(content, createWriteStream(partial, { flags: 'wx', mode: 0o640, flush: true }));
        await rename(partial, path);
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    },
    get(name): Promise<Readable> {
      return Promise.resolve(createReadStream(pathOf(name)));
    },
    async remove(name) {
      await rm(pathOf(name), { force: true });
    },
  };
}
