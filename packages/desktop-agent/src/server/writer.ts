// One writer an app at a time, in this program and among programs.
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { AttachmentError } from '@mustard-sandbox/agent-tool';
import { withLock } from '@mustard-sandbox/agent-tool/host';
import { AgentError } from '../shared/contract/index.ts';
import { markOf } from './git/place.ts';
import { openRepository } from './git/repository.ts';

export interface WriterOptions {
  signal?: AbortSignal | undefined;
  /** How long to wait for other programs, in ms. Writers of this program queue for as long as it takes. */
  waitMs?: number | undefined;
}

const defaultWaitMs = 3_000;

/**
 * Runs `use` as the only writer of the app, in this program and in all others. What a dead program held is free.
 *
 * @throws {AgentError} `busy` when another program writes, with its process and since when; `no_git`
 */
export async function asWriter<T>(appPath: string, options: WriterOptions, use: () => Promise<T>): Promise<T> {
  const { files, gitdir, ...place } = await openRepository(appPath);
  const state = join(gitdir, 'mustard-agent');
  await files.makePlainFolder(state);
  // The queue goes by the name of the folder: the same app by another name is the same folder.
  const folder = await realpath(state);
  const marked = async (): Promise<T> => {
    const mark = markOf(place);
    if (place.prefix !== '' && !existsSync(mark)) await files.write(mark, `${place.prefix}\n`);
    return await use();
  };
  try {
    return await withLock(folder, { waitMs: options.waitMs ?? defaultWaitMs, signal: options.signal }, marked);
  } catch (error) {
    if (!(error instanceof AttachmentError) || error.code !== 'locked') throw error;
    const { pid, since } = error.details;
    const message = `Another program (process ${pid}) has been changing this app since ${since}. Try again when it is done, or end it if it hangs.`;
    throw new AgentError('busy', message, { cause: error });
  }
}
