import { costOf } from '../models/usage.ts';
import { NotSent, type Turn } from './turn.ts';

/** Answers whose person has said yes: they are not asked again for each request of it. */
const allowed = new WeakSet<Turn['live']>();

/**
 * Asks a person before a request that is large, or larger than the context window of its model.
 *
 * @throws {NotSent} when they do not want it
 */
export async function askIfLarge(
  { services, chat, settings, model, live, signal }: Turn,
  tokens: number,
): Promise<void> {
  const { largeRequest } = settings;
  const { contextWindow, price, label } = model;
  if (largeRequest === 0 || allowed.has(live)) return;
  const isTooLarge = contextWindow !== null && tokens > contextWindow;
  if (!isTooLarge && (tokens <= largeRequest || services.allowances.allows(chat.id, 'large requests'))) return;
  const cost = price === null ? null : costOf({ input: tokens, output: 0, cached: 0 }, price);
  const answer = await services.questions.ask(
    { kind: 'request', chatId: chat.id, model: label, tokens, contextWindow, cost },
    signal,
  );
  if (answer === 'deny') throw new NotSent();
  if (answer === 'allow-always') services.allowances.allow(chat.id, 'large requests');
  allowed.add(live);
}
