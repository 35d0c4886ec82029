import { AgentError, type App, type Handlers } from '../../../shared/contract/index.ts';
import { AppCopies } from '../../apps/copies/app-copies.ts';
import { loadGit } from '../../lazy.ts';
import type { Services } from '../../services.ts';
import type { GitTasks } from '../tasks.ts';
import type { Tellers } from '../tellers.ts';

type Names = 'work-in-copy' | 'compare-copy' | 'commit-copy' | 'bring-in-copy';

export function copyHandlers(services: Services, tasks: GitTasks, told: Tellers): Pick<Handlers, Names> {
  const { apps, broadcast } = services;
  const copies = new AppCopies(services);
  return {
    'work-in-copy': async ({ chatId, taskId }, { signal }) => {
      const { app, chat } = await tasks.run(taskId, signal, (options) => copies.make(chatId, options));
      // In this order, a page knows the app to which the chat has moved.
      broadcast('app:changed', { app });
      broadcast('chat:changed', { chat });
      return app;
    },
    'compare-copy': async ({ appId, taskId }, { signal }) => {
      const { copy, app } = await withItsApp(apps, appId);
      const { compareCopy } = await loadGit();
      return await tasks.run(taskId, signal, (options) => compareCopy(app.path, copy.path, options));
    },
    'commit-copy': async ({ appId }) => {
      const { copy } = await withItsApp(apps, appId);
      const { commitCopy } = await loadGit();
      await commitCopy(copy.path, told.before(copy));
      await told.changed(copy);
      return {};
    },
    'bring-in-copy': async ({ appId, taskId, ...agreed }, { signal }) => {
      const { copy, app } = await withItsApp(apps, appId);
      const { bringInCopy } = await loadGit();
      const bring = tasks.run(taskId, signal, (options) =>
        bringInCopy(app.path, copy.path, agreed, { ...options, ...told.before(app) }),
      );
      return await told.joined(app, await bring);
    },
  };
}

/** @throws {AgentError} `invalid_request` for an app that is no copy; `not_found` when its app is not on the list */
async function withItsApp(apps: Services['apps'], appId: string): Promise<{ copy: App; app: App }> {
  const copy = await apps.get(appId);
  if (copy.copyOf === null) throw new AgentError('invalid_request', `“${copy.name}” is no copy of an app on the list.`);
  const app = await apps.get(copy.copyOf).catch((cause: unknown) => {
    const what = `The app that “${copy.name}” is a copy of is not on the list any more.`;
    throw new AgentError('not_found', `${what} Take it back from the deleted apps first.`, { cause });
  });
  return { copy, app };
}
