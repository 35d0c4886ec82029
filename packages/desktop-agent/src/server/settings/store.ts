import { eq } from 'drizzle-orm';
import { AgentError, settings as settingsSchema, type Params, type Settings } from '../../shared/contract/index.ts';
import type { Database } from '../database/open.ts';
import { settings } from '../database/schema.ts';

const row = 'settings';

const defaultSettings: Settings = {
  model: null,
  autoApprove: false,
  autoFix: false,
  largeRequest: 150_000,
  scripts: { enabled: true, consent: 'ask', timeoutMs: 2000, engine: 'auto' },
  sizePolicy: 'ask',
  sizeThreshold: 512 * 1024,
  bash: false,
  network: { registries: false, domains: [] },
  theme: 'system',
  dismissed: [],
};

/** The person's settings. A field that is missing or invalid has its default. */
export class SettingsStore {
  readonly #database: Database;
  #updated: Promise<unknown> = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
  }

  async get(): Promise<Settings> {
    const [found] = await this.#database.select().from(settings).where(eq(settings.key, row));
    const value = found?.value;
    if (typeof value !== 'object' || value === null) return defaultSettings;
    const kept = Object.entries(settingsSchema.shape).flatMap(([key, field]) => {
      const parsed = field.safeParse((value as Record<string, unknown>)[key]);
      return parsed.success ? [[key, parsed.data] as const] : [];
    });
    return { ...defaultSettings, ...Object.fromEntries(kept) };
  }

  /** Makes the changes one after the other. Otherwise each of two could overwrite what the other has changed. */
  async update(change: Params<'update-settings'>): Promise<Settings> {
    const updated = this.#updated.then(async () => await this.#update(change));
    this.#updated = updated.catch(() => {});
    return await updated;
  }

  async #update(change: Params<'update-settings'>): Promise<Settings> {
    const parsed = settingsSchema.safeParse({ ...(await this.get()), ...change });
    if (!parsed.success) throw new AgentError('invalid_request', parsed.error.message);
    await this.#database
      .insert(settings)
      .values({ key: row, value: parsed.data })
      .onConflictDoUpdate({ target: settings.key, set: { value: parsed.data } });
    return parsed.data;
  }
}
