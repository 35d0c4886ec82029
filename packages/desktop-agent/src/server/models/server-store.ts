import { randomUUID } from 'node:crypto';
import { asc, eq } from 'drizzle-orm';
import { z } from 'zod';
import { AgentError, type ModelServer, type ModelServerDraft } from '../../shared/contract/index.ts';
import type { Database } from '../database/open.ts';
import { modelServers } from '../database/schema.ts';
import type { KeyStore } from '../settings/keys.ts';
import { bearer, serverOf } from './servers.ts';

/** A server with what its requests need. It holds secrets, so it never goes to the page. */
export interface StoredServer {
  id: string;
  name: string;
  url: string;
  /** Models that the server does not list. */
  models: readonly string[];
  headers: Readonly<Record<string, string>>;
  /** The key and the values of the headers, which no message may show. */
  secrets: readonly string[];
}

const stored = z.record(z.string(), z.string());
/** These headers belong to the connection or the body. `fetch` refuses them or sends them wrongly. */
const refusedHeaders =
  /^(?:connection|content-encoding|content-length|content-type|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

/** Servers of models that the person has added: their rows in the database, their keys and headers in the store of keys. */
export class ModelServerStore {
  readonly #database: Database;
  readonly #keys: KeyStore;
  #changed: Promise<unknown> = Promise.resolve();

  constructor(database: Database, keys: KeyStore) {
    this.#database = database;
    this.#keys = keys;
  }

  /** The servers without their secrets, for the page. */
  async list(): Promise<ModelServer[]> {
    return await Promise.all(
      (await this.#rows()).map(async ({ id, name, url, models }) => ({
        id,
        name,
        url,
        models,
        key: (await this.#keys.placeOf(id)) ?? null,
        headers: Object.keys(await this.#headers(id)),
      })),
    );
  }

  async open(): Promise<StoredServer[]> {
    return await Promise.all(
      (await this.#rows()).map(async ({ id, name, url, models }) => {
        const [key, headers] = [(await this.#keys.get(id)) ?? null, await this.#headers(id)];
        const secrets = [...(key === null ? [] : [key]), ...Object.values(headers)];
        return { id, name, url, models, headers: { ...bearer(key), ...headers }, secrets };
      }),
    );
  }

  /**
   * Adds a server, or changes one.
   *
   * @throws {AgentError} `invalid_request` for an address or a header that cannot be used, and where a stored secret would go
   *   to another address; `not_found` for an unknown id
   */
  async save(id: string | null, draft: ModelServerDraft): Promise<void> {
    await this.#inTurn(async () => await this.#save(id, draft));
  }

  /** Removes the server with its key and headers. */
  async remove(id: string): Promise<void> {
    await this.#inTurn(async () => {
      await this.#forget(id);
      await this.#database.delete(modelServers).where(eq(modelServers.id, id));
    });
  }

  async #save(id: string | null, { name, url: typed, models, key, headers }: ModelServerDraft): Promise<void> {
    const url = addressOf(typed);
    const rows = await this.#rows();
    const before = rows.find((row) => row.id === id);
    if (id !== null && before === undefined) throw new AgentError('not_found', 'This server does not exist any more.');
    const twin = rows.find((row) => row.url === url && row.id !== id);
    if (twin !== undefined) {
      throw new AgentError('invalid_request', `${twin.name} already has this address. Change that server.`);
    }
    const kept = id === null ? {} : await this.#headers(id);
    const isOther = before !== undefined && new URL(before.url).origin !== new URL(url).origin;
    const usesStored = key === undefined || Object.values(headers).includes(null);
    if (isOther && usesStored && ((await this.#keys.get(before.id)) !== undefined || Object.keys(kept).length > 0)) {
      throw new AgentError(
        'invalid_request',
        'What is stored for one address is not sent to another. Type the key and the values of the headers again, or remove them.',
      );
    }
    const given = headersOf(headers, kept);
    const row = { id: id ?? randomUUID(), name, url, models: [...new Set(models)] };
    // In this order, a kill in between never leaves a secret with an address that it is not meant for.
    if (isOther) await this.#forget(row.id);
    await this.#database
      .insert(modelServers)
      .values({ ...row, createdAt: new Date().toISOString() })
      .onConflictDoUpdate({ target: modelServers.id, set: row });
    if (key !== undefined) await this.#keys.set(row.id, key === '' ? null : key);
    const hasHeaders = Object.keys(given).length > 0;
    if (hasHeaders || Object.keys(kept).length > 0) {
      await this.#keys.set(headersKey(row.id), hasHeaders ? JSON.stringify(given) : null);
    }
  }

  async #forget(id: string): Promise<void> {
    await this.#keys.set(id, null);
    await this.#keys.set(headersKey(id), null);
  }

  async #headers(id: string): Promise<Record<string, string>> {
    const text = await this.#keys.get(headersKey(id));
    return text === undefined ? {} : stored.parse(JSON.parse(text));
  }

  async #rows(): Promise<(typeof modelServers.$inferSelect)[]> {
    const rows = await this.#database
      .select()
      .from(modelServers)
      .orderBy(asc(modelServers.createdAt), asc(modelServers.id));
    // A server from an earlier version of the database is stored as it was typed.
    return rows.map((row) => ({ ...row, url: serverOf(row.url)?.url ?? row.url }));
  }

  /** Makes the changes one after the other. Otherwise each of two could overwrite what the other has changed. */
  async #inTurn(change: () => Promise<void>): Promise<void> {
    const changed = this.#changed.then(change);
    this.#changed = changed.catch(() => {});
    await changed;
  }
}

function headersKey(id: string): string {
  return `${id}:headers`;
}

/** @throws {AgentError} `invalid_request` */
function addressOf(typed: string): string {
  const server = serverOf(typed);
  if (server === undefined) {
    throw new AgentError(
      'invalid_request',
      'This is not the address of a server. Write one that begins with http:// or https://.',
    );
  }
  const { username, password, search, hash } = new URL(typed.trim());
  if (username + password + search + hash !== '') {
    throw new AgentError(
      'invalid_request',
      'An address is shown, so it may not have a name, a password or a query. Store the key below, or send it in a header.',
    );
  }
  return server.url;
}

/** No message contains a value. @throws {AgentError} `invalid_request` */
function headersOf(
  headers: ModelServerDraft['headers'],
  kept: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, given]) => {
      const value = given ?? (Object.hasOwn(kept, name) ? kept[name] : undefined);
      if (refusedHeaders.test(name)) {
        throw new AgentError(
          'invalid_request',
          `The header ${name} cannot be set, because it belongs to the connection.`,
        );
      }
      if (value === undefined) throw new AgentError('invalid_request', `There is no value for the header ${name}.`);
      try {
        new Headers().set(name, value);
      } catch {
        throw new AgentError(
          'invalid_request',
          `${JSON.stringify(name)} is not the name of a header, or its value has characters that a header cannot have.`,
        );
      }
      return [name, value];
    }),
  );
}
