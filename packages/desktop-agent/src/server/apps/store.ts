import { randomUUID } from 'node:crypto';
import { asc, and, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import {
  AgentError,
  unjailed,
  type App,
  type ContextGlobs,
  type DeletedApp,
  type Unjailed,
} from '../../shared/contract/index.ts';
import type { Database } from '../database/open.ts';
import { apps, chats, versions } from '../database/schema.ts';
import { gitRootOf } from './folders.ts';

type Row = typeof apps.$inferSelect;
const isOnList = and(isNull(apps.deletedAt), isNull(apps.deletedFrom));

/**
 * The rows of apps. Only `listRemoved` finds an app that is being removed, and only the methods for deleted apps find a
 * deleted one.
 */
export class AppStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(): Promise<App[]> {
    const rows = await this.#database.select().from(apps).where(isOnList).orderBy(asc(apps.name));
    return await Promise.all(rows.map(toApp));
  }

  /** @throws {AgentError} `not_found` */
  async get(appId: string): Promise<App> {
    return await this.#one(eq(apps.id, appId));
  }

  /** @param path absolute, without links */
  async findByPath(path: string): Promise<App | undefined> {
    const rows = await this.#database
      .select()
      .from(apps)
      .where(and(eq(apps.path, path), isOnList));
    return rows[0] && (await toApp(rows[0]));
  }

  /** @param path absolute, without links */
  async add(name: string, path: string): Promise<App> {
    const row = newRow({ name, path, context: { include: [], exclude: [], strict: false }, copyOf: null });
    await this.#database.insert(apps).values(row);
    return await toApp(row);
  }

  /** Adds a copy of an app, to which a chat moves. @param path absolute, without links */
  async addCopy(of: App, { name, path, chatId }: { name: string; path: string; chatId: string }): Promise<App> {
    const row = newRow({ name, path, context: of.context, copyOf: of.id });
    const copied = sql`SELECT ${row.id}, commit_hash, message_id, created_at FROM versions WHERE app_id = ${of.id}`;
    await this.#database.batch([
      this.#database.insert(apps).values(row),
      this.#database.run(sql`INSERT INTO ${versions} (app_id, commit_hash, message_id, created_at) ${copied}`),
      this.#database.update(chats).set({ appId: row.id, updatedAt: row.createdAt }).where(eq(chats.id, chatId)),
    ]);
    return await toApp(row);
  }

  /** @throws {AgentError} `not_found` */
  async setContext(appId: string, context: ContextGlobs): Promise<App> {
    await this.#database.update(apps).set({ context, updatedAt: new Date().toISOString() }).where(eq(apps.id, appId));
    return await this.get(appId);
  }

  /** @throws {AgentError} `not_found` */
  async rename(appId: string, name: string): Promise<App> {
    await this.#database.update(apps).set({ name, updatedAt: new Date().toISOString() }).where(eq(apps.id, appId));
    return await this.get(appId);
  }

  /** Takes an app off the list. Its folder will be moved to `path`. */
  async markDeleted(appId: string, path: string): Promise<DeletedApp> {
    const { path: deletedFrom } = await this.get(appId);
    const updatedAt = new Date().toISOString();
    await this.#database.update(apps).set({ path, deletedFrom, updatedAt }).where(eq(apps.id, appId));
    return await this.getDeleted(appId);
  }

  /** Puts a deleted app on the list again, at its old path. */
  async markRestored(appId: string): Promise<App> {
    const { from } = await this.getDeleted(appId);
    const change = { path: from, deletedFrom: null, updatedAt: new Date().toISOString() };
    await this.#database.update(apps).set(change).where(eq(apps.id, appId));
    return await this.get(appId);
  }

  /** The deleted apps that a person can take back, the last deleted first. */
  async listDeleted(): Promise<DeletedApp[]> {
    const rows = await this.#database
      .select()
      .from(apps)
      .where(and(isNotNull(apps.deletedFrom), isNull(apps.deletedAt)))
      .orderBy(desc(apps.updatedAt));
    return rows.map(({ id, name, path, deletedFrom, updatedAt }) => {
      return { id, name, path, from: deletedFrom ?? path, deletedAt: updatedAt };
    });
  }

  /** @throws {AgentError} `not_found` */
  async getDeleted(appId: string): Promise<DeletedApp> {
    const found = (await this.listDeleted()).find(({ id }) => id === appId);
    if (found === undefined) throw new AgentError('not_found', 'This app is no longer among the deleted apps.');
    return found;
  }

  /** Stores what the app's compiler may do where there is no jail, as the person answered. */
  async allowUnjailed(appId: string, allowed: Unjailed): Promise<void> {
    const allowsUnjailed = unjailed.options.indexOf(allowed);
    await this.#database.update(apps).set({ allowsUnjailed }).where(eq(apps.id, appId));
  }

  async allowsUnjailed(appId: string): Promise<Unjailed> {
    const [row] = await this.#database.select().from(apps).where(eq(apps.id, appId));
    return unjailed.options[row?.allowsUnjailed ?? 0] ?? 'nothing';
  }

  /** Begins the removal of its chats. */
  async markRemoved(appId: string): Promise<void> {
    // The folder can be used for another app at once, though the chats of this one still exist.
    const change = { deletedAt: new Date().toISOString(), path: `removed:${appId}` };
    await this.#database.update(apps).set(change).where(eq(apps.id, appId));
  }

  /** Apps whose chats are still to be removed. */
  async listRemoved(): Promise<{ id: string }[]> {
    return await this.#database.select({ id: apps.id }).from(apps).where(isNotNull(apps.deletedAt));
  }

  /** Removes the row of an app that is being removed, and by cascade its chats. */
  async removeRow(appId: string): Promise<void> {
    await this.#database.delete(apps).where(and(eq(apps.id, appId), isNotNull(apps.deletedAt)));
  }

  async #one(condition: ReturnType<typeof eq>): Promise<App> {
    const [row] = await this.#database.select().from(apps).where(and(condition, isOnList));
    if (row === undefined) throw new AgentError('not_found', 'This app is no longer on the list.');
    return await toApp(row);
  }
}

function newRow(facts: Pick<Row, 'name' | 'path' | 'context' | 'copyOf'>): Row {
  const now = new Date().toISOString();
  const times = { createdAt: now, updatedAt: now, deletedAt: null };
  return { id: randomUUID(), ...facts, allowsUnjailed: 0, deletedFrom: null, ...times };
}

async function toApp({ id, name, path, context, copyOf, createdAt, updatedAt }: Row): Promise<App> {
  const root = await gitRootOf(path);
  const repository = root === path ? null : root;
  return { id, name, path, git: root !== null, repository, copyOf, context, createdAt, updatedAt };
}
