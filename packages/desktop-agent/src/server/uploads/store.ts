import { randomUUID } from 'node:crypto';
import { and, eq, isNotNull, isNull, lt } from 'drizzle-orm';
import type { AttachmentSource, AttachmentStore, StoreSource } from '@mustard-sandbox/agent-tool';
import { AgentError, type ChatAttachment, type Upload } from '../../shared/contract/index.ts';
import type { AttachmentRow } from '../chats/rows.ts';
import type { Database } from '../database/open.ts';
import { attachments, chats } from '../database/schema.ts';
import { readPicture } from './read-picture.ts';

/** In the data folder and not in the app, because nothing is put into a person's folder that they did not ask for. */
const mediaDir = 'media';

/** The files of chats. They are on disk in the attachment store of the agent tool, and each has a row. */
export class UploadStore {
  readonly #database: Database;
  readonly #dataDir: string;

  constructor(database: Database, dataDir: string) {
    this.#database = database;
    this.#dataDir = dataDir;
  }

  /** The store of a chat's files. The agent tool is loaded here, because it takes longer to load than all the rest. */
  async storeOf(chatId: string | undefined): Promise<AttachmentStore> {
    const { AttachmentStore } = await import('@mustard-sandbox/agent-tool');
    return new AttachmentStore(this.#dataDir, { mediaDir, ...(chatId !== undefined && { chat: chatId }) });
  }

  /**
   * What the model of a chat can read: the files of its messages, and what its scripts wrote. It cannot read a file that was
   * attached and not sent, or one that was taken off the message.
   */
  async sentTo(chatId: string): Promise<AttachmentSource> {
    const store = await this.storeOf(chatId);
    const { directory, appPath } = store;
    const list: AttachmentSource['list'] = async () => {
      const [files, sent] = await Promise.all([store.list(), this.#sentNames(chatId)]);
      return files.filter(({ kind, name }) => kind === 'script-output' || sent.has(name));
    };
    return { directory, appPath, chat: chatId, list };
  }

  /** @throws {AgentError} `not_found` for a chat that is gone; {AttachmentError} */
  async add(chatId: string, source: StoreSource, name: string, signal?: AbortSignal): Promise<Upload> {
    await this.#mustExist(chatId);
    const store = await this.storeOf(chatId);
    const { name: stored, size, mediaType, path } = await store.store(source, name, undefined, signal && { signal });
    const row = { id: randomUUID(), chatId, name: stored, mediaType, bytes: size, path };
    try {
      await this.#mustExist(chatId);
      await this.#database.insert(attachments).values({ ...row, createdAt: new Date().toISOString() });
    } catch (error) {
      // The chat was removed while its file was being stored, so nothing else would remove the file.
      await store.remove(stored);
      throw error;
    }
    return { id: row.id, name: stored, bytes: size, mediaType };
  }

  /** The rows of uploads, in the order of `ids`. @throws {AgentError} `not_found` */
  async get(chatId: string, ids: readonly string[]): Promise<AttachmentRow[]> {
    const rows = await this.#database.select().from(attachments).where(eq(attachments.chatId, chatId));
    return ids.map((id) => {
      const row = rows.find((one) => one.id === id);
      if (row === undefined) throw new AgentError('not_found', 'An attached file no longer exists. Attach it again.');
      return row;
    });
  }

  /** Removes files that are older and used by no message, and partial files that a killed program left. */
  async clean(olderThanMs: number): Promise<void> {
    const before = new Date(Date.now() - olderThanMs).toISOString();
    const rows = await this.#database
      .select()
      .from(attachments)
      .where(and(isNull(attachments.messageId), isNull(attachments.queuedId), lt(attachments.createdAt, before)));
    for (const { id, chatId, name } of rows) {
      await this.#database.delete(attachments).where(eq(attachments.id, id));
      await this.#removeFile(chatId, name);
    }
    await (await this.storeOf(undefined)).prune();
  }

  /** Removes a file that was taken off the message before it was sent. One that a message has stays. */
  async discard(chatId: string, id: string): Promise<void> {
    const removed = await this.#database
      .delete(attachments)
      .where(
        and(
          eq(attachments.id, id),
          eq(attachments.chatId, chatId),
          isNull(attachments.messageId),
          isNull(attachments.queuedId),
        ),
      )
      .returning({ name: attachments.name });
    for (const { name } of removed) await this.#removeFile(chatId, name);
  }

  /** The stored files of a chat: those of its messages and of the next one, and what its scripts wrote. */
  async list(chatId: string): Promise<ChatAttachment[]> {
    const files = await (await this.storeOf(chatId)).list();
    return files.map(({ name, size, mediaType, path }) => ({ name, bytes: size, mediaType, path }));
  }

  /**
   * A picture of a message of the chat, or of its next one.
   *
   * @throws {AgentError} `not_found`; `limit_exceeded`, `invalid_request` for what cannot be shown
   */
  async readPicture(chatId: string, name: string): Promise<Buffer> {
    await this.#mustExist(chatId);
    const [row] = await this.#database
      .select({ path: attachments.path })
      .from(attachments)
      .where(and(eq(attachments.chatId, chatId), eq(attachments.name, name)))
      .limit(1);
    const path = row?.path ?? undefined;
    if (path === undefined) throw new AgentError('not_found', 'This attachment no longer exists.');
    return readPicture(path, name);
  }

  /** Removes a file, also from the messages that had it. @throws {AgentError} `not_found` */
  async remove(chatId: string, name: string): Promise<void> {
    await this.#mustExist(chatId);
    const wasThere = await (await this.storeOf(chatId)).remove(name);
    const { rowsAffected } = await this.#database
      .delete(attachments)
      .where(and(eq(attachments.chatId, chatId), eq(attachments.name, name)));
    if (!wasThere && rowsAffected === 0) throw new AgentError('not_found', `There is no attachment ${name}.`);
  }

  /** All files of a chat, also what its scripts wrote. The rows go with the row of the chat. */
  async removeAll(chatId: string): Promise<void> {
    const store = await this.storeOf(chatId);
    await store.cleanup({ olderThanMs: 0 });
    // `clean` would keep files with a time in the future, such as after a clock was set back.
    for (const { name } of await store.list()) await store.remove(name);
  }

  async #sentNames(chatId: string): Promise<Set<string>> {
    const rows = await this.#database
      .select({ name: attachments.name })
      .from(attachments)
      .where(and(eq(attachments.chatId, chatId), isNotNull(attachments.messageId)));
    return new Set(rows.map(({ name }) => name));
  }

  /** Removes the file unless another upload has the same one. */
  async #removeFile(chatId: string, name: string): Promise<void> {
    const [other] = await this.#database
      .select({ id: attachments.id })
      .from(attachments)
      .where(and(eq(attachments.chatId, chatId), eq(attachments.name, name)))
      .limit(1);
    if (other === undefined) await (await this.storeOf(chatId)).remove(name);
  }

  async #mustExist(chatId: string): Promise<void> {
    const [chat] = await this.#database
      .select({ id: chats.id })
      .from(chats)
      .where(and(eq(chats.id, chatId), isNull(chats.deletedAt)));
    if (chat === undefined) throw new AgentError('not_found', 'This chat no longer exists.');
  }
}
