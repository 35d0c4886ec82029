import { copyFile, rename, stat } from 'node:fs/promises';
import { createClient, type Client } from '@libsql/client/sqlite3';
import { drizzle } from 'drizzle-orm/libsql/sqlite3';
import { AgentError } from '../../shared/contract/index.ts';
import { privateFile } from '../private-files.ts';
import { fileUrl } from './file-url.ts';
import { migrations as published, type Migration } from './migrations.ts';
import * as schema from './schema.ts';

export type Database = ReturnType<typeof toDrizzle>;

export interface OpenDatabase {
  database: Database;
  close: () => void;
}

export interface OpenOptions {
  /** Absolute. The file is made when it is missing. */
  file: string;
  migrations?: readonly Migration[];
}

// There is one connection, because what a PRAGMA sets holds for that connection only. All that must be atomic is a
// `batch`, because an open transaction would keep other queries waiting.
const connectionLimit = 1;
const busyTimeoutMs = 5000;
const checkedBytes = 64 * 1024 * 1024;

/**
 * Opens the database of the program and brings it up to date. Before an update it puts a copy beside the database.
 *
 * @throws {AgentError} `database_newer` when a newer program wrote it, `database_corrupt` when it is not a database. The
 *   file is unchanged then
 */
export async function openDatabase({ file, migrations = published }: OpenOptions): Promise<OpenDatabase> {
  await privateFile(file);
  let client: Client | undefined;
  try {
    client = createClient({ url: fileUrl(file), concurrency: connectionLimit, timeout: busyTimeoutMs });
    await prepare(client);
    await check(client, file);
    await migrate(client, file, migrations);
    return { database: toDrizzle(client), close: () => client?.close() };
  } catch (error) {
    client?.close();
    if (!isCorrupt(error)) throw error;
    throw new AgentError(
      'database_corrupt',
      `The database ${file} is damaged or is not a database: ${messageOf(error)}. Your folders are not affected. ` +
        'Start with --new-database: this keeps the damaged file under another name and begins a new one.',
      { cause: error },
    );
  }
}

/** Moves a damaged database, with its log, out of the way. @returns where it is now */
export async function setAside(file: string): Promise<string> {
  const target = `${file}.damaged-${new Date().toISOString().replaceAll(':', '-')}`;
  await rename(file, target);
  for (const suffix of ['-wal', '-shm']) await rename(file + suffix, target + suffix).catch(() => {});
  return target;
}

function toDrizzle(client: Client) {
  return drizzle({ client, schema });
}

async function prepare(client: Client): Promise<void> {
  await client.execute('PRAGMA journal_mode = WAL');
  // A killed process loses nothing. A power cut can lose the last moment, but it does not damage the database.
  await client.execute('PRAGMA synchronous = NORMAL');
  await client.execute('PRAGMA foreign_keys = ON');
}

/** Reads the whole file, unless it is large: for a few hundred megabytes this takes a second. */
async function check(client: Client, file: string): Promise<void> {
  if ((await stat(file)).size > checkedBytes) return;
  const { rows } = await client.execute('PRAGMA quick_check(1)');
  const [answer] = Object.values(rows[0] ?? {});
  if (answer !== 'ok') throw new Corrupt(typeof answer === 'string' ? answer : 'it cannot be checked');
}

async function migrate(client: Client, file: string, migrations: readonly Migration[]): Promise<void> {
  const version = Number((await client.execute('PRAGMA user_version')).rows[0]?.['user_version']);
  if (version > migrations.length) {
    throw new AgentError(
      'database_newer',
      `The database ${file} was written by a newer mustard-agent (its version is ${version}, this program knows ` +
        `${migrations.length}). Update mustard-agent, or start it with another --data folder.`,
    );
  }
  if (version === migrations.length) return;
  if (version > 0) await backUp(client, file, version);
  for (const [index, { statements }] of migrations.entries()) {
    if (index < version) continue;
    // The number is part of the transaction: a program that is killed here leaves a whole step or none.
    await client.batch([...statements, `PRAGMA user_version = ${index + 1}`], 'write');
  }
}

/** The log is written into the file first: the copy is whole by itself. */
async function backUp(client: Client, file: string, version: number): Promise<void> {
  await client.execute('PRAGMA wal_checkpoint(TRUNCATE)');
  const copy = `${file}.before-${version + 1}`;
  await copyFile(file, copy);
  if ((await stat(copy)).size !== (await stat(file)).size) throw new Error(`${copy} is not whole`);
}

class Corrupt extends Error {}

function isCorrupt(error: unknown): boolean {
  if (error instanceof Corrupt) return true;
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^SQLITE_(CORRUPT|NOTADB)/.test(code);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
