// Which chats are being answered: at most one answer each.
import { AgentError, type Message } from '../../shared/contract/index.ts';
import type { LiveMessage } from './live-message.ts';
import { Cancelled, Closing } from './turn.ts';

/** An answer that is under way. */
export interface Slot {
  controller: AbortController;
  /** The message that is being filled. */
  live: LiveMessage | undefined;
  /** Whether its message is finished, and who waits for that. Tools may still be ending. */
  isOver: boolean;
  waiting: (() => void)[];
  /** Resolves when nothing of it runs any more. */
  settled: Promise<void>;
}

export class Slots implements AsyncDisposable {
  readonly #slots = new Map<string, Slot>();
  #isClosed = false;

  /**
   * Begins an answer. What `begin` gives goes on in `slot.settled`.
   *
   * @throws {AgentError} `busy` while another answer of the chat is under way, and what `begin` throws
   */
  async open<Result>(chatId: string, begin: (slot: Slot) => Promise<Result>): Promise<Result> {
    for (let slot = this.#slots.get(chatId); slot !== undefined; slot = this.#slots.get(chatId)) {
      if (!slot.isOver)
        throw new AgentError('busy', 'An answer is under way in this chat. Stop it, or wait for its end.');
      await slot.settled;
    }
    if (this.#isClosed) throw new AgentError('busy', 'mustard-agent is closing.');
    const slot: Slot = {
      controller: new AbortController(),
      live: undefined,
      isOver: false,
      waiting: [],
      settled: Promise.resolve(),
    };
    this.#slots.set(chatId, slot);
    try {
      return await begin(slot);
    } catch (error) {
      this.#slots.delete(chatId);
      end(slot);
      throw error;
    }
  }

  /** Keeps the slot until the work of its answer has ended. */
  settle(slot: Slot, chatId: string, work: Promise<void>): void {
    slot.settled = work.finally(() => {
      if (this.#slots.get(chatId) === slot) this.#slots.delete(chatId);
    });
  }

  isBusy(chatId: string): boolean {
    return this.#slots.get(chatId)?.isOver === false;
  }

  /** Ends the answer of a chat: model, tools, scripts and questions. Resolves when its message is saved. */
  async cancel(chatId: string): Promise<void> {
    const slot = this.#slots.get(chatId);
    if (slot === undefined || slot.isOver) return;
    slot.controller.abort(new Cancelled());
    await new Promise<void>((resolve) => slot.waiting.push(resolve));
  }

  /** The answer of a chat as it is now; `undefined` when none is under way. */
  current(chatId: string): Message | undefined {
    const slot = this.#slots.get(chatId);
    return slot?.isOver === false ? slot.live?.snapshot : undefined;
  }

  /** Ends all answers. What there is of them is kept, as `interrupted`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const { controller } of this.#slots.values()) controller.abort(new Closing());
    await Promise.all([...this.#slots.values()].map(({ settled }) => settled));
  }
}

/** Its message is finished. */
export function end(slot: Slot): void {
  slot.isOver = true;
  for (const resolve of slot.waiting) resolve();
}
