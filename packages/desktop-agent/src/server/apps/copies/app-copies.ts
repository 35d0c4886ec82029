import { randomUUID } from 'node:crypto';
import { readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isInside } from '@mustard-sandbox/paths';
import { AgentError, type App, type Chat } from '../../../shared/contract/index.ts';
import { withApp } from '../../changes/writing.ts';
import { diskFull } from '../../disk-full.ts';
import type { ScratchOptions } from '../../git/remote/scratch.ts';
import { loadGit } from '../../lazy.ts';
import { privateFolder } from '../../private-files.ts';
import type { Services } from '../../services.ts';
import { copyFolder } from '../starting/copy-folder.ts';

type Needed = Pick<Services, 'apps' | 'chats' | 'dataDir'>;

/** Beside the folder of a copy while it is made. */
const markName = 'partial';
/** Between the names of an app and of the branch of its copy. */
const between = ' · ';

/** Copies of apps in the data folder, each with a branch of its own, in which a chat goes on. */
export class AppCopies {
  readonly #services: Needed;
  /** The chats for which copies are being made: two windows make one. */
  readonly #making = new Set<string>();

  constructor(services: Needed) {
    this.#services = services;
  }

  /** Removes what a kill has left of copies that were being made. No chat has moved to them. */
  async recover(): Promise<void> {
    const folder = join(this.#services.dataDir, 'copies');
    for (const id of await readdir(folder).catch((): string[] => [])) {
      const names = await readdir(join(folder, id)).catch((): string[] => []);
      if (names.includes(markName)) await rm(join(folder, id), { recursive: true, force: true }).catch(() => {});
    }
  }

  /**
   * Makes a copy of the app of a chat, and moves the chat there.
   *
   * @throws {AgentError} `busy` while an answer is under way; `denied` for a copy, and for a folder that has the data of the
   *   agent; `disk_full`, `limit_exceeded`; the reason of the signal after an abort. Then nothing has changed
   */
  async make(chatId: string, options: ScratchOptions): Promise<{ app: App; chat: Chat }> {
    if (this.#making.has(chatId)) throw new AgentError('busy', 'A copy is being made for this chat already.');
    this.#making.add(chatId);
    try {
      return await this.#make(chatId, options);
    } finally {
      this.#making.delete(chatId);
    }
  }

  async #make(chatId: string, options: ScratchOptions): Promise<{ app: App; chat: Chat }> {
    const { apps, chats, dataDir } = this.#services;
    const { appId, title } = await this.#quietChat(chatId);
    const app = await apps.get(appId);
    await this.#refuse(app, options);
    const around = join(dataDir, 'copies', randomUUID());
    const mark = join(around, markName);
    try {
      await privateFolder(around);
      await writeFile(mark, '');
      const folder = join(await realpath(around), basename(app.path));
      const branch = await this.#fill(folder, app, title, options);
      await this.#quietChat(chatId);
      // Before the row: what the list names is never taken for the rest of a copy.
      await rm(mark);
      const made = await apps.addCopy(app, { name: app.name + between + branch, path: folder, chatId });
      return { app: made, chat: await chats.get(chatId) };
    } catch (error) {
      await rm(around, { recursive: true, force: true }).catch(() => {});
      // What waits for a lock fails with an error of its own then.
      options.signal?.throwIfAborted();
      throw diskFull(error, 'The disk is full, so no copy was made. Free some room and try again.') ?? error;
    }
  }

  /** @throws {AgentError} `busy` */
  async #quietChat(chatId: string): Promise<Chat> {
    const chat = await this.#services.chats.get(chatId);
    if (!chat.streaming) return chat;
    throw new AgentError('busy', 'An answer is under way in this chat. Stop it or wait for it, and try again.');
  }

  async #refuse(app: App, options: ScratchOptions): Promise<void> {
    if (app.copyOf !== null) {
      throw new AgentError('denied', `“${app.name}” is a copy already. Make a branch in it, or a copy of its app.`);
    }
    if (isInside(this.#services.dataDir, [app.path])) {
      throw new AgentError(
        'denied',
        `The data of the agent is in ${app.path}, where the copy would be. It is not made.`,
      );
    }
    const { checkCopyable } = await loadGit();
    await checkCopyable(app.path, options);
  }

  /** @returns the branch */
  async #fill(folder: string, app: App, title: string, { signal }: ScratchOptions): Promise<string> {
    const never = new AbortController().signal;
    // As the writer, we keep others from changing it meanwhile, and copy no half of a change.
    await withApp(app.path, { signal }, async () => {
      await copyFolder(app.path, folder, signal ?? never);
      return { personCommit: null, notes: [] };
    });
    const beginning = app.name + between;
    const names = (await this.#services.apps.list()).map(({ name }) => name);
    const taken = names.flatMap((name) => (name.startsWith(beginning) ? [name.slice(beginning.length)] : []));
    const { createChatBranch } = await loadGit();
    const branch = await createChatBranch(folder, title, { signal, taken });
    signal?.throwIfAborted();
    return branch;
  }
}
