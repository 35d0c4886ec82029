// A chat that begins with the messages of another one, up to the one that a person has edited.
import { randomUUID } from 'node:crypto';
import { and, asc, eq, inArray, isNotNull, isNull } from 'drizzle-orm';
import { AgentError, type Chat, type Message, type Part } from '../../shared/contract/index.ts';
import type { Database } from '../database/open.ts';
import { attachments, chats, messages, queuedMessages } from '../database/schema.ts';
import type { SavedFiles } from '../uploads/saved-files.ts';
import type { UploadStore } from '../uploads/store.ts';

type MessageRow = typeof messages.$inferSelect;
type AttachmentRow = typeof attachments.$inferSelect;

interface CopiesOptions {
  database: Database;
  uploads: UploadStore;
  saved: SavedFiles;
}

export interface WantedCopy {
  /** The chat whose message is edited. */
  chat: Chat;
  message: Message;
  title: string;
  continuedFrom: NonNullable<Chat['continuedFrom']>;
  /** What waits in the new chat, with these files of the message. */
  text: string;
  attachments: readonly string[];
}

export class ChatCopies {
  readonly #options: CopiesOptions;

  constructor(options: CopiesOptions) {
    this.#options = options;
  }

  /**
   * Makes the chat, with the edited message as one that waits. It is there as a whole or not at all: until its rows are
   * written it counts as deleted, so the next start removes what a kill has left of it.
   *
   * @throws {AgentError} `not_found` for a message or an attachment that is gone
   */
  async make(wanted: WantedCopy): Promise<{ chatId: string; queuedId: string }> {
    const { database } = this.#options;
    const { chat, continuedFrom, title } = wanted;
    const now = new Date().toISOString();
    const chatId = randomUUID();
    const { appId, mode, model, initialCommit } = chat;
    const facts = { id: chatId, appId, title, mode, model, initialCommit, continuedFrom };
    await database.insert(chats).values({ ...facts, createdAt: now, updatedAt: now, deletedAt: now });
    try {
      const queuedId = await this.#fill(chatId, wanted, now);
      return { chatId, queuedId };
    } catch (error) {
      await this.remove(chatId);
      throw error;
    }
  }

  /** Removes a chat that was made here, with its files. */
  async remove(chatId: string): Promise<void> {
    const { database, uploads, saved } = this.#options;
    await uploads.removeAll(chatId);
    await saved.remove(chatId);
    await database.delete(chats).where(eq(chats.id, chatId));
  }

  async #fill(chatId: string, { chat, message, text, attachments: kept }: WantedCopy, now: string): Promise<string> {
    const { database, saved } = this.#options;
    const rows = await this.#before(chat.id, message.id);
    const ids = new Map(rows.map(({ id }) => [id, randomUUID()]));
    const queuedId = randomUUID();
    const own = new Set(kept);
    const files = (await this.#filesOf(chat.id, [...ids.keys(), message.id])).filter(
      (file) => file.messageId !== message.id || own.has(file.name),
    );
    const found = new Set(files.filter(({ messageId }) => messageId === message.id).map(({ name }) => name));
    const gone = kept.find((name) => !found.has(name));
    if (gone !== undefined) throw new AgentError('not_found', `${gone} is not attached to this message any more.`);
    const copied: AttachmentRow[] = [];
    // One after the other: each is hashed as it is stored, and takes no more room on the disk.
    for (const file of files) copied.push(await this.#copyFile(chatId, file));
    await saved.copy(chat.id, chatId);
    const placed = copied.map((file) => ({
      ...file,
      id: randomUUID(),
      chatId,
      queuedId: file.messageId === message.id ? queuedId : null,
      messageId: file.messageId === null ? null : (ids.get(file.messageId) ?? null),
    }));
    await database.batch([
      database.update(chats).set({ deletedAt: null }).where(eq(chats.id, chatId)),
      ...rows.map((row) => database.insert(messages).values(copyOf(row, chatId, ids))),
      database.insert(queuedMessages).values({ id: queuedId, chatId, text, createdAt: now }),
      ...placed.map((file) => database.insert(attachments).values(file)),
    ]);
    return queuedId;
  }

  async #before(chatId: string, messageId: string): Promise<MessageRow[]> {
    const rows = await this.#options.database
      .select()
      .from(messages)
      .innerJoin(chats, and(eq(messages.chatId, chats.id), isNull(chats.deletedAt)))
      .where(eq(messages.chatId, chatId))
      .orderBy(asc(messages.position));
    const all = rows.map((row) => row.messages);
    const at = all.findIndex(({ id }) => id === messageId);
    if (at === -1) throw new AgentError('not_found', 'This message no longer exists.');
    return all.slice(0, at);
  }

  async #filesOf(chatId: string, messageIds: readonly string[]): Promise<AttachmentRow[]> {
    return await this.#options.database
      .select()
      .from(attachments)
      .where(
        and(
          eq(attachments.chatId, chatId),
          isNotNull(attachments.messageId),
          inArray(attachments.messageId, [...messageIds]),
        ),
      )
      .orderBy(asc(attachments.createdAt));
  }

  async #copyFile(chatId: string, row: AttachmentRow): Promise<AttachmentRow> {
    if (row.path === null) return row;
    const store = await this.#options.uploads.storeOf(chatId);
    const { name, path } = await store.store(row.path, row.name, row.mediaType).catch((cause: unknown) => {
      throw new AgentError('not_found', `The attached file ${row.name} no longer exists.`, { cause });
    });
    return { ...row, name, path };
  }
}

/** What is still to be decided about stays with the chat that it was made in: here nothing of it is done. */
function copyOf(row: MessageRow, chatId: string, ids: ReadonlyMap<string, string>): Omit<MessageRow, 'position'> {
  const { position: _, ...rest } = row;
  const { proposal } = row;
  const isSettled = proposal === null || proposal.state === 'approved' || proposal.state === 'rejected';
  return {
    ...rest,
    id: ids.get(row.id) ?? row.id,
    chatId,
    parts: row.parts.map((part) => partOf(part, ids)),
    ...(!isSettled && { proposal: { ...proposal, state: 'rejected' as const }, plan: null }),
  };
}

function partOf(part: Part, ids: ReadonlyMap<string, string>): Part {
  if (part.type === 'step') return { ...part, plan: ids.get(part.plan) ?? part.plan };
  // The run belongs to the other chat, where it may go on.
  if (part.type === 'tools') {
    const title = 'A script that calls tools, in the chat before';
    return { type: 'tool', callId: part.runId, name: 'tools', title, state: 'done', detail: '' };
  }
  return part;
}
