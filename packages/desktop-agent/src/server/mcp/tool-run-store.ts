import { asc, eq } from 'drizzle-orm';
import type { Database } from '../database/open.ts';
import { toolRuns } from '../database/schema.ts';

/** Where a run belongs. */
export interface ToolRunRow {
  runId: string;
  chatId: string;
  messageId: string;
  isTold: boolean;
}

const columns = {
  runId: toolRuns.runId,
  chatId: toolRuns.chatId,
  messageId: toolRuns.messageId,
  isTold: toolRuns.isTold,
};

/** Which chat has begun each run. The rows go with their chat. */
export class ToolRunStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Before the run begins: what has an effect must not be without a chat. */
  async add(row: Omit<ToolRunRow, 'isTold'> & { isTold?: boolean }): Promise<void> {
    await this.#database.insert(toolRuns).values(row);
  }

  async find(runId: string): Promise<ToolRunRow | undefined> {
    return (await this.#database.select(columns).from(toolRuns).where(eq(toolRuns.runId, runId)))[0];
  }

  /** Those of a chat, the oldest first. */
  async list(chatId: string): Promise<ToolRunRow[]> {
    return await this.#database
      .select(columns)
      .from(toolRuns)
      .where(eq(toolRuns.chatId, chatId))
      .orderBy(asc(toolRuns.position));
  }

  /** The model has its result. */
  async markTold(runId: string): Promise<void> {
    await this.#database.update(toolRuns).set({ isTold: true }).where(eq(toolRuns.runId, runId));
  }

  /** Whether there has been any run. */
  async isEmpty(): Promise<boolean> {
    return (await this.#database.select({ runId: toolRuns.runId }).from(toolRuns).limit(1)).length === 0;
  }
}
