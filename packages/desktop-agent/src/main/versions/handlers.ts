import type { WriteOptions } from '../../changes/writing.ts';
import type { App, Handlers, Version } from '../../contract/index.ts';
import { loadGit } from '../lazy.ts';
import type { Services } from '../services.ts';
import { Turns } from './turns.ts';

type Names = 'list-versions' | 'read-version' | 'revert-to-version' | 'undo-turn' | 'redo-turn';

const maxListed = 200;

export function versionHandlers(services: Services): Pick<Handlers, Names> {
  const { apps, chats, versions, broadcast, notices } = services;
  const turns = new Turns(services);
  const telling = (app: App): WriteOptions => ({ onBefore: (before) => notices.tellBefore(app, before) });
  const added = async (app: App, version: Version): Promise<Version> => {
    await versions.add(app.id, version.commit, null);
    broadcast('app:files-changed', { appId: app.id });
    return version;
  };
  const ofBranch = async (app: App): Promise<Version[]> => {
    const { listVersions } = await loadGit();
    return await listVersions(app.path, { limit: maxListed + 1 });
  };
  /** The versions of a chat, found by their ids: any number of other commits may be newer. */
  const ofChat = async (app: App, chatId: string): Promise<Version[]> => {
    const { findVersions } = await loadGit();
    const { initialCommit } = await chats.get(chatId);
    const made = await versions.ofChat(chatId, maxListed + 1);
    return await findVersions(app.path, initialCommit === null ? made : [...made, initialCommit]);
  };
  return {
    'list-versions': async ({ appId, chatId }) => {
      const app = await apps.get(appId);
      if (!app.git) return { versions: [], more: false };
      const found = await (chatId === undefined ? ofBranch(app) : ofChat(app, chatId));
      const listed = await versions.withMessages(app.id, found.slice(0, maxListed));
      return { versions: listed, more: found.length > maxListed };
    },
    'read-version': async ({ appId, commit }) => {
      const { readVersion } = await loadGit();
      const app = await apps.get(appId);
      const { version, files, more } = await readVersion(app.path, commit);
      const [known] = await versions.withMessages(app.id, [version]);
      return { version: known ?? version, files, more };
    },
    'revert-to-version': async ({ appId, commit }) => {
      const { revertToVersion } = await loadGit();
      const app = await apps.get(appId);
      return await added(app, await revertToVersion(app.path, commit, telling(app)));
    },
    'undo-turn': async ({ chatId }) => await turns.undo(chatId),
    'redo-turn': async ({ chatId }) => await turns.redo(chatId),
  };
}
