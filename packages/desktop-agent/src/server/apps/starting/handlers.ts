import { AgentError, type App, type Handlers } from '../../../shared/contract/index.ts';
import { dirname } from 'node:path';
import { loadChanges, loadGit } from '../../lazy.ts';
import type { Services } from '../../services.ts';
import { asWriter } from '../../writer.ts';
import { addFolder } from '../handlers.ts';
import { copyFolder } from './copy-folder.ts';
import type { DeletedApps } from './deleted-apps.ts';
import { makeFolder } from './new-folder.ts';
import { copyTemplate, templateFolder } from './templates.ts';

type Names =
  | 'create-app'
  | 'copy-app'
  | 'rename-app'
  | 'delete-app'
  | 'list-deleted-apps'
  | 'restore-app'
  | 'purge-app'
  | 'read-packages'
  | 'install-packages';

export function startingHandlers(services: Services, deleted: DeletedApps): Pick<Handlers, Names> {
  const { apps, dataDir, versions, broadcast, notices } = services;
  const withHistory = async (app: App): Promise<App> => {
    const { initRepository } = await loadGit();
    notices.tell(app, (await initRepository(app.path)).notes);
    const made = await apps.get(app.id);
    broadcast('app:changed', { app: made });
    return made;
  };
  return {
    'create-app': async ({ template, parent, name }) => {
      const folder = await makeFolder({ parent, name, dataDir }, async (partial) => {
        copyTemplate(templateFolder(template), partial, name.trim());
      });
      return await withHistory(await addFolder(services, folder));
    },
    'copy-app': async ({ appId, name }, { signal }) => {
      const { path, git, repository } = await apps.get(appId);
      const copy = async (): Promise<string> => {
        const fill = (partial: string): Promise<void> => copyFolder(path, partial, signal);
        return await makeFolder({ parent: dirname(path), name, dataDir }, fill);
      };
      // As the writer, we keep others from changing it meanwhile. An app in a larger repository is copied without it.
      const isWhole = git && repository === null;
      return await addFolder(services, isWhole ? await asWriter(path, { signal }, copy) : await copy());
    },
    'rename-app': async ({ appId, name }) => {
      const app = await apps.rename(appId, shownName(name));
      broadcast('app:changed', { app });
      return app;
    },
    'delete-app': async ({ appId }) => await deleted.delete(appId),
    'list-deleted-apps': async () => await apps.listDeleted(),
    'restore-app': async ({ appId }) => await deleted.restore(appId),
    'purge-app': async ({ appId }) => {
      await deleted.purge(appId);
      return {};
    },
    'read-packages': async ({ appId }) => {
      const { listedPackages } = await loadChanges();
      return await listedPackages((await apps.get(appId)).path);
    },
    'install-packages': async ({ appId }, { signal }) => {
      const app = await apps.get(appId);
      const { installListed } = await loadChanges();
      const { commit, personCommit, notes } = await installListed(app.path, { signal });
      for (const made of [personCommit, commit]) if (made !== null) await versions.add(appId, made, null);
      notices.tell(app, notes);
      broadcast('app:files-changed', { appId });
      return {};
    },
  };
}

/** @throws {AgentError} `invalid_request` */
function shownName(typed: string): string {
  const name = typed.trim();
  if (name !== '' && !/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(name)) return name;
  throw new AgentError('invalid_request', 'A name needs visible letters, and has to be on one line. Type another one.');
}
