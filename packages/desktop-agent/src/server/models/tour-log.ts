import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the tour looks into. It is attached to its first message. */
export const tourLogName = 'server.log';
/** More than a model reads, and made in a moment. */
const megabytes = 8;

/** The maker of the demo's log, which the build puts beside the program. */
const maker = new URL('../../tour/make-log.mjs', import.meta.url);

interface LogMaker {
  makeLog: (path: string, options: { megabytes: number }) => Promise<void>;
}

/** Makes the log of the demo and gives it to `use`; the file is gone afterwards. */
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
