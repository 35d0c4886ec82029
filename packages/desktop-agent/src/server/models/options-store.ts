import { eq } from 'drizzle-orm';
import { modelOptions, type ModelOptions } from '../../shared/contract/index.ts';
import type { Database } from '../database/open.ts';
import { modelSettings } from '../database/schema.ts';

/** What the person has set for models, by their ids. */
export class ModelOptionsStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Options that cannot be read count as not set. */
  async all(): Promise<Map<string, ModelOptions>> {
    const rows = await this.#database.select().from(modelSettings);
    return new Map(
      rows.flatMap(({ model, options }) => {
        const parsed = modelOptions.safeParse(options);
        return parsed.success ? [[model, parsed.data] as const] : [];
      }),
    );
  }

  /** @param options `null` removes them */
  async set(model: string, options: ModelOptions | null): Promise<void> {
    if (options === null) {
      await this.#database.delete(modelSettings).where(eq(modelSettings.model, model));
      return;
    }
    await this.#database
      .insert(modelSettings)
      .values({ model, options })
      .onConflictDoUpdate({ target: modelSettings.model, set: { options } });
  }
}
