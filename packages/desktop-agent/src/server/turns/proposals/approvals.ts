// What a person decides about a proposal, and what is done then.
import type { Plan, Recovered } from '../../changes/index.ts';
import {
  AgentError,
  type App,
  type Broadcast,
  type Choice,
  type Message,
  type Proposal,
} from '../../../shared/contract/index.ts';
import { loadChanges } from '../../lazy.ts';
import type { Notices } from '../../notices.ts';
import { inWorker } from '../../worker/index.ts';
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
  /** What a proposal wants done with the preview of its app once it is applied. Not waited for. */
  onApplied: (appId: string, commands: readonly string[]) => void;
}

/** What exactly a person approves. */
export interface Approved {
  /** Which of a proposal that was edited their page shows. Default: the one that nobody has edited. */
  revision?: number | undefined;
  /** Default: all of it. */
  choice?: Choice | undefined;
}

export class Approvals {
  readonly #options: ApprovalsOptions;
  /** Two windows that approve at once wait for the same. */
  readonly #applying = new Map<string, Promise<Message>>();
  /** What else is done with one proposal, one after the other. Approving waits for what was asked before it. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  /**
   * Does what is proposed. Of what is approved already nothing is done again. One that failed may be tried again.
   *
   * @throws {AgentError} `not_found`, `busy` while the answer streams, `changed` when it was rejected or edited meanwhile;
   *   `invalid_request`, `unsafe_path` for a choice that cannot be applied
   */
  async approve(chatId: string, messageId: string, approved: Approved = {}): Promise<Message> {
    const running = this.#applying.get(messageId);
    if (running !== undefined) return await running;
    const applied = this.#approve(chatId, messageId, approved).finally(() => this.#applying.delete(messageId));
    this.#applying.set(messageId, applied);
    return await applied;
  }

  /** @throws {AgentError} `not_found`, `changed` when it was approved */
  async reject(chatId: string, messageId: string): Promise<Message> {
    const applying = this.#applying.get(messageId);
    return await this.#inTurn(messageId, async () => {
      await applying?.catch(() => {});
      const { message, proposal } = await this.#get(chatId, messageId);
      if (proposal.state === 'rejected') return message;
      if (proposal.state === 'approved') {
        throw new AgentError('changed', 'This proposal was approved already. To take it back, undo its version.');
      }
      return await this.#save(message, { ...proposal, state: 'rejected' });
    });
  }

  /** What a proposed file would be. @throws {AgentError} as `readProposed`; `changed` when it was decided about */
  async read(chatId: string, messageId: string, path: string): Promise<{ content: string; revision: number }> {
    const { proposal, plan, app } = await this.#open(chatId, messageId);
    const { readProposed } = await loadChanges();
    return { content: await readProposed(app.path, plan, path), revision: proposal.revision ?? 0 };
  }

  /**
   * Puts what the person wrote in the place of what was proposed.
   *
   * @throws {AgentError} as `editProposed`; `changed` when it was decided about or edited meanwhile
   */
  async edit(
    chatId: string,
    messageId: string,
    { revision, ...edited }: { path: string; content: string; revision: number },
  ): Promise<Message> {
    return await this.#inTurn(messageId, async () => {
      const { message, proposal, plan, app } = await this.#open(chatId, messageId);
      checkRevision(proposal, revision);
      const made = await inWorker('editProposed', [app.path, { plan, proposal }, edited]);
      if (this.#applying.has(messageId)) throw new AgentError('busy', 'This proposal is being applied.');
      return await this.#save(message, made.proposal, { plan: made.plan });
    });
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

  async #approve(chatId: string, messageId: string, { revision, choice }: Approved): Promise<Message> {
    await this.#turns.get(messageId);
    const { message, proposal } = await this.#get(chatId, messageId);
    if (proposal.state === 'approved') return message;
    const { plan, app } = await this.#open(chatId, messageId);
    checkRevision(proposal, revision);
    const { error: _, ...before } = proposal;
    const whole = { plan, proposal: before };
    const { choose } = await loadChanges();
    const part = choice === undefined ? whole : await choose(app.path, whole, choice);
    const applying: Proposal = { ...part.proposal, state: 'applying' };
    // Kept with the message: a kill may come when all is done but the message does not say so yet.
    const kept: Plan = choice === undefined ? plan : { ...part.plan, whole };
    const saved = await this.#save(message, applying, { plan: kept });
    return await this.#apply(app, saved, applying, kept);
  }

  async #inTurn<T>(messageId: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#turns.get(messageId) ?? Promise.resolve()).then(work);
    const turn = done
      .catch(() => {})
      .finally(() => {
        if (this.#turns.get(messageId) === turn) this.#turns.delete(messageId);
      });
    this.#turns.set(messageId, turn);
    return await done;
  }

  /** A proposal that can still be decided about. */
  async #open(
    chatId: string,
    messageId: string,
  ): Promise<{ message: Message; proposal: Proposal; plan: Plan; app: App }> {
    const { message, proposal } = await this.#get(chatId, messageId);
    if (proposal.state === 'approved' || proposal.state === 'rejected') {
      throw new AgentError('changed', `This proposal was ${proposal.state} already.`);
    }
    if (message.state === 'streaming') throw new AgentError('busy', 'The answer is not complete yet.');
    const plan = await this.#options.chats.getPlan(messageId);
    if (plan === null) throw new AgentError('changed', proposal.error ?? 'This proposal cannot be applied.');
    return { message, proposal, plan, app: await this.#appOf(chatId) };
  }

  async #apply(app: App, message: Message, proposal: Proposal, plan: Plan): Promise<Message> {
    try {
      const { applyPlan } = await loadChanges();
      const { commit, personCommit, notes } = await applyPlan(app.path, plan, { messageId: message.id });
      this.#options.notices.tell(app, notes);
      if (personCommit !== null) await this.#options.versions.add(app.id, personCommit, null);
      if (commit !== null) await this.#options.versions.add(app.id, commit, message.id);
      const saved = await this.#save(message, { ...proposal, state: 'approved' }, { commit });
      this.#options.onApplied(app.id, plan.commands);
      return saved;
    } catch (error) {
      if (!(error instanceof AgentError)) this.#options.onError('a proposal could not be applied', error);
      const words = error instanceof AgentError ? error.message : 'Something went wrong. The log has the details.';
      const whole = plan.whole ?? { plan, proposal };
      return await this.#save(message, { ...whole.proposal, state: 'failed', error: words }, { plan: whole.plan });
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
    if (commit === undefined) {
      const whole = (await this.#options.chats.getPlan(message.id))?.whole;
      const stands = { ...(whole?.proposal ?? proposal), state: 'pending' as const };
      return void (await this.#save(message, stands, whole && { plan: whole.plan }));
    }
    if (commit !== null) await this.#options.versions.add(app.id, commit, message.id);
    await this.#save(message, { ...proposal, state: 'approved' }, { commit });
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

  async #save(
    message: Message,
    proposal: Proposal,
    more: { commit?: string | null; plan?: Plan } = {},
  ): Promise<Message> {
    const { chats, broadcast } = this.#options;
    await chats.updateMessage(message.id, { proposal, ...more });
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

/** So that nothing is applied that the page of the person does not show. */
function checkRevision(proposal: Proposal, revision = 0): void {
  if (revision === (proposal.revision ?? 0)) return;
  throw new AgentError('changed', 'This proposal was edited meanwhile. Look at it again before you approve it.');
}
