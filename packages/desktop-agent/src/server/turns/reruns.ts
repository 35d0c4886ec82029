// Scripts that a person runs again. Each can be stopped, and none outlives its chat or the program.
import { randomUUID } from 'node:crypto';
import type { App } from '../../shared/contract/index.ts';
import type { TurnServices } from './turn.ts';

interface Rerun {
  chatId: string;
  stop: AbortController;
  ended: Promise<void>;
}

export class Reruns implements AsyncDisposable {
  readonly #services: TurnServices;
  readonly #underWay = new Map<string, Rerun>();

  constructor(services: TurnServices) {
    this.#services = services;
  }

  /**
   * Begins a rerun and does not wait for it, because a question may be open for minutes.
   *
   * @returns the id of the new run
   * @throws {AgentError} `not_found`
   */
  async begin(wanted: { chatId: string; app: App; runId: string }): Promise<string> {
    const runId = randomUUID();
    const stop = new AbortController();
    const begun = this.#rerun(wanted, runId, stop.signal);
    // It is registered before it begins, so that deleting the chat or ending the program stops it from the first moment.
    const ended = begun
      .then(
        ({ ended }) => ended,
        () => {}, // told to whoever asked, below
      )
      .finally(() => this.#underWay.delete(runId));
    this.#underWay.set(runId, { chatId: wanted.chatId, stop, ended });
    await begun;
    return runId;
  }

  /** Stops a rerun. One that has ended is left alone. */
  stop(chatId: string, runId: string): void {
    const rerun = this.#underWay.get(runId);
    if (rerun?.chatId === chatId) rerun.stop.abort();
  }

  /** Resolves when no rerun of the chat is left. */
  async stopAll(chatId: string): Promise<void> {
    await this.#end([...this.#underWay.values()].filter((rerun) => rerun.chatId === chatId));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end([...this.#underWay.values()]);
  }

  async #rerun(
    wanted: { chatId: string; app: App; runId: string },
    runId: string,
    signal: AbortSignal,
  ): Promise<{ ended: Promise<void> }> {
    const { rerunScript } = await import('./scripts.ts');
    return await rerunScript(this.#services, wanted, runId, signal);
  }

  async #end(reruns: readonly Rerun[]): Promise<void> {
    for (const { stop } of reruns) stop.abort();
    await Promise.all(reruns.map(({ ended }) => ended));
  }
}
