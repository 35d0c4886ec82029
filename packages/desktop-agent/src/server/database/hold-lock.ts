import { createClient } from '@libsql/client/sqlite3';
import { privateFile } from '../private-files.ts';
import { fileUrl } from './file-url.ts';

/** A lock of this process. The system lets it go when the process ends, however it ends. */
export interface HeldLock {
  release: () => Promise<void>;
}

/**
 * Holds a file as a lock between processes. It is a database without tables in a transaction of its only writer: the same
 * lock on every system, and never a stale one, as a file with the number of a process would be.
 *
 * @returns `undefined` when another process holds it
 */
export async function holdLock(file: string): Promise<HeldLock | undefined> {
  await privateFile(file);
  const client = createClient({ url: fileUrl(file), concurrency: 1, timeout: 0 });
  try {
    const transaction = await client.transaction('write');
    return {
      release: async () => {
        // Closing alone keeps the lock until the garbage of the client is collected.
        await transaction.rollback();
        client.close();
      },
    };
  } catch (error) {
    client.close();
    if (!String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) throw error;
    return undefined;
  }
}
