import type { App, Handlers } from '../../shared/contract/index.ts';
import { loadGit } from '../lazy.ts';
import type { Services } from '../services.ts';
import { exportChat } from './export.ts';
import type { Removal } from './removal.ts';

type Names = 'list-chats' | 'create-chat' | 'update-chat' | 'delete-chat' | 'restore-chat' | 'export-chat';

/** The title of a chat before its first message. */
export const newTitle = 'New chat';

export function chatHandlers({ apps, chats, broadcast }: Services, removal: Removal): Pick<Handlers, Names> {
  return {
    'list-chats': async ({ appId }) => await chats.list((await apps.get(appId)).id),
    'create-chat': async ({ appId, mode = 'agent' }) => {
      const app = await apps.get(appId);
      const initialCommit = await headOf(app);
      const chat = await chats.create({ appId: app.id, title: newTitle, mode, initialCommit });
      broadcast('chat:changed', { chat });
      return chat;
    },
    'update-chat': async ({ chatId, title, mode, model }) => {
      const change = { ...(title && { title }), ...(mode && { mode }), ...(model !== undefined && { model }) };
      const chat = await chats.update(chatId, change);
      broadcast('chat:changed', { chat });
      return chat;
    },
    'delete-chat': async ({ chatId }) => await removal.deleteChat(chatId),
    'restore-chat': async ({ chatId }) => await removal.restoreChat(chatId),
    'export-chat': async ({ chatId, attachments }) =>
      await exportChat(await chats.get(chatId), await chats.listMessages(chatId), { attachments }),
  };
}

/** The commit of HEAD. It is `null` for a repository that we cannot read, because chats work there too. */
export async function headOf({ path, git }: App): Promise<string | null> {
  if (!git) return null;
  const { headCommit } = await loadGit();
  return await headCommit(path).catch(() => null);
}
