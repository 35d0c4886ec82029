import { estimateTokens } from '../../models/usage.ts';
import { historyOf, isSummary, type PastMessage } from '../history.ts';
import { tokensOf } from '../request-size.ts';

/** From here on a request leaves little room for its answer. */
const fullFrom = 0.8;
/** With less history than this, a summary makes no room: the files of the app or the message fill the window. */
const worthFrom = 0.2;
/** A summary that failed is tried again only after so many messages: each attempt costs a request. */
const pauseAfterFailure = 6;

/** Whether the next request of a chat would fill the context window of its model, so that its history is to be summarized. */
export function isFull(past: readonly PastMessage[], contextWindow: number | null, text: string): boolean {
  const last = past.findLast(({ message }) => message.usage !== null)?.message.usage;
  if (contextWindow === null || last === null || last === undefined) return false;
  if (last.context + estimateTokens(text) <= fullFrom * contextWindow || hasFailedLately(past)) return false;
  return tokensOf({ messages: historyOf(past, { tools: true }) }) > worthFrom * contextWindow;
}

function hasFailedLately(past: readonly PastMessage[]): boolean {
  const last = past.findLastIndex(({ message }) => isSummary(message));
  return last !== -1 && past[last]?.message.state !== 'complete' && past.length - last <= pauseAfterFailure;
}
