// An answer while it is made: what pages hear of it, and what is kept of it.
import { performance } from 'node:perf_hooks';
import type { Plan } from '../changes/index.ts';
import type { Broadcast, Message, Part, Usage, WorkPlan } from '../../shared/contract/index.ts';
import type { Chats, MessageChange } from './ports.ts';

/** As often as a screen is drawn: more events would cost a page time and show nothing. */
const tellMs = 16;
/** Ten writes a second. */
const saveMs = 100;
/** Before the last write is tried again when it failed: twice as long each time. */
const firstRetryMs = 100;
const maxRetryMs = 30_000;

type TextType = 'text' | 'reasoning';

interface Pending {
  index: number;
  type: TextType;
  offset: number;
  text: string;
}

interface LiveMessageOptions {
  message: Message;
  chats: Pick<Chats, 'updateMessage'>;
  broadcast: Broadcast;
  /** A write failed. The answer goes on: the next write has everything. */
  onSaveError: (error: unknown) => void;
}

/** The message of an answer. What it holds reaches pages and the database by itself, in order. */
export class LiveMessage {
  readonly #options: LiveMessageOptions;
  #message: Message;
  #modelMessages: unknown[] | null = null;
  /** Written once: from then on it belongs to the person who decides about it. */
  #proposed: Pick<MessageChange, 'proposal' | 'plan' | 'workPlan'> | undefined;
  #pending: Pending | undefined;
  #tellTimer: NodeJS.Timeout | undefined;
  #toldAt = -Infinity;
  #saveTimer: NodeJS.Timeout | undefined;
  #savedAt = -Infinity;
  #saving: Promise<void> = Promise.resolve();
  #isOver = false;
  #retryMs = firstRetryMs;

  constructor(options: LiveMessageOptions) {
    this.#options = options;
    this.#message = options.message;
  }

  /** As it is now. */
  get snapshot(): Message {
    this.#tell();
    return { ...this.#message, parts: [...this.#message.parts] };
  }

  get id(): string {
    return this.#message.id;
  }

  get chatId(): string {
    return this.#message.chatId;
  }

  /** Appends to the last part when that is of this type; otherwise begins one. The first text goes out at once. */
  append(type: TextType, text: string): void {
    if (this.#isOver || text === '') return;
    const { parts } = this.#message;
    const last = parts.at(-1);
    if (last?.type === type) {
      this.#grow({ index: parts.length - 1, type, offset: last.text.length, text });
      parts[parts.length - 1] = { type, text: last.text + text };
    } else {
      this.#grow({ index: parts.length, type, offset: 0, text });
      parts.push({ type, text });
    }
    this.#saveLater();
  }

  /** Appends a part that is no text. @returns its index */
  add(part: Part): number {
    const index = this.#message.parts.length;
    if (!this.#isOver) this.set(index, part);
    return index;
  }

  /** Also after the end: a script that was stopped has its record a moment later. */
  set(index: number, part: Part): void {
    this.#tell();
    this.#message.parts[index] = part;
    const { id: messageId, chatId } = this.#message;
    this.#options.broadcast('chat:response:part', { chatId, messageId, index, part });
    this.#saveLater();
  }

  /** What it wants to change. @param plan what is done when a person approves it; `null` where that cannot be done */
  setProposal(proposal: Message['proposal'], plan: Plan | null): void {
    this.#tell();
    this.#message = { ...this.#message, proposal };
    this.#proposed = { ...this.#proposed, proposal, plan };
    this.#saveLater();
    this.#options.broadcast('chat:message', { message: this.snapshot });
  }

  /** What it plans, for the person to decide about. */
  setWorkPlan(workPlan: WorkPlan): void {
    this.#tell();
    this.#message = { ...this.#message, workPlan };
    this.#proposed = { ...this.#proposed, workPlan };
    this.#saveLater();
    this.#options.broadcast('chat:message', { message: this.snapshot });
  }

  /** The part of it that a model sees in the next turn. */
  setModelMessages(messages: unknown[]): void {
    this.#modelMessages = messages;
    this.#saveLater();
  }

  get usage(): Usage | null {
    return this.#message.usage;
  }

  /** What its requests have cost. Also after the end: a request that was stopped has cost something, too. */
  setUsage(usage: Usage): void {
    this.#tell();
    this.#message = { ...this.#message, usage };
    this.#saveLater();
    if (!this.#isOver) this.#options.broadcast('chat:message', { message: this.snapshot });
  }

  /** Once: saves it as it is, then tells pages. @param error of `failed`: what, why, what to do */
  async finish(state: Exclude<Message['state'], 'streaming'>, error: string | null = null): Promise<Message> {
    this.#tell();
    this.#isOver = true;
    this.#message = { ...this.#message, state, error };
    await this.#save();
    const message = this.snapshot;
    const { chatId, broadcast } = { chatId: this.chatId, broadcast: this.#options.broadcast };
    if (state === 'failed') broadcast('chat:response:error', { chatId, message, error: error ?? '' });
    else broadcast('chat:response:end', { chatId, message });
    return message;
  }

  /** Resolves when nothing waits to be written. */
  async saved(): Promise<void> {
    if (this.#saveTimer !== undefined) await this.#save();
    await this.#saving;
  }

  #grow(more: Pending): void {
    const pending = this.#pending;
    if (pending !== undefined && pending.index === more.index) pending.text += more.text;
    else {
      this.#tell();
      this.#pending = more;
    }
    const waitMs = this.#toldAt + tellMs - performance.now();
    if (waitMs <= 0) this.#tell();
    else this.#tellTimer ??= setTimeout(() => this.#tell(), waitMs);
  }

  #tell(): void {
    clearTimeout(this.#tellTimer);
    this.#tellTimer = undefined;
    if (this.#pending === undefined) return;
    const { id: messageId, chatId } = this.#message;
    const pending = this.#pending;
    this.#pending = undefined;
    this.#toldAt = performance.now();
    this.#options.broadcast('chat:response:chunk', { chatId, messageId, ...pending });
  }

  #saveLater(): void {
    const waitMs = Math.max(0, this.#savedAt + saveMs - performance.now());
    this.#saveTimer ??= setTimeout(() => void this.#save(), waitMs);
  }

  /** After the end there is no next write that would have everything. */
  #retryLater(): void {
    this.#saveTimer ??= setTimeout(() => void this.#save(), this.#retryMs).unref();
    this.#retryMs = Math.min(2 * this.#retryMs, maxRetryMs);
  }

  /** One write after the other, each with all there is by then. */
  async #save(): Promise<void> {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    this.#savedAt = performance.now();
    const write = async (): Promise<void> => {
      const { id, parts, state, error, usage } = this.#message;
      const proposed = this.#proposed;
      const change: MessageChange = { parts, state, error, usage, ...proposed };
      if (this.#modelMessages !== null) change.modelMessages = this.#modelMessages;
      try {
        await this.#options.chats.updateMessage(id, change);
        if (this.#proposed === proposed) this.#proposed = undefined;
      } catch (error) {
        this.#options.onSaveError(error);
        if (this.#isOver) this.#retryLater();
      } finally {
        this.#savedAt = performance.now();
      }
    };
    this.#saving = this.#saving.then(write);
    await this.#saving;
  }
}
