import { randomUUID } from 'node:crypto';
import type { App, Handlers } from '../../shared/contract/index.ts';
import type { Removal } from '../chats/removal.ts';
import { loadGit } from '../lazy.ts';
import type { Services } from '../services.ts';
import { listFolders, nameOfFolder, resolveAppFolder } from './folders.ts';

type Names = 'list-apps' | 'get-app' | 'add-app' | 'init-git' | 'remove-app' | 'list-folders';

export function appHandlers({ apps, broadcast }: Services, removal: Removal): Pick<Handlers, Names> {
  const giveGit = async ({ id, path }: App): Promise<App> => {
    const { initRepository } = await loadGit();
    const { notes } = await initRepository(path);
    if (notes.length > 0) broadcast('notice', { id: randomUUID(), text: notes.join('\n'), kind: 'info' });
    const app = await apps.get(id);
    broadcast('app:changed', { app });
    return app;
  };
  return {
    'list-apps': async () => await apps.list(),
    'get-app': async ({ appId }) => await apps.get(appId),
    'add-app': async ({ path, initGit = false }) => {
      const app = await addFolder({ apps, broadcast }, path);
      return initGit && !app.git ? await giveGit(app) : app;
    },
    'init-git': async ({ appId }) => {
      const app = await apps.get(appId);
      return app.git ? app : await giveGit(app);
    },
    'remove-app': async ({ appId }) => {
      await removal.removeApp(appId);
      return {};
    },
    'list-folders': async ({ path }) => await listFolders(path),
  };
}

/** Adds a folder as an app. Two paths of one folder are one app. @throws {AgentError} `not_found`, `invalid_request` */
export async function addFolder({ apps, broadcast }: Pick<Services, 'apps' | 'broadcast'>, path: string): Promise<App> {
  const folder = await resolveAppFolder(path);
  const app = (await apps.findByPath(folder)) ?? (await apps.add(nameOfFolder(folder), folder));
  broadcast('app:changed', { app });
  return app;
}
