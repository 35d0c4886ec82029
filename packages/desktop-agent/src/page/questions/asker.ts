import type { Question } from '../../shared/contract/index.ts';
import { texts } from '../words/texts.ts';

/** Which app and chat ask, in words: the page shows the questions of all of them. */
export function askerOf({ where }: Question): string | undefined {
  return where && texts.questionAsker(where.app, where.chat);
}
