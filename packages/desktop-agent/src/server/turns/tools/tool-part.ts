import { randomUUID } from 'node:crypto';
import type { Part } from '../../../shared/contract/index.ts';
import type { LiveMessage } from '../live-message.ts';

type ToolPart = Extract<Part, { type: 'tool' }>;

/** The most characters of a call that a person sees. The model gets all of it. */
const maxDetail = 4_000;
const maxTitle = 300;

/** The line of a call in the message, while it runs and after it. */
export class ToolLine {
  readonly #live: LiveMessage;
  readonly #index: number;
  #part: ToolPart;

  constructor(live: LiveMessage, name: string, title: string) {
    this.#live = live;
    this.#part = {
      type: 'tool',
      callId: randomUUID(),
      name,
      title: cut(title, maxTitle),
      state: 'running',
      detail: '',
    };
    this.#index = live.add(this.#part);
  }

  change(change: Partial<Pick<ToolPart, 'state' | 'detail' | 'title'>>): void {
    const next = { ...this.#part, ...change };
    next.title = cut(next.title, maxTitle);
    next.detail = cut(next.detail, maxDetail);
    if (next.state === this.#part.state && next.detail === this.#part.detail && next.title === this.#part.title) return;
    this.#part = next;
    this.#live.set(this.#index, next);
  }

  /** A call that a person stopped is not shown as failed, because the answer itself says that it was stopped. */
  fail(detail: string, signal: AbortSignal): void {
    this.change(signal.aborted ? { state: 'stopped' } : { state: 'failed', detail });
  }
}

function cut(text: string, chars: number): string {
  return text.length > chars ? `${text.slice(0, chars)}…` : text;
}
