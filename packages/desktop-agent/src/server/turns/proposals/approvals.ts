// What a person decides about a proposal, and what is done then.
import type { Plan, Recovered } from '../../changes/index.ts';
import { AgentError, type App, type Broadcast, type Message, type Proposal } from '../../../shared/contract/index.ts';
import { loadChanges } from '../../lazy.ts';
import type { Notices } from '../../notices.ts';
import type { Apps, Chats } from '../ports.ts';
import { doneBy } from './done-by.ts';

export interface ApprovalsOptions {
  chats: Chats;
  apps: Apps;
  /** The commit that each message led to. */
  versions: { add(appId: string, commit: string, messageId: string | null): Promise<void> };
  broadcast: Broadcast;
  notices: Pick<Notices, 'tell'>;
  onError: (what: string, error: unknown) => void;
}

export class Approvals {
  readonly #options: ApprovalsOptions;
  /** Two windows that approve at once wait for the same. */
  readonly #applying = new Map<string, Promise<Message>>();

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  /**
   * Does what is proposed. Of what is approved already nothing is done again. One that failed may be tried again.
   *
   * @throws {AgentError} `not_found`, `busy` while the answer streams, `changed` when it was rejected
   */
  async approve(chatId: string, messageId: string): Promise<Message> {
    const running = this.#applying.get(messageId);
    if (running !== undefined) return await running;
    const approved = this.#approve(chatId, messageId).finally(() => this.#applying.delete(messageId));
    this.#applying.set(messageId, approved);
    return await approved;
  }

  /** @throws {AgentError} `not_found`, `changed` when it was approved */
  async reject(chatId: string, messageId: string): Promise<Message> {
    await this.#applying.get(messageId)?.catch(() => {});
    const { message, proposal } = await this.#get(chatId, messageId);
    if (proposal.state === 'rejected') return message;
    if (proposal.state === 'approved') {
      throw new AgentError('changed', 'This proposal was approved already. To take it back, undo its version.');
    }
    return await this.#save(message, { ...proposal, state: 'rejected' });
  }

  /** Waits for what is being applied: cut off, it would have to be settled at the next start. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#applying.values());
  }

  /** At the start of the program: ends what a crash has cut. */
  async recover(): Promise<void> {
    // One repository has at most one journal, which is gone once it was ended, and may have several of the apps.
    const ended = new Map<string, Recovered>();
    for (const message of await this.#options.chats.listProposed('applying')) {
      try {
        await this.#recoverOne(message, ended);
      } catch (error) {
        this.#options.onError('a proposal could not be recovered', error);
      }
    }
  }

  async #approve(chatId: string, messageId: string): Promise<Message> {
    const { message, proposal } = await this.#get(chatId, messageId);
    if (proposal.state === 'approved') return message;
    if (proposal.state === 'rejected') throw new AgentError('changed', 'This proposal was rejected already.');
    if (message.state === 'streaming') throw new AgentError('busy', 'The answer is not complete yet.');
    const plan = await this.#options.chats.getPlan(messageId);
    if (plan === null) throw new AgentError('changed', proposal.error ?? 'This proposal cannot be applied.');
    const app = await this.#appOf(chatId);
    const { error: _, ...before } = proposal;
    const applying = await this.#save(message, { ...before, state: 'applying' });
    return await this.#apply(app, applying, { ...before, state: 'applying' }, plan);
  }

  async #apply(app: App, message: Message, proposal: Proposal, plan: Plan): Promise<Message> {
    try {
      const { applyPlan } = await loadChanges();
      const { commit, personCommit, notes } = await applyPlan(app.path, plan, { messageId: message.id });
      this.#options.notices.tell(app, notes);
      if (personCommit !== null) await this.#options.versions.add(app.id, personCommit, null);
      if (commit !== null) await this.#options.versions.add(app.id, commit, message.id);
      return await this.#save(message, { ...proposal, state: 'approved' }, commit);
    } catch (error) {
      if (!(error instanceof AgentError)) this.#options.onError('a proposal could not be applied', error);
      const words = error instanceof AgentError ? error.message : 'Something went wrong. The log has the details.';
      return await this.#save(message, { ...proposal, state: 'failed', error: words });
    } finally {
      this.#options.broadcast('app:files-changed', { appId: app.id });
    }
  }

  async #recoverOne(message: Message, ended: Map<string, Recovered>): Promise<void> {
    const { proposal } = message;
    if (proposal === null) return;
    const app = await this.#appOf(message.chatId);
    const recovered = ended.get(app.path) ?? (await (await loadChanges()).recover(app.path));
    if (!ended.has(app.path)) this.#options.notices.tell(app, recovered.notes);
    ended.set(app.path, recovered);
    const commit = await this.#commitOf(message, app, ended.values());
    if (commit === undefined) return void (await this.#save(message, { ...proposal, state: 'pending' }));
    if (commit !== null) await this.#options.versions.add(app.id, commit, message.id);
    await this.#save(message, { ...proposal, state: 'approved' }, commit);
  }

  /** The commit that a cut approval has made all the same; `undefined` when it has done nothing. */
  async #commitOf(message: Message, app: App, ended: Iterable<Recovered>): Promise<string | null | undefined> {
    const own = [...ended].find(({ messageId }) => messageId === message.id);
    if (own !== undefined) return own.commit;
    // Without a journal of its own, the crash came before the change began, or after it ended but before the row was
    // written.
    const plan = await this.#options.chats.getPlan(message.id);
    return plan === null ? undefined : await doneBy(app.path, plan);
  }

  async #save(message: Message, proposal: Proposal, commit = message.commit): Promise<Message> {
    const { chats, broadcast } = this.#options;
    await chats.updateMessage(message.id, { proposal, commit });
    const saved = await chats.getMessage(message.chatId, message.id);
    broadcast('chat:message', { message: saved });
    return saved;
  }

  async #get(chatId: string, messageId: string): Promise<{ message: Message; proposal: Proposal }> {
    const message = await this.#options.chats.getMessage(chatId, messageId);
    if (message.proposal === null) throw new AgentError('not_found', 'This answer proposes nothing.');
    return { message, proposal: message.proposal };
  }

  async #appOf(chatId: string): Promise<App> {
    const { chats, apps } = this.#options;
    return await apps.get((await chats.get(chatId)).appId);
  }
}
