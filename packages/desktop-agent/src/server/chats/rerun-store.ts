import { and, asc, eq } from 'drizzle-orm';
import type { Rerun } from '../../shared/contract/index.ts';
import type { Database } from '../database/open.ts';
import { reruns } from '../database/schema.ts';

const columns = { runId: reruns.runId, rerunOf: reruns.rerunOf, record: reruns.record };

/** Scripts that a person ran again, once they have ended. They are removed with their chat. */
export class RerunStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(chatId: string, rerun: Rerun): Promise<void> {
    await this.#database.insert(reruns).values({ chatId, ...rerun });
  }

  /** The reruns of a chat, the oldest first. */
  async list(chatId: string): Promise<Rerun[]> {
    return await this.#database
      .select(columns)
      .from(reruns)
      .where(eq(reruns.chatId, chatId))
      .orderBy(asc(reruns.position));
  }

  async find(chatId: string, runId: string): Promise<Rerun | undefined> {
    const [found] = await this.#database
      .select(columns)
      .from(reruns)
      .where(and(eq(reruns.chatId, chatId), eq(reruns.runId, runId)));
    return found;
  }
}
