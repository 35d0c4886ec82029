import { constants, realpathSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from '@mustard-sandbox/client';
import { FolderFiles, problemOfOutputName } from '@mustard-sandbox/paths';
import { AgentError } from '../../shared/contract/index.ts';

/** The largest file that is read, in bytes. It is held in memory. */
const maxBytes = 256 * 1024 * 1024;

/** The files that scripts have saved, in a folder for each chat in the program's data folder. */
export class SavedFiles {
  /** The folder of all chats, absolute. */
  readonly folder: string;

  constructor(dataDir: string) {
    this.folder = join(dataDir, 'saved');
  }

  /** The folder where the scripts of a chat save. It is made with the first file. @param chatId of an existing chat */
  folderOf(chatId: string): string {
    return join(this.folder, chatId);
  }

  /** Where a file is, or would be. @throws {AgentError} `unsafe_path` for a name that no saved file can have */
  pathOf(chatId: string, name: string): string {
    if (problemOfOutputName(name) === undefined) return join(this.folderOf(chatId), name);
    throw new AgentError('unsafe_path', 'This is not the name of a saved file.');
  }

  /**
   * A file that a script of the chat has saved.
   *
   * @param chatId of an existing chat
   * @throws {AgentError} `not_found`, `unsafe_path`, `limit_exceeded`
   */
  read(chatId: string, name: string): Buffer {
    this.pathOf(chatId, name);
    const { bytes, size } = this.#open(chatId, name);
    if (size > maxBytes) throw new AgentError('limit_exceeded', `${name} is larger than 256 MiB.`);
    return bytes;
  }

  #open(chatId: string, name: string): { bytes: Buffer; size: number } {
    try {
      const files = new FolderFiles(realpathSync.native(this.folderOf(chatId)), { refuseLinks: true });
      return files.read(name, maxBytes, 'saved');
    } catch (error) {
      const isRefused = error instanceof SandboxError && error.code === 'capability_denied';
      if (isRefused) throw new AgentError('unsafe_path', 'This file was replaced by a link.', { cause: error });
      throw new AgentError('not_found', `${name} no longer exists.`, { cause: error });
    }
  }

  /** Gives another chat what the scripts of one have saved. */
  async copy(from: string, to: string): Promise<void> {
    const options = { recursive: true, mode: constants.COPYFILE_FICLONE, verbatimSymlinks: true };
    await cp(this.folderOf(from), this.folderOf(to), options).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }

  async remove(chatId: string): Promise<void> {
    await rm(this.folderOf(chatId), { recursive: true, force: true });
  }
}
