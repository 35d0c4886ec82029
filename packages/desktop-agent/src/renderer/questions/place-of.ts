import type { Question } from '../../contract/index.ts';
import { texts } from '../words/texts.ts';

/** Which app and chat ask, in words: the page shows the questions of all of them. */
export function placeOf({ where }: Question): string | undefined {
  return where && texts.questionPlace(where.app, where.chat);
}
