// What is known of a chat before its next answer is made.
import type { App, Chat, Settings } from '../../shared/contract/index.ts';
import type { QueueStore } from '../chats/queue-store.ts';
import { tourModel } from '../models/models.ts';
import { isFull } from './compaction/is-full.ts';
import { cutFile } from './continuing.ts';
import type { PastMessage } from './history.ts';
import type { ApprovedPlan } from './ports.ts';
import type { TurnServices } from './turn.ts';

export interface TurnsOptions extends TurnServices {
  /** Messages that wait. */
  queue: QueueStore;
  /** What a chat is called before its first message. */
  newTitle: string;
  /** Applies the proposal of a message that is complete. */
  approve: (chatId: string, messageId: string) => Promise<unknown>;
  /** Looks whether what earlier answers did is still in the app. */
  refreshTurns: (chatId: string) => Promise<void>;
  /** The commit that HEAD of an app has; `null` without git. */
  headOf: (app: App) => Promise<string | null>;
  /** Stores the log of the tour for a chat. @returns the id of the upload */
  attachTourLog: (chatId: string) => Promise<string>;
}

export interface Facts {
  chat: Chat;
  app: App;
  settings: Settings;
  past: readonly PastMessage[];
  headCommit: string | null;
}

/** @throws {AgentError} `not_found` */
export async function factsOf(options: TurnsOptions, chatId: string): Promise<Facts> {
  const { chats, apps, settings, refreshTurns } = options;
  const chat = await chats.get(chatId);
  const app = await apps.get(chat.appId);
  const current = await settings.get();
  await refreshTurns(chatId);
  const headCommit = await options.headOf(app);
  return { chat, app, settings: current, past: await pastOf(options, chatId), headCommit };
}

async function pastOf({ chats, toolRuns }: TurnsOptions, chatId: string): Promise<PastMessage[]> {
  const [messages, kept, later] = await Promise.all([
    chats.listMessages(chatId),
    chats.listModelMessages(chatId),
    toolRuns.endedLater(chatId),
  ]);
  const byId = new Map(kept.map(({ messageId, modelMessages }) => [messageId, modelMessages]));
  return messages.map((message) => ({
    message,
    modelMessages: byId.get(message.id) ?? null,
    later: later.get(message.id) ?? [],
  }));
}

/** As they are once a plan is approved. */
export function withApproved(facts: Facts, approved: ApprovedPlan | undefined): Facts {
  if (approved === undefined) return facts;
  const { messageId, workPlan, mode } = approved;
  const past = facts.past.map((one) =>
    one.message.id === messageId ? { ...one, message: { ...one.message, workPlan } } : one,
  );
  return { ...facts, chat: { ...facts.chat, mode }, past };
}

/** Whether the chat is to be summed up before its next message. */
export async function wantsSummary(
  { models }: TurnsOptions,
  { chat, settings, past }: Facts,
  text: string,
): Promise<boolean> {
  const used = past.findLast(({ message }) => message.usage !== null)?.message.usage?.model;
  const model = chat.model ?? settings.model ?? used;
  // The rest of a file that was cut is written by a model that sees what it has of it.
  if (model === undefined || cutFile(past, text) !== undefined) return false;
  return isFull(past, await models.windowOf(model), text);
}

/** The uploads of a message; of the first one of the tour, its log. */
export async function withTourLog(
  { models, attachTourLog }: TurnsOptions,
  { chat, settings, past }: Facts,
  uploads: readonly string[],
): Promise<readonly string[]> {
  if (past.length > 0 || uploads.length > 0 || chat.mode !== 'agent') return uploads;
  const model = chat.model ?? settings.model;
  const isTour = model === null ? await models.hasNone() : model === tourModel.id;
  return isTour ? [await attachTourLog(chat.id)] : uploads;
}
