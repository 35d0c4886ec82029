import { randomUUID } from 'node:crypto';
import type { Before } from './changes/writing.ts';
import type { App, Broadcast } from '../shared/contract/index.ts';

/** Tells a person about changes of an app. */
export class Notices {
  readonly #broadcast: Broadcast;
  readonly #said = new Set<string>();

  constructor(broadcast: Broadcast) {
    this.#broadcast = broadcast;
  }

  /** Tells each note once, because some are the same at each change, such as that a file is left alone. */
  tell({ id, name }: App, notes: readonly string[]): void {
    const unsaid = notes.filter((note) => !this.#said.has(`${id} ${note}`));
    for (const note of unsaid) this.#said.add(`${id} ${note}`);
    this.#send(name, unsaid);
  }

  /** Tells what was done before a change by hand. It tells each time that the person's own changes are in a commit. */
  tellBefore(app: App, { personCommit, notes }: Before): void {
    this.tell(app, notes);
    if (personCommit !== null)
      this.#send(app.name, [
        'What you had changed was committed before, as a commit of its own: "Changes made by hand".',
      ]);
  }

  /** Tells that something failed for which no request waits. */
  fail(text: string): void {
    this.#broadcast('notice', { id: randomUUID(), text, kind: 'error' });
  }

  #send(name: string, texts: readonly string[]): void {
    if (texts.length === 0) return;
    this.#broadcast('notice', { id: randomUUID(), text: [`${name}:`, ...texts].join('\n'), kind: 'info' });
  }
}
