import { randomUUID } from 'node:crypto';
import type { Before } from './changes/writing.ts';
import type { App, Broadcast } from '../shared/contract/index.ts';

/** What a person should know of a change of an app. */
export class Notices {
  readonly #broadcast: Broadcast;
  readonly #said = new Set<string>();

  constructor(broadcast: Broadcast) {
    this.#broadcast = broadcast;
  }

  /** What is the same at each change, such as a file that is left alone, is said once. */
  tell({ id, name }: App, notes: readonly string[]): void {
    const unsaid = notes.filter((note) => !this.#said.has(`${id} ${note}`));
    for (const note of unsaid) this.#said.add(`${id} ${note}`);
    this.#send(name, unsaid);
  }

  /** What was done before a change by hand: that the person's own changes are in a commit is said each time. */
  tellBefore(app: App, { personCommit, notes }: Before): void {
    this.tell(app, notes);
    if (personCommit !== null)
      this.#send(app.name, ['What you had changed was committed before, by itself: "Changes made by hand".']);
  }

  /** What could not be done, though nobody waits for it. */
  fail(text: string): void {
    this.#broadcast('notice', { id: randomUUID(), text, kind: 'error' });
  }

  #send(name: string, texts: readonly string[]): void {
    if (texts.length === 0) return;
    this.#broadcast('notice', { id: randomUUID(), text: [`${name}:`, ...texts].join('\n'), kind: 'info' });
  }
}
