// Undo and redo of a chat's answers, and whether their changes are in the app.
import type { WriteOptions } from '../changes/writing.ts';
import { AgentError, type App, type Message, type Proposal, type Version } from '../../shared/contract/index.ts';
import { loadGit } from '../lazy.ts';
import type { Services } from '../services.ts';
import { inWorker } from '../worker/index.ts';

/** So many commits are looked through for one that has taken another back. */
const maxLooked = 200;

type Needed = Pick<Services, 'apps' | 'chats' | 'versions' | 'broadcast' | 'notices'>;

/** An answer whose proposal was applied. */
interface Applied {
  message: Message;
  proposal: Proposal;
  commit: string;
}

export class AppliedTurns {
  readonly #services: Needed;
  /** What is taken back or done again in a chat, one after the other. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(services: Needed) {
    this.#services = services;
  }

  /**
   * Takes back the last answer that is in the app, by a new commit. The next call takes back the answer before it.
   *
   * @param messageId the answer that the person means: with two windows, or two presses, it is taken back once
   * @throws {AgentError} `not_found` when no answer is left; `changed` when the last one is another by now
   */
  async undo(chatId: string, messageId?: string): Promise<Version> {
    return await this.#inTurn(chatId, async () => {
      await this.refresh(chatId);
      const last = (await this.#applied(chatId)).findLast(({ proposal }) => proposal.undone === undefined);
      if (last === undefined)
        throw new AgentError('not_found', 'No change of an answer of this chat is still in the app.');
      mustBe(last, messageId);
      return await this.#reverse(last, last.commit, 'undo');
    });
  }

  /** Makes the change again that was taken back last. @throws {AgentError} `not_found` when there is none; `changed` as `undo` */
  async redo(chatId: string, messageId?: string): Promise<Version> {
    return await this.#inTurn(chatId, async () => {
      await this.refresh(chatId);
      const undone = (await this.#applied(chatId)).find(({ proposal }) => typeof proposal.undone === 'string');
      if (undone === undefined)
        throw new AgentError('not_found', 'There is no change of this chat that Undo has taken back.');
      mustBe(undone, messageId);
      return await this.#reverse(undone, undone.proposal.undone as string, 'redo');
    });
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

  /** @param commit the one that is taken back: the answer's own, or the one that has undone it */
  async #reverse(turn: Applied, commit: string, kind: 'undo' | 'redo'): Promise<Version> {
    const { versions, broadcast, notices } = this.#services;
    const app = await this.#appOf(turn.message.chatId);
    const telling: WriteOptions = { onBefore: (before) => notices.tellBefore(app, before) };
    const { undoCommit, redoCommit, undoOf } = await loadGit();
    const reverse = kind === 'undo' ? undoCommit : redoCommit;
    const version = await reverse(app.path, commit, telling).catch(async (error: unknown) => {
      if (!(error instanceof AgentError) || error.code !== 'invalid_request') throw error;
      // It is done, and the message does not say so: a person did it with git, or a kill came before it was written.
      const done = kind === 'undo' ? await undoingCommit(app, undoOf(commit)) : undefined;
      await this.#mark(turn, kind === 'undo' ? (done?.commit ?? null) : undefined);
      if (done === undefined) throw error;
      return done;
    });
    await versions.add(app.id, version.commit, null);
    await this.#mark(turn, kind === 'undo' ? version.commit : undefined);
    broadcast('app:files-changed', { appId: app.id });
    return version;
  }

  async #inTurn<T>(chatId: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#turns.get(chatId) ?? Promise.resolve()).then(work);
    const turn = done
      .catch(() => {})
      .finally(() => {
        if (this.#turns.get(chatId) === turn) this.#turns.delete(chatId);
      });
    this.#turns.set(chatId, turn);
    return await done;
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

function mustBe({ message }: Applied, messageId = message.id): void {
  if (messageId === message.id) return;
  throw new AgentError('changed', 'This was done already. Look at what the chat shows now.');
}

/** The last commit whose message begins like that of one that has taken another back. */
async function undoingCommit({ path }: App, beginning: string): Promise<Version | undefined> {
  const { versions } = await inWorker('listVersions', [path, { limit: maxLooked }]);
  return versions.find(({ message }) => message.startsWith(beginning));
}
