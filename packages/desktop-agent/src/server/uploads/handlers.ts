import type { Handlers } from '../../shared/contract/index.ts';
import type { Services } from '../services.ts';

type Names = 'list-attachments' | 'remove-attachment' | 'discard-upload';

export function uploadHandlers({ chats, uploads }: Services): Pick<Handlers, Names> {
  return {
    'list-attachments': async ({ chatId }) => await uploads.list((await chats.get(chatId)).id),
    'remove-attachment': async ({ chatId, name }) => {
      await uploads.remove(chatId, name);
      return {};
    },
    'discard-upload': async ({ chatId, uploadId }) => {
      await uploads.discard(chatId, uploadId);
      return {};
    },
  };
}
