import type { HostAnswer, RunRequest } from '@mustard-sandbox/client/peer';
import { Cancellation, within } from '@mustard-sandbox/protocol';
import type { JobBody, Outcome } from '../wire/messages.ts';

type Waiting = Extract<Outcome, { state: 'waiting' }>;
export type SegmentAnswers = NonNullable<JobBody['from']>['answers'];

/** How long to wait after the first answer, in ms. Others that come this soon go into the same segment. */
const gatherMs = 5;

/** The calls of a run with segments. Each is made once, here, whatever happens to workers. */
export class Conversation {
  readonly #request: RunRequest;
  readonly #over = new Cancellation();
  readonly #begun = new Set<number>();
  readonly #answered: SegmentAnswers = [];
  readonly #underWay = new Map<number, Promise<void>>();

  constructor(request: RunRequest) {
    this.#request = request;
  }

  /** Makes the new calls, and returns all answers that have arrived as soon as there is one. */
  async answers({ calls }: Waiting): Promise<SegmentAnswers> {
    for (const call of calls) {
      if (this.#begun.has(call.id)) continue;
      this.#begun.add(call.id);
      const made = this.#make(call);
      // A call that a worker may not ask for ends the run at the next wait.
      made.catch(() => {});
      this.#underWay.set(call.id, made);
    }
    const { signal } = this.#request;
    if (this.#answered.length === 0) await within(Promise.race(this.#underWay.values()), { signal });
    if (this.#underWay.size > 0) {
      const all = Promise.all(this.#underWay.values());
      const enough = new Promise<void>((resolve) => setTimeout(resolve, gatherMs));
      await within(Promise.race([all, enough]), { signal });
    }
    return this.#answered.splice(0);
  }

  /** Call this when nobody waits for calls any more. */
  end(): void {
    this.#over.cancel();
  }

  async #make({ id, name, args }: Waiting['calls'][number]): Promise<void> {
    const { hostCalls, callersContext } = this.#request;
    let answer: HostAnswer;
    try {
      answer = await callersContext.runInAsyncScope(() => hostCalls.answer({ name, args }, this.#over));
    } finally {
      this.#underWay.delete(id);
    }
    this.#answered.push({ id, ...answer });
  }
}
