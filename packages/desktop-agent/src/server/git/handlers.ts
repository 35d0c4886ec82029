import type { App, Handlers } from '../../shared/contract/index.ts';
import { loadGit } from '../lazy.ts';
import type { Services } from '../services.ts';
import { copyHandlers } from './copies/handlers.ts';
import { GitTasks } from './tasks.ts';
import { tellers, type Tellers } from './tellers.ts';

type Names = 'read-git' | 'compare-with-remote' | 'push-branch' | 'pull-branch' | 'undo-join' | 'cancel-git';
type PullRequestNames = 'draft-pull-request' | 'create-pull-request';
type BranchNames =
  'create-branch' | 'create-chat-branch' | 'switch-branch' | 'merge-branch' | 'delete-branch' | 'restore-branch';
type CopyNames = keyof ReturnType<typeof copyHandlers>;

export function gitHandlers(services: Services): Pick<Handlers, Names | BranchNames | PullRequestNames | CopyNames> {
  const { apps, dataDir } = services;
  const tasks = new GitTasks(services);
  const told = tellers(services);
  return {
    ...branchHandlers(services, tasks, told),
    ...pullRequestHandlers(services, tasks),
    ...copyHandlers(services, tasks, told),
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

function branchHandlers({ apps, chats }: Services, tasks: GitTasks, told: Tellers): Pick<Handlers, BranchNames> {
  type Git = Awaited<ReturnType<typeof loadGit>>;
  /** Files may have changed also where it fails: the person's own are committed first. */
  const change = async <T>(appId: string, work: (git: Git, app: App) => Promise<T>): Promise<T> => {
    const app = await apps.get(appId);
    try {
      return await work(await loadGit(), app);
    } finally {
      await told.changed(app);
    }
  };
  return {
    'create-branch': async ({ appId, name }) => {
      await change(appId, (git, app) => git.createBranch(app.path, name, told.before(app)));
      return {};
    },
    'create-chat-branch': async ({ chatId }) => {
      const { appId, title } = await chats.get(chatId);
      return { name: await change(appId, (git, app) => git.createChatBranch(app.path, title, told.before(app))) };
    },
    'switch-branch': async ({ appId, name }) => {
      await change(appId, (git, app) => git.switchBranch(app.path, name, told.before(app)));
      return {};
    },
    'merge-branch': async ({ appId, taskId, ...branch }, { signal }) => {
      const app = await apps.get(appId);
      const { mergeBranch } = await loadGit();
      const merge = tasks.run(taskId, signal, (options) =>
        mergeBranch(app.path, branch, { ...options, ...told.before(app) }),
      );
      return await told.joined(app, await merge);
    },
    'delete-branch': async ({ appId, ...branch }) => {
      await change(appId, (git, app) => git.deleteBranch(app.path, branch, told.before(app)));
      return {};
    },
    'restore-branch': async ({ appId, ...branch }) => {
      await change(appId, (git, app) => git.restoreBranch(app.path, branch, told.before(app)));
      return {};
    },
  };
}

function pullRequestHandlers({ apps, chats, dataDir }: Services, tasks: GitTasks): Pick<Handlers, PullRequestNames> {
  return {
    'draft-pull-request': async ({ appId, chatId, ...agreed }, { signal }) => {
      const { path } = await apps.get(appId);
      const chatTitle = chatId === undefined ? undefined : (await chats.get(chatId)).title;
      const { draftPullRequest } = await loadGit();
      return await draftPullRequest(path, { ...agreed, chatTitle }, { dataDir, signal });
    },
    'create-pull-request': async ({ appId, taskId, ...wanted }, { signal }) => {
      const { path } = await apps.get(appId);
      const { createPullRequest } = await loadGit();
      return await tasks.run(taskId, signal, (options) => createPullRequest(path, wanted, options));
    },
  };
}
