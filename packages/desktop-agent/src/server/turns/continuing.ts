// An answer of the mode Build that goes on in the file in which the one before was cut off.
import type { ModelMessage } from 'ai';
import { endsInsideWrite, joinContinuation, parseTags } from '../../shared/tags/parse.ts';
import { isSummary } from './history.ts';
import type { Turn } from './turn.ts';

const asksToGoOn = /^\s*(?:please,?\s+)?(?:go on|continue|keep going)\s*(?:please)?[\s.!]*$/i;

/**
 * The beginning of the file that the answer before ended in, from its opening tag, when the person wants the rest of it. It
 * was stopped, it failed, or the program ended; the model has it in its history.
 */
export function cutFile(past: Turn['past'], said: string): string | undefined {
  const last = past.findLast(({ message }) => !isSummary(message));
  if (last?.message.role !== 'assistant' || !asksToGoOn.test(said)) return undefined;
  const text = textsOf((last.modelMessages ?? []) as ModelMessage[]).at(-1) ?? '';
  const segments = parseTags(text);
  const open = segments.at(-1);
  if ((open?.type !== 'write' && open?.type !== 'edit') || !endsInsideWrite(segments)) return undefined;
  const start = text.lastIndexOf(`<agent-${open.type}`, text.length - open.content.length);
  return start === -1 ? undefined : text.slice(start);
}

/** Puts what a model said behind that, unless it begins with another file, or with all of it after some words. */
export function joinedTo(cut: string, text: string): string {
  const joined = joinContinuation(cut, text);
  const firstTag = /^[ \t]*<(\/?)agent-/m.exec(text);
  const beginsAnew = joined === cut + text && firstTag?.[1] === '';
  return beginsAnew ? text : joined;
}

/** A message to go on exactly where an answer was cut. Some models want messages and answers to take turns. */
export function askingForRest(messages: readonly ModelMessage[], instruction: string): ModelMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content: instruction }];
  const parts = typeof last.content === 'string' ? [{ type: 'text' as const, text: last.content }] : last.content;
  return [...messages.slice(0, -1), { role: 'user', content: [...parts, { type: 'text', text: instruction }] }];
}

/** What a model said without a word of the person in between, as one text each: a cut answer is in several messages. */
export function textsOf(messages: readonly ModelMessage[]): string[] {
  const texts: string[] = [];
  let isGoingOn = false;
  for (const { role, content } of messages) {
    if (role === 'assistant') {
      const text =
        typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      texts.push(isGoingOn ? joinContinuation(texts.pop() ?? '', text) : text);
    }
    isGoingOn = role === 'assistant';
  }
  return texts;
}
