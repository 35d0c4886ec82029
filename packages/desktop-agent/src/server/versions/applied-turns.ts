// Undo and redo of a chat's answers, and whether their changes are in the app.
import type { WriteOptions } from '../changes/writing.ts';
import { AgentError, type App, type Message, type Proposal, type Version } from '../../shared/contract/index.ts';
import { loadGit } from '../lazy.ts';
import type { Services } from '../services.ts';
import { inWorker } from '../worker/index.ts';

type Needed = Pick<Services, 'apps' | 'chats' | 'versions' | 'broadcast' | 'notices'>;

/** An answer whose proposal was applied. */
interface Applied {
  message: Message;
  proposal: Proposal;
  commit: string;
}

export class AppliedTurns {
  readonly #services: Needed;

  constructor(services: Needed) {
    this.#services = services;
  }

  /**
   * Takes back the last answer that is in the app, by a new commit. The next call takes back the answer before it.
   *
   * @throws {AgentError} `not_found` when no answer is left
   */
  async undo(chatId: string): Promise<Version> {
    await this.refresh(chatId);
    const last = (await this.#applied(chatId)).findLast(({ proposal }) => proposal.undone === undefined);
    if (last === undefined)
      throw new AgentError('not_found', 'No change of an answer of this chat is still in the app.');
    return await this.#reverse(chatId, last.commit, async (version) => {
      await this.#mark(last, version.commit);
    });
  }

  /** Makes the change again that was taken back last. @throws {AgentError} `not_found` when there is none */
  async redo(chatId: string): Promise<Version> {
    await this.refresh(chatId);
    const undone = (await this.#applied(chatId)).find(({ proposal }) => typeof proposal.undone === 'string');
    if (undone === undefined)
      throw new AgentError('not_found', 'There is no change of this chat that Undo has taken back.');
    return await this.#reverse(chatId, undone.proposal.undone as string, async () => this.#mark(undone, undefined));
  }

  /** Looks which commits the branch has, because a person may have reset it or switched to another one. */
  async refresh(chatId: string): Promise<void> {
    const applied = await this.#applied(chatId);
    if (applied.length === 0) return;
    const { path } = await this.#appOf(chatId);
    const asked = applied.flatMap(({ commit, proposal }) => [commit, ...(proposal.undone ? [proposal.undone] : [])]);
    const there = await inWorker('containedIn', [path, asked]);
    for (const one of applied) {
      const { undone } = one.proposal;
      const now = !there.has(one.commit) ? null : typeof undone === 'string' && there.has(undone) ? undone : undefined;
      if (now !== undone) await this.#mark(one, now);
    }
  }

  async #reverse(chatId: string, commit: string, mark: (version: Version) => Promise<void>): Promise<Version> {
    const { versions, broadcast, notices } = this.#services;
    const app = await this.#appOf(chatId);
    const telling: WriteOptions = { onBefore: (before) => notices.tellBefore(app, before) };
    const { undoCommit } = await loadGit();
    const version = await undoCommit(app.path, commit, telling);
    await versions.add(app.id, version.commit, null);
    await mark(version);
    broadcast('app:files-changed', { appId: app.id });
    return version;
  }

  async #mark({ message, proposal }: Applied, undone: Proposal['undone']): Promise<void> {
    const { chats, broadcast } = this.#services;
    const { undone: _, ...rest } = proposal;
    await chats.updateMessage(message.id, { proposal: undone === undefined ? rest : { ...rest, undone } });
    broadcast('chat:message', { message: await chats.getMessage(message.chatId, message.id) });
  }

  async #applied(chatId: string): Promise<Applied[]> {
    const messages = await this.#services.chats.listMessages(chatId);
    return messages.flatMap((message) => {
      const { commit, proposal } = message;
      return commit === null || proposal?.state !== 'approved' ? [] : [{ message, proposal, commit }];
    });
  }

  async #appOf(chatId: string): Promise<App> {
    const { chats, apps } = this.#services;
    return await apps.get((await chats.get(chatId)).appId);
  }
}
