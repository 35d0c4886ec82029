import { AgentError, type Chat } from '../../shared/contract/index.ts';
import type { Services } from '../services.ts';

/** How long a deletion can be taken back, in ms. */
const undoWindowMs = 30_000;

export interface RemovalOptions extends Pick<Services, 'apps' | 'chats' | 'uploads' | 'broadcast' | 'log'> {
  /** Stops the answer that is under way. */
  stop: (chatId: string) => Promise<void>;
  /** Removes what else is stored for a chat outside of the database. */
  forget: (chatId: string) => Promise<void>;
  /** Ends the running processes of an app. */
  forgetApp: (appId: string) => Promise<void>;
}

/**
 * Removes chats and apps for good: first what is on disk for them, and their rows last. If the program dies in between, the
 * next start finds the rows and continues.
 */
export class Removal {
  readonly #options: RemovalOptions;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #underWay = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: RemovalOptions) {
    this.#options = options;
  }

  /** Continues the removals that an earlier program had begun. */
  async resume(): Promise<void> {
    const { apps, chats } = this.#options;
    for (const { id, deletedAt } of await chats.listDeleted()) {
      this.#later(id, Date.parse(deletedAt) + undoWindowMs - Date.now());
    }
    for (const { id } of await apps.listRemoved()) this.#start(() => this.#removeApp(id));
  }

  /** @throws {AgentError} `not_found` */
  async deleteChat(chatId: string): Promise<{ undoUntil: string }> {
    const { chats, broadcast, stop } = this.#options;
    await chats.get(chatId);
    await stop(chatId);
    const { appId } = await chats.delete(chatId);
    this.#later(chatId, undoWindowMs);
    broadcast('chat:deleted', { chatId, appId });
    return { undoUntil: new Date(Date.now() + undoWindowMs).toISOString() };
  }

  /** @throws {AgentError} `not_found` when it is too late */
  async restoreChat(chatId: string): Promise<Chat> {
    const { chats, broadcast } = this.#options;
    const timer = this.#timers.get(chatId);
    if (timer === undefined) throw new AgentError('not_found', 'It is too late to take this back: the chat is gone.');
    clearTimeout(timer);
    this.#timers.delete(chatId);
    const chat = await chats.restore(chatId);
    broadcast('chat:changed', { chat });
    return chat;
  }

  /** Removes an app for good, but leaves its folder as it is. @throws {AgentError} `not_found` */
  async removeApp(appId: string): Promise<void> {
    const { apps, broadcast } = this.#options;
    await apps.get(appId);
    await this.stopChats(appId);
    await apps.markRemoved(appId);
    broadcast('app:removed', { appId });
    this.#start(() => this.#removeApp(appId));
  }

  /** Removes a deleted app and its chats, once its folder is gone. @throws {AgentError} `not_found` */
  async removeDeletedApp(appId: string): Promise<void> {
    const { apps } = this.#options;
    await apps.getDeleted(appId);
    await apps.markRemoved(appId);
    this.#start(() => this.#removeApp(appId));
  }

  /** Stops the answers of an app, and ends its processes. */
  async stopChats(appId: string): Promise<void> {
    const { chats, stop, forgetApp } = this.#options;
    for (const { id } of await chats.list(appId)) await stop(id);
    await forgetApp(appId);
  }

  /** Waits for removals under way. Those whose time has not come are left to the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    await Promise.all(this.#underWay);
  }

  #later(chatId: string, waitMs: number): void {
    const timer = setTimeout(
      () => {
        this.#timers.delete(chatId);
        this.#start(() => this.#removeChat(chatId));
      },
      Math.max(0, Math.min(waitMs, undoWindowMs)),
    );
    timer.unref();
    this.#timers.set(chatId, timer);
  }

  #start(remove: () => Promise<void>): void {
    const done = remove().catch((error: unknown) => {
      const { name, code } = error as Error & { code?: unknown };
      this.#options.log.error({ name, code }, 'something could not be removed; the next start tries again');
    });
    this.#underWay.add(done);
    void done.finally(() => this.#underWay.delete(done));
  }

  async #removeChat(chatId: string): Promise<void> {
    const { chats, uploads, forget } = this.#options;
    await forget(chatId);
    await uploads.removeAll(chatId);
    await chats.removeRow(chatId);
  }

  async #removeApp(appId: string): Promise<void> {
    const { apps, chats } = this.#options;
    for (const chatId of await chats.listAll(appId)) {
      if (this.#isClosed) return;
      clearTimeout(this.#timers.get(chatId));
      this.#timers.delete(chatId);
      await chats.markDeleted(chatId);
      await this.#removeChat(chatId);
    }
    await apps.removeRow(appId);
  }
}
