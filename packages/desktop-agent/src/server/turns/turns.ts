// The answers that are under way: at most one a chat.
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentError, type Message, type Proposal } from '../../shared/contract/index.ts';
import { diskFull } from '../disk-full.ts';
import { tourModel } from '../models/models.ts';
import { LiveMessage } from './live-message.ts';
import { AnswerFailed, Cancelled, Closing, NotSent, type TurnServices, type Turn } from './turn.ts';

/** So long a stopped answer waits for the records of what was stopped. They are added when they come later. */
const graceMs = 50;
/** So long the next answer of the chat waits for what was stopped. */
const maxEndingMs = 5_000;
const maxTitleChars = 60;

interface Slot {
  controller: AbortController;
  live: LiveMessage | undefined;
  /** Whether its message is finished, and who waits for that. Tools may still be ending. */
  isOver: boolean;
  waiting: (() => void)[];
  /** Resolves when nothing of it runs any more. */
  settled: Promise<void>;
}

export interface TurnsOptions extends TurnServices {
  /** What a chat is called before its first message. */
  newTitle: string;
  /** Applies the proposal of a message that is complete. */
  approve: (chatId: string, messageId: string) => Promise<unknown>;
  /** Looks whether what earlier answers did is still in the app. */
  refreshTurns: (chatId: string) => Promise<void>;
  /** Stores the log of the tour for a chat. @returns the id of the upload */
  attachTourLog: (chatId: string) => Promise<string>;
}

export interface SentMessage {
  chatId: string;
  text: string;
  /** Ids that uploads gave. */
  uploads: readonly string[];
}

export class Turns implements AsyncDisposable {
  readonly #options: TurnsOptions;
  readonly #slots = new Map<string, Slot>();
  #isClosed = false;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /**
   * Saves a message and an empty answer, and begins to fill that.
   *
   * @throws {AgentError} `busy` while another answer of the chat is under way; `not_found`; `invalid_request` for an empty
   *   message
   */
  async start({ chatId, text, uploads }: SentMessage): Promise<{ userMessageId: string; messageId: string }> {
    if (text.trim() === '' && uploads.length === 0) throw new AgentError('invalid_request', 'The message is empty.');
    for (let slot = this.#slots.get(chatId); slot !== undefined; slot = this.#slots.get(chatId)) {
      if (!slot.isOver)
        throw new AgentError('busy', 'An answer is under way in this chat. Stop it, or wait for its end.');
      await slot.settled;
    }
    if (this.#isClosed) throw new AgentError('busy', 'mustard-agent is closing.');
    const slot = newSlot();
    this.#slots.set(chatId, slot);
    try {
      return await this.#begin(slot, { chatId, text, uploads });
    } catch (error) {
      this.#slots.delete(chatId);
      end(slot);
      throw error;
    }
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

  async #begin(
    slot: Slot,
    { chatId, text, uploads }: SentMessage,
  ): Promise<{ userMessageId: string; messageId: string }> {
    const { chats, apps, settings, broadcast } = this.#options;
    const chat = await chats.get(chatId);
    const app = await apps.get(chat.appId);
    const current = await settings.get();
    await this.#options.refreshTurns(chatId);
    const past = await this.#past(chatId);
    const files = await this.#withTourLog(chat.model ?? current.model, { chatId, uploads, isFirst: past.length === 0 });
    const [message, answer] = (await chats.add(
      {
        chatId,
        role: 'user',
        parts: text === '' ? [] : [{ type: 'text', text }],
        state: 'complete',
        attachments: files,
      },
      { chatId, role: 'assistant', parts: [], state: 'streaming' },
    )) as [Message, Message];
    const live = new LiveMessage({ message: answer, chats, broadcast, onSaveError: this.#onSaveError(answer.id) });
    slot.live = live;
    broadcast('chat:message', { message });
    broadcast('chat:message', { message: answer });
    const isNew = chat.title === this.#options.newTitle;
    const { signal } = slot.controller;
    const base = { services: this.#options, chat, app, settings: current, message, past, live, signal, said: [] };
    slot.settled = this.#run(slot, base, isNew).finally(() => {
      if (this.#slots.get(chatId) === slot) this.#slots.delete(chatId);
    });
    return { userMessageId: message.id, messageId: answer.id };
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
  async #run(slot: Slot, base: Omit<Turn, 'model'>, isNew: boolean): Promise<void> {
    const { chat, live, signal } = base;
    const work = this.#answer(base, isNew);
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

  async #past(chatId: string): Promise<Turn['past']> {
    const { chats } = this.#options;
    const [messages, kept, later] = await Promise.all([
      chats.listMessages(chatId),
      chats.listModelMessages(chatId),
      this.#options.toolRuns.endedLater(chatId),
    ]);
    const byId = new Map(kept.map(({ messageId, modelMessages }) => [messageId, modelMessages]));
    return messages.map((message) => ({
      message,
      modelMessages: byId.get(message.id) ?? null,
      later: later.get(message.id) ?? [],
    }));
  }

  async #withTourLog(
    model: string | null,
    { chatId, uploads, isFirst }: { chatId: string; uploads: readonly string[]; isFirst: boolean },
  ): Promise<readonly string[]> {
    const { chats, models, attachTourLog } = this.#options;
    if (!isFirst || uploads.length > 0 || (await chats.get(chatId)).mode !== 'agent') return uploads;
    const isTour = model === null ? await models.hasNone() : model === tourModel.id;
    return isTour ? [await attachTourLog(chatId)] : uploads;
  }

  async #tellChat(chatId: string): Promise<void> {
    try {
      this.#options.broadcast('chat:changed', { chat: await this.#options.chats.get(chatId) });
    } catch {
      // It was deleted meanwhile.
    }
  }
}

/**
 * What installs or runs something, now or later, steers a model, does not fit, or cannot be looked at as a whole is a
 * person's to decide.
 */
function isPlain({ dependencies, commands, problems, files, needsPerson = false }: Proposal): boolean {
  const isQuiet = files.every(({ hidden, runs }) => hidden === undefined && runs === undefined);
  return !needsPerson && isQuiet && dependencies.length + commands.length + (problems?.length ?? 0) === 0;
}

function newSlot(): Slot {
  return {
    controller: new AbortController(),
    live: undefined,
    isOver: false,
    waiting: [],
    settled: Promise.resolve(),
  };
}

function end(slot: Slot): void {
  slot.isOver = true;
  for (const resolve of slot.waiting) resolve();
}

function titleOf({ parts }: Message): string {
  const [first] = parts;
  const line = first?.type === 'text' ? (first.text.trim().split('\n')[0] ?? '') : '';
  if (line === '') return 'Attached files';
  return line.length > maxTitleChars ? `${line.slice(0, maxTitleChars - 1).trimEnd()}…` : line;
}
