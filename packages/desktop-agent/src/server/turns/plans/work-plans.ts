// What a person decides about the plan of an answer of the mode Plan. No model and no setting approves one.
import { oneLine } from '@mustard-sandbox/protocol/text';
import {
  AgentError,
  type Broadcast,
  type FollowingMode,
  type Message,
  type WorkPlan,
} from '../../../shared/contract/index.ts';
import { shortened, type Planned } from '../../../shared/work-plan.ts';
import type { ApprovedPlan, Chats } from '../ports.ts';

interface WorkPlansOptions {
  chats: Chats;
  broadcast: Broadcast;
  /** Saves an approved plan, the mode of its chat and a message to follow it at once, and begins the answer. */
  follow: (chatId: string, approved: ApprovedPlan) => Promise<unknown>;
}

/** Which plan, and which revision of it the page of the person shows. */
interface Shown {
  chatId: string;
  messageId: string;
  revision: number;
}

export class WorkPlans {
  readonly #options: WorkPlansOptions;
  /** What is done with one plan, one after the other: the first answer of two windows holds. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(options: WorkPlansOptions) {
    this.#options = options;
  }

  /** @throws {AgentError} `not_found`, `busy` while an answer of the chat is under way, `changed` when it is not as shown */
  async approve(shown: Shown, mode: FollowingMode): Promise<Message> {
    const { chatId, messageId } = shown;
    return await this.#inTurn(messageId, async () => {
      const message = await this.#get(chatId, messageId);
      const { workPlan } = message;
      checkRevision(workPlan, shown.revision);
      if (workPlan.state === 'approved') return message;
      checkPending(workPlan);
      await this.#options.follow(chatId, { messageId, workPlan: { ...workPlan, state: 'approved' }, mode });
      return await this.#get(chatId, messageId);
    });
  }

  /** @throws {AgentError} `not_found`, `changed` when it was decided about or has another revision, `invalid_request` */
  async edit(shown: Shown, steps: readonly string[]): Promise<Message> {
    return await this.#change(shown, (workPlan) => {
      checkPending(workPlan);
      checkRevision(workPlan, shown.revision);
      const texts = steps.map((text) => shortened(oneLine(text.trim())));
      if (texts.includes(''))
        throw new AgentError('invalid_request', 'A step has no text. Write it, or remove the step.');
      return { ...workPlan, steps: texts.map((text) => ({ text })), revision: workPlan.revision + 1 };
    });
  }

  /** @throws {AgentError} `not_found`, `changed` when it was approved */
  async reject(ids: Omit<Shown, 'revision'>): Promise<Message> {
    return await this.#change(ids, (workPlan) => {
      if (workPlan.state !== 'rejected') checkPending(workPlan);
      return { ...workPlan, state: 'rejected' };
    });
  }

  /** @throws {AgentError} `not_found`, `changed` when it is not followed */
  async end(ids: Omit<Shown, 'revision'>): Promise<Message> {
    return await this.#change(ids, (workPlan) => {
      if (workPlan.state !== 'ended') checkFollowed(workPlan);
      return { ...workPlan, state: 'ended' };
    });
  }

  /** @param step from 0 @throws {AgentError} `not_found`, `changed` when it is not followed */
  async mark(ids: Omit<Shown, 'revision'>, step: number, isDone: boolean): Promise<Message> {
    return await this.#change(ids, (workPlan) => {
      checkFollowed(workPlan);
      const { steps } = workPlan;
      const of = steps[step];
      if (of === undefined) throw new AgentError('not_found', `This plan has no step ${step + 1}.`);
      return { ...workPlan, steps: steps.with(step, { ...of, marked: isDone ? 'done' : 'open' }) };
    });
  }

  async #change(
    { chatId, messageId }: Omit<Shown, 'revision'>,
    change: (workPlan: WorkPlan) => WorkPlan,
  ): Promise<Message> {
    const { chats, broadcast } = this.#options;
    return await this.#inTurn(messageId, async () => {
      const { workPlan } = await this.#get(chatId, messageId);
      await chats.updateMessage(messageId, { workPlan: change(workPlan) });
      const message = await chats.getMessage(chatId, messageId);
      broadcast('chat:message', { message });
      return message;
    });
  }

  async #get(chatId: string, messageId: string): Promise<Planned> {
    await this.#options.chats.get(chatId);
    const message = await this.#options.chats.getMessage(chatId, messageId);
    const { workPlan, state } = message;
    if (workPlan === null) throw new AgentError('not_found', 'This answer has no plan.');
    if (state === 'streaming') throw new AgentError('busy', 'The answer is not complete yet.');
    return { ...message, workPlan };
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
}

function checkPending({ state }: WorkPlan): void {
  if (state !== 'pending') throw new AgentError('changed', `This plan was ${state} already.`);
}

function checkFollowed({ state }: WorkPlan): void {
  if (state !== 'approved') throw new AgentError('changed', 'This plan is not followed.');
}

/** So that nothing is approved that the page of the person does not show. */
function checkRevision(workPlan: WorkPlan, revision: number): void {
  if (workPlan.revision === revision) return;
  throw new AgentError('changed', 'This plan was changed meanwhile. Look at it again before you approve it.');
}
