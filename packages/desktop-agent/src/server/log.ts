import { appendFileSync } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import { privateFile } from './private-files.ts';

export type { Logger } from 'pino';

const keptBytes = 10 * 1024 * 1024;

/** Opens the log in the data folder. Contents of files or chats, keys and the token are never logged. */
export async function openLog(dataDir: string): Promise<Logger> {
  const file = join(dataDir, 'agent.log');
  const size = await stat(file).then(
    (stats) => stats.size,
    () => 0,
  );
  if (size > keptBytes) await rename(file, `${file}.1`).catch(() => {});
  await privateFile(file).catch(() => {});
  return pino({ base: { pid: process.pid } }, { write: (line) => append(file, line) });
}

/**
 * Writes without pino's own stream. An error of that stream has no listener, so a full disk would end the program. A line
 * that cannot be written is lost.
 */
function append(file: string, line: string): void {
  try {
    appendFileSync(file, line, { mode: 0o600 });
  } catch {
    // There is no other place to report it.
  }
}
