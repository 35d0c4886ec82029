import { createInterface, type Interface } from 'node:readline';

export type LineEvent = { type: 'line'; text: string } | { type: 'interrupt' } | { type: 'end' };

export interface LineOptions {
  /** Whether there is a terminal, with prompts, editing and history. */
  onTerminal: boolean;
  /** The oldest comes first. */
  history: readonly string[];
  historySize: number;
  complete: (line: string) => [string[], string];
  /** Called at Ctrl-C in a terminal. Returns `true` when it has handled the key. */
  onInterrupt: () => boolean;
}

/** Typed or piped lines, as events. They wait until they are asked for. */
export class Lines implements Disposable {
  readonly #interface: Interface;
  readonly #events: LineEvent[] = [];
  #wake: () => void = () => {};

  constructor({ onTerminal, history, historySize, complete, onInterrupt }: LineOptions) {
    this.#interface = createInterface({
      input: process.stdin,
      ...(onTerminal && { output: process.stdout, history: history.toReversed(), historySize, completer: complete }),
      terminal: onTerminal,
      removeHistoryDuplicates: true,
      crlfDelay: Infinity,
    });
    this.#interface.on('line', (text) => this.#add({ type: 'line', text }));
    this.#interface.on('close', () => this.end());
    this.#interface.on('SIGINT', () => {
      if (!onInterrupt()) this.#add({ type: 'interrupt' });
    });
  }

  /** The text of the line that is being typed. */
  get typed(): string {
    return this.#interface.line;
  }

  prompt(text: string): void {
    this.#interface.setPrompt(text);
    // Lines that were typed while nobody asked are kept.
    this.#interface.prompt(true);
  }

  /** Drops the line that is being typed, and the events that wait. */
  clear(): void {
    this.#events.length = 0;
    this.#interface.write(null, { ctrl: true, name: 'e' });
    this.#interface.write(null, { ctrl: true, name: 'u' });
  }

  async next(): Promise<LineEvent> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) return event;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  end(): void {
    this.#add({ type: 'end' });
  }

  [Symbol.dispose](): void {
    this.#interface.close();
  }

  #add(event: LineEvent): void {
    this.#events.push(event);
    this.#wake();
  }
}
