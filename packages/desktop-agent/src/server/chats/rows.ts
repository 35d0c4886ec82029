import { sql } from 'drizzle-orm';
import type { Chat, ChatAttachment, Message } from '../../shared/contract/index.ts';
import type * as schema from '../database/schema.ts';
import { chats } from '../database/schema.ts';

export type AttachmentRow = typeof schema.attachments.$inferSelect;
type MessageRow = Omit<typeof schema.messages.$inferSelect, 'modelMessages' | 'plan' | 'headCommit'>;

/** A chat as the page has it. `streaming` is computed and not stored, because it would be wrong after a crash. */
export const chatColumns = {
  id: chats.id,
  appId: chats.appId,
  title: chats.title,
  mode: chats.mode,
  model: chats.model,
  initialCommit: chats.initialCommit,
  continuedFrom: chats.continuedFrom,
  // The name is written in full, because drizzle omits the table in a query of one table, and `id` would be the message's.
  streaming: sql<number>`EXISTS (SELECT 1 FROM messages m WHERE m.chat_id = chats.id AND m.state = 'streaming')`,
  createdAt: chats.createdAt,
  updatedAt: chats.updatedAt,
};

export function toChat(row: Omit<Chat, 'streaming'> & { streaming: number }): Chat {
  return { ...row, streaming: row.streaming !== 0 };
}

function toAttachment({ name, bytes, mediaType, path }: AttachmentRow): ChatAttachment {
  return { name, bytes, mediaType, ...(path !== null && { path }) };
}

export function toMessage(row: MessageRow, attached: readonly AttachmentRow[]): Message {
  const { id, chatId, role, parts, state, error, proposal, workPlan, commit, usage, createdAt } = row;
  return {
    id,
    chatId,
    role,
    parts,
    attachments: attached.filter(({ messageId }) => messageId === id).map(toAttachment),
    state,
    error,
    proposal,
    workPlan,
    commit,
    usage,
    createdAt,
  };
}

/** The columns of a message without those for the model alone, which have most of the bytes. */
export function messageColumns(table: typeof schema.messages) {
  const { id, position, chatId, role, parts, proposal, workPlan, state, error, commit, usage, createdAt } = table;
  return { id, position, chatId, role, parts, proposal, workPlan, state, error, commit, usage, createdAt };
}
