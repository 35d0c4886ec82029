import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The file that the tour's scripts read. It is attached to the first message. */
export const tourLogName = 'server.log';
/** This is more than a model can read, and takes only a moment to make. */
const megabytes = 8;

/** The script that makes the demo's log. The build puts it beside the program. */
const maker = new URL('../../tour/make-log.mjs', import.meta.url);

interface LogMaker {
  makeLog: (path: string, options: { megabytes: number }) => Promise<void>;
}

/** Makes the demo's log and gives it to `use`. The file is deleted afterwards. */
export async function withTourLog<T>(use: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'mustard-tour-'));
  try {
    const path = join(folder, tourLogName);
    const { makeLog } = (await import(maker.href)) as LogMaker;
    await makeLog(path, { megabytes });
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
