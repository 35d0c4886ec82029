import type { Question } from '../../shared/contract/index.ts';
import { texts } from '../words/texts.ts';

/** The names of the app and the chat that ask, because the page shows the questions of all of them. */
export function askerOf({ where }: Question): string | undefined {
  return where && texts.questionAsker(where.app, where.chat);
}
