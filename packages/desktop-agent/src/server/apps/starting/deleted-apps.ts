import { lstat, mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isInside } from '@mustard-sandbox/paths';
import { AgentError, type App, type DeletedApp } from '../../../shared/contract/index.ts';
import type { Removal } from '../../chats/removal.ts';
import type { Services } from '../../services.ts';
import { asWriter } from '../../writer.ts';

type Needed = Pick<Services, 'apps' | 'broadcast' | 'dataDir'>;

/**
 * Apps that a person has deleted. Their folders are moved and never copied: into the data folder, or on another disk to a
 * place beside the old one. They stay there until the person takes them back or removes them for good.
 *
 * The row of the database is changed before the folder is moved, so that a row always names the folder.
 */
export class DeletedApps {
  readonly #services: Needed;
  readonly #removal: Pick<Removal, 'stopChats' | 'removeDeletedApp'>;

  constructor(services: Needed, removal: Pick<Removal, 'stopChats' | 'removeDeletedApp'>) {
    this.#services = services;
    this.#removal = removal;
  }

  /** Puts an app on the list again if its deletion was interrupted before its folder was moved. */
  async recover(): Promise<void> {
    const { apps } = this.#services;
    for (const { id, path, from } of await apps.listDeleted()) {
      if (!(await exists(path)) && (await exists(from))) await apps.markRestored(id);
    }
  }

  /**
   * @throws {AgentError} `denied` when the folder contains another app or the data of the agent, or may not be moved;
   *   `not_found`; `busy` while another program changes it
   */
  async delete(appId: string): Promise<DeletedApp> {
    const { apps, broadcast } = this.#services;
    const app = await apps.get(appId);
    await this.#refuseShared(app);
    await this.#removal.stopChats(appId);
    // This waits until nothing else changes the app.
    if (app.git) await asWriter(app.path, {}, async () => {});
    const deleted = await this.#moveAway(app);
    broadcast('app:removed', { appId });
    return deleted;
  }

  /** @throws {AgentError} `changed` when there is something else where it was; `not_found`, `denied` */
  async restore(appId: string): Promise<App> {
    const { apps, broadcast } = this.#services;
    const { path, from } = await apps.getDeleted(appId);
    if ((await exists(from)) || (await apps.findByPath(from)) !== undefined) {
      throw new AgentError('changed', `There is now something else at ${from}. Move it away, and try again.`);
    }
    await moved(path, from);
    const app = await apps.markRestored(appId);
    await rmdir(dirname(path)).catch(() => {});
    broadcast('app:changed', { app });
    return app;
  }

  /** @throws {AgentError} `not_found`, `denied` when not all of it could be removed */
  async purge(appId: string): Promise<void> {
    const { path } = await this.#services.apps.getDeleted(appId);
    await rm(path, { recursive: true, force: true }).catch((error: unknown) => {
      throw refused(error, `${path} could not be removed as a whole`);
    });
    await rmdir(dirname(path)).catch(() => {});
    await this.#removal.removeDeletedApp(appId);
  }

  /** Refuses a folder with another app or the agent's data in it, which would be moved along. */
  async #refuseShared({ id, path }: App): Promise<void> {
    const { apps, dataDir } = this.#services;
    if ((await lstat(path).catch(() => undefined))?.isDirectory() !== true) {
      throw new AgentError('not_found', `The folder ${path} no longer exists. Take the app off the list.`);
    }
    if (isInside(dataDir, [path])) {
      throw new AgentError('denied', `The data of the agent is in ${path}, so it is not deleted.`);
    }
    const inner = (await apps.list()).find((other) => other.id !== id && isInside(other.path, [path]));
    if (inner === undefined) return;
    throw new AgentError('denied', `The app “${inner.name}” is in ${path}. Take it off the list first, or delete it.`);
  }

  async #moveAway({ id, path }: App): Promise<DeletedApp> {
    const { dataDir } = this.#services;
    const folder = join(dataDir, 'deleted', id);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const beside = join(dirname(path), `.${basename(path).slice(0, 100)}.deleted-${id.slice(0, 8)}`);
    try {
      return await this.#moveTo(id, path, join(folder, basename(path)));
    } catch (error) {
      await rmdir(folder).catch(() => {});
      if (!(error instanceof OtherDisk)) throw error;
      return await this.#moveTo(id, path, beside);
    }
  }

  async #moveTo(appId: string, from: string, to: string): Promise<DeletedApp> {
    const { apps } = this.#services;
    const deleted = await apps.markDeleted(appId, to);
    try {
      await moved(from, to);
      return deleted;
    } catch (error) {
      await apps.markRestored(appId);
      throw error;
    }
  }
}

class OtherDisk extends AgentError {}

async function moved(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EXDEV') throw refused(error, `${from} could not be moved to ${to}`);
    throw new OtherDisk('denied', `${from} is on another disk than ${to}, so it is not moved.`, { cause: error });
  });
}

function refused(error: unknown, what: string): AgentError {
  const { code = String(error) } = error as NodeJS.ErrnoException;
  return new AgentError(code === 'ENOENT' ? 'not_found' : 'denied', `${what}: ${code}.`, { cause: error });
}

async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}
