import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import { privateFile } from './private-files.ts';

export type { Logger } from 'pino';

const keptBytes = 10 * 1024 * 1024;

/** The log in the data folder. It has no contents of files or chats, no keys and no token. */
export async function openLog(dataDir: string): Promise<Logger> {
  const file = join(dataDir, 'agent.log');
  const size = await stat(file).then(
    (stats) => stats.size,
    () => 0,
  );
  if (size > keptBytes) await rename(file, `${file}.1`);
  await privateFile(file);
  return pino({ base: { pid: process.pid } }, pino.destination({ dest: file, sync: true }));
}
