import type { Handlers } from '../../contract/index.ts';
import type { Services } from '../services.ts';

export function uploadHandlers({ chats, uploads }: Services): Pick<Handlers, 'list-attachments' | 'remove-attachment'> {
  return {
    'list-attachments': async ({ chatId }) => await uploads.list((await chats.get(chatId)).id),
    'remove-attachment': async ({ chatId, name }) => {
      await uploads.remove(chatId, name);
      return {};
    },
  };
}
