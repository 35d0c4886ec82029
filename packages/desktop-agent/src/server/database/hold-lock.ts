import { createClient } from '@libsql/client/sqlite3';
import { privateFile } from '../private-files.ts';
import { fileUrl } from './file-url.ts';

/** A lock of this process. The system releases it however the process ends. */
export interface HeldLock {
  release: () => Promise<void>;
}

/**
 * Holds a file as a lock between processes. The file is a database without tables, with an open write transaction. This
 * works in the same way on every system, and the lock is never stale, as a file with the number of a process can be.
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
        // A client that is only closed keeps the lock until it is garbage-collected.
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
