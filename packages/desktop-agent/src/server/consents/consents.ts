import type { Services } from '../services.ts';
import { Allowances } from './allowances.ts';
import { Questions } from './questions.ts';

/** What a person is asked, and what they have allowed. */
export interface Consents {
  questions: Questions;
  allowances: Allowances;
}

export function makeConsents({ apps, chats, broadcast }: Pick<Services, 'apps' | 'chats' | 'broadcast'>): Consents {
  const questions = new Questions(broadcast, async (asker) => {
    if ('appId' in asker) return { app: (await apps.get(asker.appId)).name };
    const { appId, title } = await chats.get(asker.chatId);
    return { app: (await apps.get(appId)).name, chat: title };
  });
  return { questions, allowances: new Allowances() };
}
