import type { WriteOptions } from '../changes/writing.ts';
import type { App, Handlers, Joined } from '../../shared/contract/index.ts';
import { loadGit } from '../lazy.ts';
import type { Services } from '../services.ts';
import { GitTasks } from './tasks.ts';

type Names = 'read-git' | 'compare-with-remote' | 'push-branch' | 'pull-branch' | 'undo-join' | 'cancel-git';

export function gitHandlers(services: Services): Pick<Handlers, Names> {
  const { apps, dataDir } = services;
  const tasks = new GitTasks(services);
  const told = tellers(services);
  return {
    'read-git': async ({ appId }, { signal }) => {
      const { path } = await apps.get(appId);
      return await (await loadGit()).readGit(path, { dataDir, signal });
    },
    'compare-with-remote': async ({ appId, taskId, ...agreed }, { signal }) => {
      const { path } = await apps.get(appId);
      const { compareWithRemote } = await loadGit();
      return await tasks.run(taskId, signal, (options) => compareWithRemote(path, agreed, options));
    },
    'push-branch': async ({ appId, taskId, ...agreed }, { signal }) => {
      const app = await apps.get(appId);
      const { pushBranch } = await loadGit();
      await tasks.run(taskId, signal, (options) => pushBranch(app.path, agreed, options));
      return {};
    },
    'pull-branch': async ({ appId, taskId, ...fetched }, { signal }) => {
      const app = await apps.get(appId);
      const { pullBranch } = await loadGit();
      const pull = tasks.run(taskId, signal, (options) =>
        pullBranch(app.path, fetched, { ...options, ...told.before(app) }),
      );
      return await told.joined(app, await pull);
    },
    'undo-join': async ({ appId, commit }) => {
      const app = await apps.get(appId);
      const { undoJoin } = await loadGit();
      await undoJoin(app.path, commit, told.before(app));
      await told.changed(app);
      return {};
    },
    'cancel-git': async ({ taskId }) => {
      tasks.cancel(taskId);
      return {};
    },
  };
}

function tellers({ apps, versions, broadcast, notices }: Services) {
  /** Of a package, the other packages of its repository have changed, too. */
  const changed = async (app: App): Promise<void> => {
    const root = app.repository ?? app.path;
    for (const other of await apps.list()) {
      if ((other.repository ?? other.path) === root) broadcast('app:files-changed', { appId: other.id });
    }
  };
  return {
    changed,
    before: (app: App): WriteOptions => ({ onBefore: (before) => notices.tellBefore(app, before) }),
    joined: async (app: App, joined: Joined): Promise<Joined> => {
      if (joined.outcome !== 'joined') return joined;
      await (await loadGit()).rememberJoin(app.path, joined);
      if (joined.merged) await versions.add(app.id, joined.commit, null);
      await changed(app);
      return joined;
    },
  };
}
