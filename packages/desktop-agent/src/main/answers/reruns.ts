// Scripts that a person runs again: each can be stopped, and none outlives its chat or the program.
import { randomUUID } from 'node:crypto';
import type { App } from '../../contract/index.ts';
import type { AnswerServices } from './turn.ts';

interface Rerun {
  chatId: string;
  stop: AbortController;
  ended: Promise<void>;
}

export class Reruns implements AsyncDisposable {
  readonly #services: AnswerServices;
  readonly #underWay = new Map<string, Rerun>();

  constructor(services: AnswerServices) {
    this.#services = services;
  }

  /** Begins, and does not wait: a question may be open for minutes. @throws {AgentError} `not_found` */
  async begin(place: { chatId: string; app: App; runId: string }): Promise<void> {
    const runId = randomUUID();
    const stop = new AbortController();
    const begun = this.#rerun(place, runId, stop.signal);
    // Known from its first moment: a chat that is deleted, or a program that ends, while it begins stops it too.
    const ended = begun
      .then(
        ({ ended }) =>
          ended.catch((error: unknown) => this.#services.onError('a script could not be run again', error)),
        () => {}, // told to whoever asked, below
      )
      .finally(() => this.#underWay.delete(runId));
    this.#underWay.set(runId, { chatId: place.chatId, stop, ended });
    await begun;
  }

  /** Stops a rerun. One that has ended is left alone. */
  stop(chatId: string, runId: string): void {
    const rerun = this.#underWay.get(runId);
    if (rerun?.chatId === chatId) rerun.stop.abort();
  }

  /** Resolves when nothing of the chat runs any more. */
  async stopAll(chatId: string): Promise<void> {
    await this.#end([...this.#underWay.values()].filter((rerun) => rerun.chatId === chatId));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end([...this.#underWay.values()]);
  }

  async #rerun(
    place: { chatId: string; app: App; runId: string },
    runId: string,
    signal: AbortSignal,
  ): Promise<{ ended: Promise<void> }> {
    const { rerunScript } = await import('./scripts.ts');
    return await rerunScript(this.#services, place, runId, signal);
  }

  async #end(reruns: readonly Rerun[]): Promise<void> {
    for (const { stop } of reruns) stop.abort();
    await Promise.all(reruns.map(({ ended }) => ended));
  }
}
