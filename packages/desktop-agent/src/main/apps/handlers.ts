import type { App, Handlers } from '../../contract/index.ts';
import type { Services } from '../services.ts';
import { listFolders, nameOfFolder, resolveAppFolder } from './folders.ts';

type Names = 'list-apps' | 'get-app' | 'add-app' | 'list-folders';

export function appHandlers({ apps, broadcast }: Services): Pick<Handlers, Names> {
  return {
    'list-apps': async () => await apps.list(),
    'get-app': async ({ appId }) => await apps.get(appId),
    'add-app': async ({ path }) => await addFolder({ apps, broadcast }, path),
    'list-folders': async ({ path }) => await listFolders(path),
  };
}

/** Two names of one folder are one app. @throws {AgentError} `not_found`, `invalid_request` */
export async function addFolder({ apps, broadcast }: Pick<Services, 'apps' | 'broadcast'>, path: string): Promise<App> {
  const folder = await resolveAppFolder(path);
  const app = (await apps.findByPath(folder)) ?? (await apps.add(nameOfFolder(folder), folder));
  broadcast('app:changed', { app });
  return app;
}
