// The answers that are under way: at most one a chat.
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentError, type Message } from '../../shared/contract/index.ts';
import { diskFull } from '../disk-full.ts';
import { factsOf, wantsSummary, withApproved, withTourLog, type Facts, type TurnsOptions } from './facts.ts';
import { isSummary, type PastMessage } from './history.ts';
import { LiveMessage } from './live-message.ts';
import { followText } from './plans/followed.ts';
import type { ApprovedPlan, NewMessage } from './ports.ts';
import { isPlain } from './proposals/is-plain.ts';
import { end, Slots, type Slot } from './slots.ts';
import { titleOf } from './title.ts';
import { AnswerFailed, Closing, NotSent, type Turn } from './turn.ts';

/** So long a stopped answer waits for the records of what was stopped. They are added when they come later. */
const graceMs = 50;
/** So long the next answer of the chat waits for what was stopped. */
const maxEndingMs = 5_000;

interface Beginning {
  isNew: boolean;
  /** The message for the summary that is made first. */
  summary: LiveMessage | undefined;
}

export interface SentMessage {
  chatId: string;
  text: string;
  /** Ids that uploads gave. */
  uploads: readonly string[];
}

/** One of the messages that wait, to be sent now. */
export interface QueuedSend {
  chatId: string;
  queuedId: string;
}

