import { randomUUID } from 'node:crypto';
import { and, asc, desc, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import {
  AgentError,
  type Chat,
  type ChatMode,
  type FollowingMode,
  type Message,
  type Proposal,
  type WorkPlan,
} from '../../shared/contract/index.ts';
import type { Plan } from '../changes/index.ts';
import type { Database } from '../database/open.ts';
import { attachments, chats, messages, queuedMessages } from '../database/schema.ts';
import { chatColumns, messageColumns, toChat, toMessage, type AttachmentRow } from './rows.ts';

export interface NewChat {
  appId: string;
  title: string;
  mode: ChatMode;
  model?: string | null;
  initialCommit?: string | null;
}

export interface NewMessage {
  chatId: string;
  role: Message['role'];
  parts: Message['parts'];
  state: Message['state'];
  /** The model's messages in the form of the AI SDK. */
  modelMessages?: unknown[] | null;
  /** Of a person's message: the commit that HEAD has. */
  headCommit?: string | null;
  /** The ids of attachments of this chat that now belong to the message. */
  attachments?: readonly string[];
  /** The waiting message that this one replaces. */
  queuedId?: string | undefined;
  /** A plan that is approved with it, and the mode that the chat then has. */
  approved?: { messageId: string; workPlan: WorkPlan; mode: FollowingMode } | undefined;
}

export interface MessageChange {
  parts?: Message['parts'];
  state?: Message['state'];
  error?: string | null;
  proposal?: Message['proposal'];
  workPlan?: Message['workPlan'];
  commit?: string | null;
  usage?: Message['usage'];
  modelMessages?: unknown[] | null;
  plan?: Plan | null;
}

/** The rows of chats and their messages. Only `restore` and `listDeleted` find deleted chats. */
export class ChatStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The chats of an app, the last used first. */
  async list(appId: string): Promise<Chat[]> {
    const rows = await this.#database
      .select(chatColumns)
      .from(chats)
      .where(and(eq(chats.appId, appId), isNull(chats.deletedAt)))
      .orderBy(desc(chats.updatedAt), desc(chats.createdAt));
    return rows.map(toChat);
  }

  async create({ appId, title, mode, model = null, initialCommit = null }: NewChat): Promise<Chat> {
    const now = new Date().toISOString();
    const row = { id: randomUUID(), appId, title, mode, model, initialCommit, createdAt: now, updatedAt: now };
    await this.#database.insert(chats).values(row);
    return { ...row, continuedFrom: null, streaming: false };
  }

  /** @throws {AgentError} `not_found` */
  async get(chatId: string): Promise<Chat> {
    const [row] = await this.#database
      .select(chatColumns)
      .from(chats)
      .where(and(eq(chats.id, chatId), isNull(chats.deletedAt)));
    if (row === undefined) throw new AgentError('not_found', 'This chat no longer exists.');
    return toChat(row);
  }

  /** @throws {AgentError} `not_found` */
  async update(
    chatId: string,
    change: {
      title?: string;
      mode?: ChatMode;
      model?: string | null;
      initialCommit?: string;
      continuedFrom?: NonNullable<Chat['continuedFrom']>;
    },
  ): Promise<Chat> {
    await this.#database
      .update(chats)
      .set({ ...change, updatedAt: new Date().toISOString() })
      .where(eq(chats.id, chatId));
    return await this.get(chatId);
  }

  /** All messages of a chat, in order. */
  async listMessages(chatId: string): Promise<Message[]> {
    const [rows, attached] = await this.#database.batch([
      this.#database
        .select(messageColumns(messages))
        .from(messages)
        .where(eq(messages.chatId, chatId))
        .orderBy(asc(messages.position)),
      this.#database
        .select()
        .from(attachments)
        .where(and(eq(attachments.chatId, chatId), isNotNull(attachments.messageId)))
        .orderBy(asc(attachments.createdAt)),
    ]);
    const byMessage = new Map<string | null, AttachmentRow[]>();
    for (const one of attached) byMessage.set(one.messageId, [...(byMessage.get(one.messageId) ?? []), one]);
    return rows.map((row) => toMessage(row, byMessage.get(row.id) ?? []));
  }

  /** @throws {AgentError} `not_found`, also for a message of another chat */
  async getMessage(chatId: string, messageId: string): Promise<Message> {
    const [rows, attached] = await this.#database.batch([
      this.#database
        .select(messageColumns(messages))
        .from(messages)
        .where(and(eq(messages.id, messageId), eq(messages.chatId, chatId))),
      this.#database.select().from(attachments).where(eq(attachments.messageId, messageId)),
    ]);
    const [row] = rows;
    if (row === undefined) throw new AgentError('not_found', 'This message no longer exists.');
    return toMessage(row, attached);
  }

  /** The commit that HEAD had when a message was sent; `null` where that is not known. */
  async getHeadCommit(messageId: string): Promise<string | null> {
    const [row] = await this.#database
      .select({ headCommit: messages.headCommit })
      .from(messages)
      .where(eq(messages.id, messageId));
    return row?.headCommit ?? null;
  }

  /** What was sent to the model and what it answered, in order, by the messages of the chat. */
  async listModelMessages(
    chatId: string,
  ): Promise<{ messageId: string; role: Message['role']; modelMessages: unknown[] | null }[]> {
    return await this.#database
      .select({ messageId: messages.id, role: messages.role, modelMessages: messages.modelMessages })
      .from(messages)
      .where(eq(messages.chatId, chatId))
      .orderBy(asc(messages.position));
  }

  /** What the proposal of a message does when it is approved; `null` when there is none. */
  async getPlan(messageId: string): Promise<Plan | null> {
    const [row] = await this.#database.select({ plan: messages.plan }).from(messages).where(eq(messages.id, messageId));
    return row?.plan ?? null;
  }

  /** Messages with a proposal in this state, from all chats that are not deleted. */
  async listProposed(state: Proposal['state']): Promise<Message[]> {
    const rows = await this.#database
      .select(messageColumns(messages))
      .from(messages)
      .innerJoin(chats, eq(messages.chatId, chats.id))
      .where(and(isNull(chats.deletedAt), sql`json_extract(${messages.proposal}, '$.state') = ${state}`));
    return rows.map((row) => toMessage(row, []));
  }

  /** The workspace of a chat's commands; `null` before the first command. */
  async getWorkspace(chatId: string): Promise<string | null> {
    const [row] = await this.#database
      .select({ workspaceId: chats.workspaceId })
      .from(chats)
      .where(eq(chats.id, chatId));
    return row?.workspaceId ?? null;
  }

  async setWorkspace(chatId: string, workspaceId: string | null): Promise<void> {
    await this.#database.update(chats).set({ workspaceId }).where(eq(chats.id, chatId));
  }

  /**
   * Saves messages in this order, all or none, and makes the chat the last used one.
   *
   * @throws {AgentError} `not_found` for a deleted chat, or an attachment of another chat or one that is already used
   */
  async add(...added: readonly [NewMessage, ...NewMessage[]]): Promise<Message[]> {
    const { chatId } = added[0];
    await this.get(chatId);
    const createdAt = new Date().toISOString();
    const rows = added.map(({ role, parts, state, modelMessages = null, headCommit = null }) => {
      return { id: randomUUID(), chatId, role, parts, state, modelMessages, headCommit, createdAt };
    });
    const claimed = await Promise.all(added.map((message) => this.#unused(chatId, message.attachments ?? [])));
    const database = this.#database;
    await database.batch([
      database.update(chats).set({ updatedAt: createdAt }).where(eq(chats.id, chatId)),
      ...rows.map((row) => database.insert(messages).values(row)),
      // The waiting message is removed in the same batch. Otherwise a kill in between could send it twice or lose it.
      ...added.flatMap(({ queuedId }) =>
        queuedId === undefined ? [] : [database.delete(queuedMessages).where(eq(queuedMessages.id, queuedId))],
      ),
      // The plan is approved in the same batch, because no answer would follow an approved plan without its message.
      ...added.flatMap(({ approved }) =>
        approved === undefined
          ? []
          : [
              database.update(messages).set({ workPlan: approved.workPlan }).where(eq(messages.id, approved.messageId)),
              database.update(chats).set({ mode: approved.mode }).where(eq(chats.id, chatId)),
            ],
      ),
      ...rows.flatMap(({ id }, index) =>
        claimed[index]!.map((one) =>
          database.update(attachments).set({ messageId: id }).where(eq(attachments.id, one.id)),
        ),
      ),
    ]);
    return rows.map((row, index) =>
      toMessage(
        { ...row, position: 0, proposal: null, workPlan: null, error: null, commit: null, usage: null },
        claimed[index]!.map((one) => ({ ...one, messageId: row.id })),
      ),
    );
  }

  /** Changes a message. While an answer streams it is called ten times a second. @throws {AgentError} `not_found` */
  async updateMessage(messageId: string, change: MessageChange): Promise<void> {
    const { rowsAffected } = await this.#database.update(messages).set(change).where(eq(messages.id, messageId));
    if (rowsAffected === 0) throw new AgentError('not_found', 'This message no longer exists.');
    if (typeof change.commit === 'string') await this.#linkVersion(messageId, change.commit);
  }

  /** Stores the commit of an answer as a version of the app, which stays when the chat is removed. */
  async #linkVersion(messageId: string, commit: string): Promise<void> {
    await this.#database.run(sql`
      INSERT INTO versions (app_id, commit_hash, message_id, created_at)
      SELECT chats.app_id, ${commit}, messages.id, ${new Date().toISOString()}
      FROM messages JOIN chats ON chats.id = messages.chat_id WHERE messages.id = ${messageId}
      ON CONFLICT (app_id, commit_hash) DO UPDATE SET message_id = excluded.message_id`);
  }

  /** Marks the answers that were under way when the program died. @returns these answers */
  async markInterrupted(): Promise<{ id: string; chatId: string }[]> {
    return await this.#database
      .update(messages)
      .set({ state: 'interrupted' })
      .where(eq(messages.state, 'streaming'))
      .returning({ id: messages.id, chatId: messages.chatId });
  }

  /** Hides a chat until it is restored or removed for good. @throws {AgentError} `not_found` */
  async delete(chatId: string): Promise<Chat> {
    const chat = await this.get(chatId);
    await this.markDeleted(chatId);
    return chat;
  }

  async markDeleted(chatId: string): Promise<void> {
    await this.#database.update(chats).set({ deletedAt: new Date().toISOString() }).where(eq(chats.id, chatId));
  }

  /** @throws {AgentError} `not_found` when it was removed for good */
  async restore(chatId: string): Promise<Chat> {
    await this.#database.update(chats).set({ deletedAt: null }).where(eq(chats.id, chatId));
    return await this.get(chatId);
  }

  /** Chats that are deleted and not yet removed for good. */
  async listDeleted(): Promise<{ id: string; deletedAt: string }[]> {
    const rows = await this.#database
      .select({ id: chats.id, deletedAt: chats.deletedAt })
      .from(chats)
      .where(isNotNull(chats.deletedAt));
    return rows.map(({ id, deletedAt }) => ({ id, deletedAt: deletedAt ?? '' }));
  }

  /** The ids of all chats of an app, including deleted ones. */
  async listAll(appId: string): Promise<string[]> {
    const rows = await this.#database.select({ id: chats.id }).from(chats).where(eq(chats.appId, appId));
    return rows.map(({ id }) => id);
  }

  /** Removes the row of a deleted chat, and by cascade its messages and attachments. */
  async removeRow(chatId: string): Promise<void> {
    await this.#database.delete(chats).where(and(eq(chats.id, chatId), isNotNull(chats.deletedAt)));
  }

  async #unused(chatId: string, ids: readonly string[]): Promise<AttachmentRow[]> {
    if (ids.length === 0) return [];
    const found = await this.#database
      .select()
      .from(attachments)
      .where(and(inArray(attachments.id, [...ids]), eq(attachments.chatId, chatId), isNull(attachments.messageId)));
    if (found.length === new Set(ids).size) return found;
    throw new AgentError('not_found', 'An attached file no longer exists. Attach it again.');
  }
}
