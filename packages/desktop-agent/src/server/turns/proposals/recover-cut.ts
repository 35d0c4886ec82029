import type { ModelMessage } from 'ai';
import type { Apps, Chats } from '../ports.ts';

/** An answer that was under way when the program died. */
export interface CutAnswer {
  id: string;
  chatId: string;
}

interface Services {
  chats: Pick<Chats, 'get' | 'listModelMessages' | 'updateMessage'>;
  apps: Apps;
  onError: (what: string, error: unknown) => void;
}

/** Runs at the start. The whole changes in answers that a kill has cut become proposals. */
export async function recoverCut(cut: readonly CutAnswer[], { chats, apps, onError }: Services): Promise<void> {
  for (const { id, chatId } of cut) {
    try {
      const kept = (await chats.listModelMessages(chatId)).find(({ messageId }) => messageId === id);
      if (kept?.modelMessages === null || kept === undefined) continue;
      const chat = await chats.get(chatId);
      const { wantedBySaid, wholeOf } = await import('./whole.ts');
      const wanted = wantedBySaid(kept.modelMessages as ModelMessage[], chat.mode === 'build');
      const made = await wholeOf((await apps.get(chat.appId)).path, wanted);
      if (made !== undefined) await chats.updateMessage(id, made);
    } catch (error) {
      onError('what was whole in a cut answer could not be proposed', error);
    }
  }
}
