import type { WriteOptions } from '../changes/writing.ts';
import type { App, Handlers, Version } from '../../shared/contract/index.ts';
import { loadGit } from '../lazy.ts';
import type { Services } from '../services.ts';
import { inWorker } from '../worker/index.ts';
import { AppliedTurns } from './applied-turns.ts';

type Names = 'list-versions' | 'read-version' | 'revert-to-version' | 'undo-version' | 'undo-turn' | 'redo-turn';

const maxListed = 200;

export function versionHandlers(services: Services): Pick<Handlers, Names> {
  const { apps, chats, versions, broadcast, notices } = services;
  const turns = new AppliedTurns(services);
  const telling = (app: App): WriteOptions => ({ onBefore: (before) => notices.tellBefore(app, before) });
  const added = async (app: App, version: Version): Promise<Version> => {
    await versions.add(app.id, version.commit, null);
    broadcast('app:files-changed', { appId: app.id });
    return version;
  };
  type Listed = { versions: Version[]; more: boolean };
  const ofBranch = async (app: App): Promise<Listed> => {
    return await inWorker('listVersions', [app.path, { limit: maxListed }]);
  };
  /** The versions of a chat. They are looked up by their ids, because any number of other commits may be newer. */
  const ofChat = async (app: App, chatId: string): Promise<Listed> => {
    const { initialCommit } = await chats.get(chatId);
    const made = await versions.ofChat(chatId, maxListed + 1);
    const commits = initialCommit === null ? made : [...made, initialCommit];
    const found = await inWorker('findVersions', [app.path, commits]);
    return { versions: found.slice(0, maxListed), more: found.length > maxListed };
  };
  return {
    'list-versions': async ({ appId, chatId }) => {
      const app = await apps.get(appId);
      if (!app.git) return { versions: [], more: false };
      const { versions: found, more } = await (chatId === undefined ? ofBranch(app) : ofChat(app, chatId));
      return { versions: await versions.withMessages(app.id, found), more };
    },
    'read-version': async ({ appId, commit }, { signal }) => {
      const app = await apps.get(appId);
      const { version, files, more } = await inWorker('readVersion', [app.path, commit], { signal });
      const [known] = await versions.withMessages(app.id, [version]);
      return { version: known ?? version, files, more };
    },
    'revert-to-version': async ({ appId, commit }) => {
      const { revertToVersion } = await loadGit();
      const app = await apps.get(appId);
      return await added(app, await revertToVersion(app.path, commit, telling(app)));
    },
    'undo-version': async ({ appId, commit }) => {
      const { undoCommit } = await loadGit();
      const app = await apps.get(appId);
      return await added(app, await undoCommit(app.path, commit, telling(app)));
    },
    'undo-turn': async ({ chatId, messageId }) => await turns.undo(chatId, messageId),
    'redo-turn': async ({ chatId, messageId }) => await turns.redo(chatId, messageId),
  };
}