export class Turns implements AsyncDisposable {
  readonly #options: TurnsOptions;
  readonly #slots = new Slots();
  /** Messages that are being sent at once, by their ids. */
  readonly #sending = new Map<string, Promise<void>>();

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /**
   * Saves a message and an empty answer, and begins to fill that.
   *
   * @throws {AgentError} `busy` while another answer of the chat is under way; `not_found`; `invalid_request` for an empty
   *   message
   */
  async start(sent: SentMessage | QueuedSend): Promise<{ userMessageId: string; messageId: string }> {
    const { chatId } = sent;
    return await this.#slots.open(chatId, async (slot) => {
      // In the slot: no other answer of the chat takes the same one.
      const message = 'queuedId' in sent ? await this.#options.queue.get(chatId, sent.queuedId) : sent;
      const { text, uploads } = message;
      if (text.trim() === '' && uploads.length === 0) throw new AgentError('invalid_request', 'The message is empty.');
      const begun = await this.#begin(slot, { chatId, text, uploads, ...('queuedId' in sent && sent) });
      if ('queuedId' in sent) await this.#tellQueue(chatId);
      return begun;
    });
  }

  /** Sends a message when the answer of its chat is complete; at once when none is under way and no other waits. */
  async enqueue({ chatId, text, uploads }: SentMessage): Promise<void> {
    const { chats, queue } = this.#options;
    if (text.trim() === '' && uploads.length === 0) throw new AgentError('invalid_request', 'The message is empty.');
    await chats.get(chatId);
    const isFirst = (await queue.list(chatId)).length === 0;
    const queuedId = await queue.add(chatId, text, uploads);
    await this.#tellQueue(chatId);
    if (isFirst && !this.#slots.isBusy(chatId)) await this.#startQueued({ chatId, queuedId });
  }

  /**
   * Approves a plan and sends a message to follow it, at once or not at all.
   *
   * @throws {AgentError} `busy` while another answer of the chat is under way
   */
  async follow(chatId: string, approved: ApprovedPlan): Promise<void> {
    await this.#slots.open(chatId, async (slot) => {
      await this.#begin(slot, { chatId, text: followText, uploads: [], approved });
    });
  }

  /** Stops what is under way, and sends a message that waits. @throws {AgentError} `not_found` */
  async sendNow(queued: QueuedSend): Promise<void> {
    const { queuedId } = queued;
    // A second window that says the same would stop the answer to this very message.
    const sending = this.#sending.get(queuedId) ?? this.#stopAndSend(queued);
    this.#sending.set(queuedId, sending);
    await sending.finally(() => this.#sending.delete(queuedId));
  }

  async #stopAndSend({ chatId, queuedId }: QueuedSend): Promise<void> {
    await this.#options.queue.get(chatId, queuedId);
    await this.#slots.cancel(chatId);
    await this.start({ chatId, queuedId });
  }

  /**
   * Has the model sum up a chat. From then on it gets the summary in place of all before it.
   *
   * @throws {AgentError} `busy`, `not_found`; `invalid_request` where there is nothing to sum up
   */
  async compact(chatId: string): Promise<{ messageId: string }> {
    return await this.#slots.open(chatId, async (slot) => {
      const facts = await factsOf(this.#options, chatId);
      if (!facts.past.some(({ message }) => message.role === 'assistant' && !isSummary(message))) {
        throw new AgentError('invalid_request', 'There is nothing to sum up in this chat yet.');
      }
      const [message] = (await this.#options.chats.add(summaryOf(chatId, facts.past))) as [Message];
      const live = this.#live(message);
      slot.live = live;
      const work = this.#compact({ ...facts, live, signal: slot.controller.signal }).then(() => end(slot));
      this.#settle(
        slot,
        live,
        work.then(async () => await this.#tellChat(chatId)),
      );
      await this.#tellChat(chatId);
      return { messageId: message.id };
    });
  }

  async cancel(chatId: string): Promise<void> {
    await this.#slots.cancel(chatId);
  }

  /** The answer of a chat as it is now; `undefined` when none is under way. */
  current(chatId: string): Message | undefined {
    return this.#slots.current(chatId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#slots[Symbol.asyncDispose]();
  }

  async #begin(
    slot: Slot,
    { chatId, text, uploads, queuedId, approved }: SentMessage & Partial<QueuedSend> & { approved?: ApprovedPlan },
  ): Promise<{ userMessageId: string; messageId: string }> {
    const { chats } = this.#options;
    const facts = withApproved(await factsOf(this.#options, chatId), approved);
    const { chat, past, headCommit } = facts;
    const files = await withTourLog(this.#options, facts, uploads);
    const parts: Message['parts'] = text === '' ? [] : [{ type: 'text', text }];
    const sent: NewMessage = {
      chatId,
      role: 'user',
      parts,
      state: 'complete',
      attachments: files,
      queuedId,
      approved,
      headCommit,
    };
    const answered: NewMessage = { chatId, role: 'assistant', parts: [], state: 'streaming' };
    const isCompacted = await wantsSummary(this.#options, facts, text);
    const added = isCompacted
      ? await chats.add(summaryOf(chatId, past), sent, answered)
      : await chats.add(sent, answered);
    const [message, answer] = added.slice(-2) as [Message, Message];
    const live = this.#live(answer);
    const summary = isCompacted ? this.#live(added[0] as Message) : undefined;
    slot.live = summary ?? live;
    const told = past.filter(({ message: { id } }) => id === approved?.messageId);
    for (const one of [...told.map(({ message: of }) => of), ...added]) {
      this.#options.broadcast('chat:message', { message: one });
    }
    const isNew = chat.title === this.#options.newTitle;
    const { signal } = slot.controller;
    const base = { services: this.#options, ...facts, message, live, signal, said: [] };
    this.#settle(slot, live, this.#run(slot, base, { isNew, summary }));
    return { userMessageId: message.id, messageId: answer.id };
  }

  /** What waits is sent after an answer that is complete. One that was stopped or failed is for a person to look at. */
  #settle(slot: Slot, live: LiveMessage, work: Promise<void>): void {
    const { chatId } = live;
    this.#slots.settle(slot, chatId, work);
    const isComplete = (): boolean => live.snapshot.state === 'complete';
    void slot.settled.then(async () => (isComplete() ? await this.#sendNext(chatId) : undefined));
  }

  async #sendNext(chatId: string): Promise<void> {
    const [next] = await this.#options.queue.list(chatId).catch(() => []);
    if (next !== undefined) await this.#startQueued({ chatId, queuedId: next.id });
  }

  /** What cannot be sent goes on waiting, and the page shows that it does. */
  async #startQueued(queued: QueuedSend): Promise<void> {
    await this.start(queued).catch((error: unknown) => {
      if (!(error instanceof AgentError)) this.#options.onError('a message that waited could not be sent', error);
    });
  }

  async #tellQueue(chatId: string): Promise<void> {
    this.#options.broadcast('chat:queue', { chatId, queue: await this.#options.queue.list(chatId) });
  }

  #live(message: Message): LiveMessage {
    const { chats, broadcast } = this.#options;
    return new LiveMessage({ message, chats, broadcast, onSaveError: this.#onSaveError(message.id) });
  }

  async #compact(
    compacting: Omit<Facts, 'headCommit'> & Pick<Turn, 'live' | 'signal'>,
  ): Promise<PastMessage | undefined> {
    const { compact } = await import('./compaction/compact.ts');
    return await compact({ ...compacting, services: this.#options }).catch(() => undefined);
  }

  /** Said once an answer: writes come ten times a second. */
  #onSaveError(id: string): (error: unknown) => void {
    let isTold = false;
    return (error) => {
      if (isTold) return;
      isTold = true;
      this.#options.onError('an answer could not be saved', error);
      const why =
        diskFull(error) === undefined
          ? 'This answer cannot be saved.'
          : 'The disk is full, so this answer is not saved.';
      const text = `${why} It is lost when mustard-agent ends before it could be saved.`;
      this.#options.broadcast('notice', { id, text, kind: 'error' });
    };
  }

  /** From the first request to the last write. Never rejects. */
  async #run(slot: Slot, base: Omit<Turn, 'model'>, { isNew, summary }: Beginning): Promise<void> {
    const { chat, live, signal } = base;
    const work = this.#answerAfter(slot, base, { isNew, summary });
    const stopped = new Promise<'stopped'>((resolve) => {
      const stop = (): void => void setTimeout(resolve, graceMs, 'stopped');
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
    const ending = await Promise.race([work, stopped]).catch((error: unknown) => ({ error }));
    try {
      if (signal.aborted) await this.#finishStopped(live, signal.reason);
      else if (typeof ending === 'object' && 'error' in ending) await this.#finishFailed(live, ending.error);
      else await live.finish('complete');
    } finally {
      end(slot);
    }
    await this.#tellChat(chat.id);
    // A tool that does not end must not keep the chat from its next answer.
    await Promise.race([Promise.allSettled([work]), sleep(maxEndingMs, undefined, { ref: false })]);
    await live.saved();
    if (ending === 'approve' && !signal.aborted) await this.#approve(live);
  }

  async #answerAfter(
    slot: Slot,
    base: Omit<Turn, 'model'>,
    { isNew, summary }: Beginning,
  ): Promise<'approve' | 'done'> {
    if (summary === undefined) return await this.#answer(base, isNew);
    await this.#tellChat(base.chat.id);
    const summarized = await this.#compact({ ...base, live: summary });
    slot.live = base.live;
    base.signal.throwIfAborted();
    return await this.#answer(
      { ...base, past: summarized === undefined ? base.past : [...base.past, summarized] },
      isNew,
    );
  }

  /** @returns whether its proposal is to be applied without a question */
  async #answer(base: Omit<Turn, 'model'>, isNew: boolean): Promise<'approve' | 'done'> {
    const { chat, settings, live, message } = base;
    if (isNew) await this.#options.chats.update(chat.id, { title: titleOf(message) });
    await this.#tellChat(chat.id);
    // Loaded at the first answer: the SDK and the tools take longer to load than all the rest of the program.
    const { fillAnswer } = await import('./fill-answer.ts');
    const { title } = await fillAnswer(base, this.#options);
    if (isNew && title !== undefined) await this.#options.chats.update(chat.id, { title: title.slice(0, 200) });
    const { proposal } = live.snapshot;
    if (!settings.autoApprove || proposal?.state !== 'pending') return 'done';
    return isPlain(proposal) ? 'approve' : 'done';
  }

  async #finishStopped(live: LiveMessage, reason: unknown): Promise<void> {
    if (reason instanceof Closing) return void (await live.finish('interrupted'));
    await live.finish('cancelled');
  }

  async #finishFailed(live: LiveMessage, error: unknown): Promise<void> {
    if (error instanceof NotSent) {
      await live.finish('cancelled');
      return;
    }
    const full = diskFull(error);
    const words =
      error instanceof AnswerFailed
        ? error.message
        : (full?.message ?? 'Something went wrong. The log has the details.');
    if (!(error instanceof AnswerFailed)) this.#options.onError('an answer failed', error);
    await live.finish('failed', words);
  }

  async #approve(live: LiveMessage): Promise<void> {
    try {
      await this.#options.approve(live.chatId, live.id);
    } catch (error) {
      this.#options.onError('a proposal could not be approved by the setting', error);
    }
  }

  async #tellChat(chatId: string): Promise<void> {
    try {
      this.#options.broadcast('chat:changed', { chat: await this.#options.chats.get(chatId) });
    } catch {
      // It was deleted meanwhile.
    }
  }
}

/** A message for a summary of all before it. */
function summaryOf(chatId: string, past: readonly PastMessage[]): NewMessage {
  const part = { type: 'summary' as const, text: '', messages: past.length, before: 0, after: 0 };
  return { chatId, role: 'assistant', parts: [part], state: 'streaming' };
}
