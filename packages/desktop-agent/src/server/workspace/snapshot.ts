import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { FolderFiles } from '@mustard-sandbox/paths';
import { z } from 'zod';
import { rulesAround, walk } from '../context/walk.ts';
import { writePrivate } from '../private-files.ts';

/** Larger files are none that a person reads a change of. */
export const maxTakenBytes = 5 * 1024 * 1024;
const filesATurn = 32;

const schema = z.record(z.string(), z.string());
/** The SHA-256 of each file of a workspace by its path, in hex. Without secrets, links and what git ignores. */
export type Snapshot = z.infer<typeof schema>;

/**
 * @param folder absolute: the app, or a copy of it
 * @param app absolute: a copy has what git ignores of it, too, also by a list of a folder above it
 */
export async function snapshotOf(folder: string, app: string): Promise<Snapshot> {
  const files = new FolderFiles(realpathSync.native(folder), { refuseSecrets: true });
  const hashes: [string, string][] = [];
  for (const { path, stats } of walk(files, undefined, rulesAround(realpathSync.native(app))).found) {
    if (hashes.length % filesATurn === 0) await turn();
    const hash = stats.size <= maxTakenBytes ? hashOf(files, path) : undefined;
    if (hash !== undefined) hashes.push([path, hash]);
  }
  return Object.fromEntries(hashes);
}

function hashOf(files: FolderFiles, path: string): string | undefined {
  try {
    const { bytes, size } = files.read(path, maxTakenBytes, 'workspace');
    return size > maxTakenBytes ? undefined : createHash('sha256').update(bytes).digest('hex');
  } catch {
    // Gone meanwhile, or not to be read.
    return undefined;
  }
}

/** A file that is not in a snapshot may still be there: too large, ignored, or in a place that is refused. */
export function isGone(files: FolderFiles, path: string): boolean {
  try {
    return files.look(path, 'workspace') === undefined;
  } catch {
    return false;
  }
}

/** What workspaces were filled with, by their ids: what a command changed is told from what the app has become since. */
export class Snapshots {
  readonly #folder: string;

  /** @param dataDir absolute */
  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'workspace-snapshots');
  }

  async save(id: string, snapshot: Snapshot): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writePrivate(this.#fileOf(id), JSON.stringify(snapshot));
  }

  /** `undefined` when the program died before it was saved. */
  async load(id: string): Promise<Snapshot | undefined> {
    try {
      return schema.parse(JSON.parse(await readFile(this.#fileOf(id), 'utf8')));
    } catch {
      return undefined;
    }
  }

  async remove(id: string): Promise<void> {
    await rm(this.#fileOf(id), { force: true });
  }

  #fileOf(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}
