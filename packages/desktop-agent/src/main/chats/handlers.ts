import type { Handlers } from '../../contract/index.ts';
import type { Services } from '../services.ts';

type Names = 'list-chats' | 'create-chat' | 'get-chat' | 'update-chat';

/** What a chat is before its first message. */
const newTitle = 'New chat';

export function chatHandlers({ apps, chats, broadcast }: Services): Pick<Handlers, Names> {
  return {
    'list-chats': async ({ appId }) => await chats.list((await apps.get(appId)).id),
    'create-chat': async ({ appId, mode = 'agent' }) => {
      const app = await apps.get(appId);
      const chat = await chats.create({ appId: app.id, title: newTitle, mode });
      broadcast('chat:changed', { chat });
      return chat;
    },
    'get-chat': async ({ chatId }) => ({ chat: await chats.get(chatId), messages: await chats.listMessages(chatId) }),
    'update-chat': async ({ chatId, title, mode, model }) => {
      const change = { ...(title && { title }), ...(mode && { mode }), ...(model !== undefined && { model }) };
      const chat = await chats.update(chatId, change);
      broadcast('chat:changed', { chat });
      return chat;
    },
  };
}
