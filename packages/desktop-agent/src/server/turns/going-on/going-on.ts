// Going on from an earlier message, with another text and, if the person wants that, with the files of that time.
import { AgentError, type App, type Chat, type Message, type Result } from '../../../shared/contract/index.ts';
import { newTitle } from '../../chats/handlers.ts';
import type { ChatCopies } from '../../chats/copies.ts';
import type { WriteOptions } from '../../changes/writing.ts';
import { loadGit } from '../../lazy.ts';
import type { Services } from '../../services.ts';
import { inWorker } from '../../worker/index.ts';

/** So many files are named to a person. */
const maxNamed = 20;

interface GoingOnOptions extends Pick<Services, 'apps' | 'chats' | 'versions' | 'broadcast' | 'notices'> {
  copies: ChatCopies;
  isAnswering: (chatId: string) => boolean;
  /** Sends the message that waits in the new chat. */
  send: (queued: { chatId: string; queuedId: string }) => Promise<unknown>;
}

interface Ids {
  chatId: string;
  messageId: string;
}

export interface WantedGoingOn extends Ids {
  text: string;
  attachments: readonly string[];
  /** To which version the files go back, and what the person has seen of that. */
  back: { commit: string; seen: string } | null;
}

export class GoingOn {
  readonly #options: GoingOnOptions;

  constructor(options: GoingOnOptions) {
    this.#options = options;
  }

  /** What it would do. @throws {AgentError} `not_found`, `invalid_request` for an answer */
  async look(ids: Ids): Promise<Result<'read-checkpoint'>> {
    const { chats } = this.#options;
    const { chat, message, app } = await this.#find(ids);
    const all = await chats.listMessages(chat.id);
    const before = all.findIndex(({ id }) => id === message.id);
    const none = (why: string): Result<'read-checkpoint'> => ({ before, wayBack: null, why });
    if (!app.git) return none('This folder has no git, so there are no versions to go back to.');
    const commit = await chats.getHeadCommit(message.id);
    if (commit === null) return none('It is not known which version the files had then.');
    try {
      const { version, isOfBranch, changed, own, seen } = await inWorker('lookBack', [app.path, commit]);
      if (changed.length === 0) return none('The files are as they were then.');
      const subject = version.message.split('\n', 1)[0] ?? '';
      const named = changed.slice(0, maxNamed);
      const more = changed.length - named.length;
      const wayBack = { commit, subject, at: version.at, isOfBranch, changed: named, more, own: own.length, seen };
      return { before, wayBack, why: '' };
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      const isGone = error.code === 'not_found';
      return none(isGone ? `The version of that time, ${commit.slice(0, 10)}, is not in git any more.` : error.message);
    }
  }

  /**
   * Makes the chat, takes the files back, and sends the message, in this order: where that ends in the middle, the new chat
   * has the message as one that waits. Where the files cannot go back, nothing is done.
   *
   * @throws {AgentError} `not_found`, `invalid_request`, `busy` while an answer of the chat is under way, `changed` when the
   *   files would become others than the person has seen; as `revertToVersion`
   */
  async begin({ text, attachments, back, ...ids }: WantedGoingOn): Promise<Result<'go-on-from'>> {
    const { chats, copies, broadcast } = this.#options;
    if (text.trim() === '' && attachments.length === 0) {
      throw new AgentError('invalid_request', 'The message is empty.');
    }
    const { chat, message, app } = await this.#find(ids);
    if (this.#options.isAnswering(chat.id)) {
      throw new AgentError('busy', 'An answer is under way in this chat. Stop it, or wait for its end.');
    }
    if (back !== null) await this.#mustBeAsSeen(app, message, back);
    const { title } = chat;
    const from = { chatId: chat.id, messageId: message.id, title, to: back?.commit ?? null };
    const continuedFrom = { ...from, files: back === null ? ('kept' as const) : ('pending' as const) };
    const copy = { chat, message, continuedFrom, text, attachments, title: await this.#titleFor(chat, message) };
    const made = await copies.make(copy);
    let undo: string | null = null;
    if (back !== null) {
      undo = await this.#goBack(app, back.commit).catch(async (error: unknown) => {
        await copies.remove(made.chatId);
        throw error;
      });
      await chats.update(made.chatId, { continuedFrom: { ...from, files: 'back' } });
    }
    broadcast('chat:changed', { chat: await chats.get(made.chatId) });
    // What cannot be sent now waits in the new chat, which says so.
    await this.#options.send(made).catch(() => {});
    return { chat: await chats.get(made.chatId), undo };
  }

  async #find({ chatId, messageId }: Ids): Promise<{ chat: Chat; message: Message; app: App }> {
    const { chats, apps } = this.#options;
    const chat = await chats.get(chatId);
    const message = await chats.getMessage(chatId, messageId);
    if (message.role !== 'user') throw new AgentError('invalid_request', 'Only your own messages can be edited.');
    return { chat, message, app: await apps.get(chat.appId) };
  }

  async #mustBeAsSeen(app: App, message: Message, { commit, seen }: { commit: string; seen: string }): Promise<void> {
    const known = await this.#options.chats.getHeadCommit(message.id);
    if (known !== commit) throw new AgentError('invalid_request', 'This is not the version of that message.');
    const now = await inWorker('lookBack', [app.path, commit]);
    if (now.seen === seen) return;
    throw new AgentError('changed', 'The files have changed meanwhile. Look again at what going back would do.');
  }

  async #goBack(app: App, commit: string): Promise<string> {
    const { versions, broadcast, notices } = this.#options;
    const telling: WriteOptions = { onBefore: (before) => notices.tellBefore(app, before) };
    const { revertToVersion } = await loadGit();
    const version = await revertToVersion(app.path, commit, telling);
    await versions.add(app.id, version.commit, null);
    broadcast('app:files-changed', { appId: app.id });
    return version.commit;
  }

  /** A chat that begins anew is named by its first message, like any other. */
  async #titleFor({ id, appId, title }: Chat, message: Message): Promise<string> {
    const { chats } = this.#options;
    const [first] = await chats.listMessages(id);
    if (first?.id === message.id) return newTitle;
    const taken = new Set((await chats.list(appId)).map((chat) => chat.title));
    const base = title.replace(/ \(\d+\)$/, '').slice(0, 190);
    let number = 2;
    while (taken.has(`${base} (${number})`)) number++;
    return `${base} (${number})`;
  }
}
