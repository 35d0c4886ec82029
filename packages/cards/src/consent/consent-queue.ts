import type { ConsentAnswer, ConsentRequest } from '@mustard-sandbox/agent-tool';

/** One question that waits for a person. */
export interface PendingConsent {
  /** The id, new for each question. */
  id: string;
  request: ConsentRequest;
  /** What asks, if there may be several: a project, a chat. */
  asker?: string;
}

/** The waiting questions, the oldest first. The functions do not use `this`. */
export interface ConsentQueue {
  /**
   * A `consent` function for the tool. It resolves with the person's answer. An abort of the signal removes the
   * question, and the answer is `deny`.
   */
  readonly ask: (
    request: ConsentRequest,
    context: { signal: AbortSignal; asker?: string | undefined },
  ) => Promise<ConsentAnswer>;
  /** Answers one request. Does nothing if it is no longer in the queue. */
  readonly answer: (id: string, answer: ConsentAnswer) => void;
  /** For `useSyncExternalStore`. */
  readonly subscribe: (onChange: () => void) => () => void;
  readonly getSnapshot: () => readonly PendingConsent[];
}

/** Keeps the questions of any number of tools in one queue, so that a person is asked one at a time. */
export function createConsentQueue(): ConsentQueue {
  const answers = new Map<string, (answer: ConsentAnswer) => void>();
  const listeners = new Set<() => void>();
  let pending: readonly PendingConsent[] = [];
  let count = 0;

  const set = (next: readonly PendingConsent[]): void => {
    pending = next;
    for (const listener of listeners) listener();
  };
  const answer = (id: string, given: ConsentAnswer): void => {
    const resolve = answers.get(id);
    if (resolve === undefined) return;
    answers.delete(id);
    set(pending.filter((one) => one.id !== id));
    resolve(given);
  };
  return {
    answer,
    ask: (request, { signal, asker }) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve('deny');
        const id = `consent-${++count}`;
        answers.set(id, resolve);
        signal.addEventListener('abort', () => answer(id, 'deny'), { once: true });
        set([...pending, { id, request, ...(asker !== undefined && { asker }) }]);
      }),
    subscribe(onChange) {
      listeners.add(onChange);
      return () => void listeners.delete(onChange);
    },
    getSnapshot: () => pending,
  };
}
