import { AgentError, type Handlers } from '../../shared/contract/index.ts';
import { openFolder } from '../command/open-browser.ts';
import type { Services } from '../services.ts';

type Names = 'list-attachments' | 'open-attachments' | 'remove-attachment' | 'discard-upload';

export function uploadHandlers({ chats, uploads }: Services): Pick<Handlers, Names> {
  return {
    'list-attachments': async ({ chatId }) => await uploads.list((await chats.get(chatId)).id),
    'open-attachments': async () => {
      const { directory } = await uploads.storeOf(undefined);
      if (await openFolder(directory)) return {};
      throw new AgentError('not_found', `No file manager was found on this machine. The files are in ${directory}.`);
    },
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
