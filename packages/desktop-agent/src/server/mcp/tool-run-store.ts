import { asc, eq } from 'drizzle-orm';
import type { Database } from '../database/open.ts';
import { toolRuns } from '../database/schema.ts';

/** The chat and the message that a run belongs to. */
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

/** Which chat began each run. The rows are deleted with their chat. */
export class ToolRunStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Call it before the run begins, because a run that has an effect must belong to a chat. */
  async add(row: Omit<ToolRunRow, 'isTold'> & { isTold?: boolean }): Promise<void> {
    await this.#database.insert(toolRuns).values(row);
  }

  async find(runId: string): Promise<ToolRunRow | undefined> {
    return (await this.#database.select(columns).from(toolRuns).where(eq(toolRuns.runId, runId)))[0];
  }

  /** The runs of a chat, the oldest first. */
  async list(chatId: string): Promise<ToolRunRow[]> {
    return await this.#database
      .select(columns)
      .from(toolRuns)
      .where(eq(toolRuns.chatId, chatId))
      .orderBy(asc(toolRuns.position));
  }

  /** Notes that the model has the run's result. */
  async markTold(runId: string): Promise<void> {
    await this.#database.update(toolRuns).set({ isTold: true }).where(eq(toolRuns.runId, runId));
  }

  /** Whether no run is stored. */
  async isEmpty(): Promise<boolean> {
    return (await this.#database.select({ runId: toolRuns.runId }).from(toolRuns).limit(1)).length === 0;
  }
}
