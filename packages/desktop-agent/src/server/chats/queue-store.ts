import { randomUUID } from 'node:crypto';
import { and, asc, eq, inArray, isNull } from 'drizzle-orm';
import { AgentError, type QueuedMessage } from '../../shared/contract/index.ts';
import type { Database } from '../database/open.ts';
import { attachments, queuedMessages } from '../database/schema.ts';

/** The most waiting messages of a chat. A person writes fewer during one answer. */
const maxQueued = 100;

/** A waiting message with the ids of its uploads. */
export interface Queued {
  id: string;
  text: string;
  uploads: string[];
}

/** Messages that wait for the end of an answer, in the order in which they will be sent. */
export class QueueStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(chatId: string): Promise<QueuedMessage[]> {
    const [rows, files] = await this.#database.batch([
      this.#database
        .select()
        .from(queuedMessages)
        .where(eq(queuedMessages.chatId, chatId))
        .orderBy(asc(queuedMessages.position)),
      this.#database.select().from(attachments).where(eq(attachments.chatId, chatId)),
    ]);
    return rows.map(({ id, text }) => ({
      id,
      text,
      uploads: files
        .filter(({ queuedId }) => queuedId === id)
        .map(({ id, name, bytes, mediaType }) => ({ id, name, bytes, mediaType })),
    }));
  }

  /** @throws {AgentError} `not_found` when it was sent or removed meanwhile */
  async get(chatId: string, id: string): Promise<Queued> {
    const found = (await this.list(chatId)).find((one) => one.id === id);
    if (found === undefined) throw gone();
    return { ...found, uploads: found.uploads.map((upload) => upload.id) };
  }

  /** @throws {AgentError} `not_found` for an upload of another chat or one that is already used; `limit_exceeded` */
  async add(chatId: string, text: string, uploads: readonly string[]): Promise<string> {
    if ((await this.list(chatId)).length >= maxQueued) {
      throw new AgentError('limit_exceeded', `${maxQueued} messages already wait in this chat. Remove some first.`);
    }
    const free = and(
      inArray(attachments.id, [...uploads]),
      eq(attachments.chatId, chatId),
      isNull(attachments.messageId),
      isNull(attachments.queuedId),
    );
    const found = uploads.length === 0 ? [] : await this.#database.select().from(attachments).where(free);
    if (found.length !== new Set(uploads).size) {
      throw new AgentError('not_found', 'An attached file no longer exists. Attach it again.');
    }
    const id = randomUUID();
    const row = { id, chatId, text, createdAt: new Date().toISOString() };
    await this.#database.batch([
      this.#database.insert(queuedMessages).values(row),
      this.#database.update(attachments).set({ queuedId: id }).where(free),
    ]);
    return id;
  }

  /** @throws {AgentError} `not_found` */
  async edit(chatId: string, id: string, text: string): Promise<void> {
    const { rowsAffected } = await this.#database.update(queuedMessages).set({ text }).where(this.#is(chatId, id));
    if (rowsAffected === 0) throw gone();
  }

  /** Removes a message. Its files go after a day, unless another message uses them. @throws {AgentError} `not_found` */
  async remove(chatId: string, id: string): Promise<void> {
    const { rowsAffected } = await this.#database.delete(queuedMessages).where(this.#is(chatId, id));
    if (rowsAffected === 0) throw gone();
  }

  #is(chatId: string, id: string) {
    return and(eq(queuedMessages.id, id), eq(queuedMessages.chatId, chatId));
  }
}

function gone(): AgentError {
  return new AgentError('not_found', 'This message no longer waits: it was sent or removed.');
}
