import { desc, eq } from 'drizzle-orm';
import type { Version } from '../../shared/contract/index.ts';
import type { Database } from '../database/open.ts';
import { messages, versions } from '../database/schema.ts';

/** The commits that messages led to. What git knows about a commit is not stored again. */
export class VersionStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(appId: string, commit: string, messageId: string | null): Promise<void> {
    await this.#database
      .insert(versions)
      .values({ appId, commit, messageId, createdAt: new Date().toISOString() })
      .onConflictDoNothing();
  }

  /** The commits that answers of a chat made, the newest first. */
  async ofChat(chatId: string, limit: number): Promise<string[]> {
    const rows = await this.#database
      .select({ commit: versions.commit })
      .from(versions)
      .innerJoin(messages, eq(versions.messageId, messages.id))
      .where(eq(messages.chatId, chatId))
      .orderBy(desc(versions.createdAt), desc(messages.position))
      .limit(limit);
    return rows.map(({ commit }) => commit);
  }

  /** Adds to each version the id of the message that made it. */
  async withMessages(appId: string, found: readonly Version[]): Promise<Version[]> {
    const rows = await this.#database.select().from(versions).where(eq(versions.appId, appId));
    const messages = new Map(rows.map(({ commit, messageId }) => [commit, messageId]));
    return found.map((version) => ({ ...version, messageId: messages.get(version.commit) ?? null }));
  }
}
