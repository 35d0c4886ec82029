import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownerOf, ownerPattern, ownerTag, stateOf } from '@mustard-sandbox/agent-tool/host';
import { endLeftBehind } from '../backends/local/leftovers.ts';
import type { Seed } from './seed.ts';

/** What a workspace keeps about itself. */
export interface State {
  version: 1;
  /** What it was filled with, without credentials, so that a reset can fill it again. */
  seed?: Seed;
}

const stateFile = 'workspace.json';
const idPattern = /^[0-9a-f]{24}$/;

/**
 * Folders that one process owns while it lives: folders that are being filled, folders of temporary chats, folders that
 * are being removed.
 */
const owned = new RegExp(`^\\.(?:partial|temporary|state|removed)-${ownerPattern}$`);

export type OwnedKind = 'partial' | 'temporary' | 'state' | 'removed';

/**
 * The folder with all workspaces of a host. Under its id a workspace is there completely or not at all: it is filled
 * under a name that identifies the process, and then renamed.
 */
export class WorkspaceStore {
  /** Absolute and free of links, as the guard of paths requires. */
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Makes the folder, and removes what processes left in it that are gone. */
  static async open(folder: string): Promise<WorkspaceStore> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = await realpath(folder);
    for (const name of await readdir(path)) {
      const match = owned.exec(name);
      if (match === null || stateOf(ownerOf(match.slice(1))) !== 'dead') continue;
      if (name.startsWith('.state-')) endLeftBehind(join(path, name));
      await remove(join(path, name));
    }
    return new WorkspaceStore(path);
  }

  newId(): string {
    return randomBytes(12).toString('hex');
  }

  /** Makes a folder that is removed when this process is gone. */
  async own(kind: OwnedKind): Promise<string> {
    const path = join(this.path, `.${kind}-${ownerTag()}`);
    await mkdir(path, { mode: 0o700 });
    return path;
  }

  folderOf(id: string): string {
    return join(this.path, id);
  }

  /** Returns `undefined` when there is no workspace with this id. */
  async stateOf(id: string): Promise<State | undefined> {
    if (!idPattern.test(id)) return undefined;
    try {
      return JSON.parse(await readFile(join(this.folderOf(id), stateFile), 'utf8')) as State;
    } catch {
      return undefined;
    }
  }

  async ids(): Promise<string[]> {
    return (await readdir(this.path)).filter((name) => idPattern.test(name)).sort();
  }

  /** Puts a filled folder in its place, and removes what was there under that id. */
  async settle(partial: string, id: string, state: State): Promise<void> {
    await writeFile(join(partial, stateFile), JSON.stringify(state), { mode: 0o600 });
    await this.clear(id);
    await rename(partial, this.folderOf(id));
  }

  /** Removes a workspace. Its id is free at once, however long removing its files takes. */
  async clear(id: string): Promise<void> {
    const removed = join(this.path, `.removed-${ownerTag()}`);
    try {
      await rename(this.folderOf(id), removed);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    await remove(removed);
  }
}

/** Removes a folder, including files that a command made unreadable for their owner. It follows no links. */
export async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 2 }).catch(async () => {
    await makeWritable(path);
    await rm(path, { recursive: true, force: true });
  });
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700).catch(() => {});
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
  }
}
