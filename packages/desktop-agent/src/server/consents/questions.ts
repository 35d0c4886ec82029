// The questions to a person. A question is open in every window, and the first answer counts.
import { randomUUID } from 'node:crypto';
import { AgentError, type Answer, type Broadcast, type Question } from '../../shared/contract/index.ts';

type Unasked = Question extends infer One ? (One extends Question ? Omit<One, 'id' | 'where'> : never) : never;

/** The chat or the app that asks. */
export type Asker = { chatId: string } | { appId: string };

interface Open {
  question: Question;
  settle: (answer: Answer) => void;
}

const answersTo: Record<Question['kind'], readonly Answer[]> = {
  script: ['allow-once', 'allow-always', 'deny'],
  command: ['allow-once', 'allow-always', 'deny'],
  'dev-script': ['allow-once', 'allow-always', 'deny'],
  write: ['allow-once', 'allow-always', 'deny'],
  request: ['allow-once', 'allow-always', 'deny'],
  size: ['attach', 'truncate', 'cancel'],
};

/** How long a person may take, in ms. They may be away for a while, but a question from yesterday is meaningless. */
export const questionTimeoutMs = 3_600_000;

export class Questions {
  readonly #open = new Map<string, Open>();
  readonly #broadcast: Broadcast;
  readonly #whereIs: (asker: Asker) => Promise<Question['where']>;

  /** @param whereIs finds the names of the app and the chat that ask, so that the person knows what the question is about */
  constructor(broadcast: Broadcast, whereIs: (asker: Asker) => Promise<Question['where']>) {
    this.#broadcast = broadcast;
    this.#whereIs = whereIs;
  }

  /** The open questions, the oldest first. */
  list(): Question[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  /**
   * Asks in every window, and waits for the first answer.
   *
   * @param signal closes the question, and the promise rejects with its reason
   * @throws {AgentError} `cancelled` after an hour
   */
  async ask(unasked: Unasked, signal: AbortSignal): Promise<Answer> {
    const where = await this.#whereIs(unasked);
    signal.throwIfAborted();
    const question: Question = { ...unasked, id: randomUUID(), where };
    const { promise, resolve, reject } = withResolvers<Answer>();
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const late = (): void => reject(new AgentError('cancelled', 'Nobody answered the question for an hour.'));
    const timer = setTimeout(late, questionTimeoutMs);
    this.#open.set(question.id, { question, settle: resolve });
    this.#broadcast('question:asked', { question });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      this.#open.delete(question.id);
      this.#broadcast('question:closed', { id: question.id });
    }
  }

  /** Asks whether so much text shall go into a message. */
  async askSize(chatId: string, summary: unknown, signal: AbortSignal): Promise<'attach' | 'truncate' | 'cancel'> {
    const answer = await this.ask({ kind: 'size', chatId, summary }, signal);
    return answer === 'attach' || answer === 'truncate' ? answer : 'cancel';
  }

  /** @throws {AgentError} `changed` when the question is no longer open; `invalid_request` for an answer of another kind */
  answer(id: string, answer: Answer): void {
    const open = this.#open.get(id);
    if (open === undefined) {
      throw new AgentError('changed', 'This question is closed: it was answered, or what it was about has ended.');
    }
    const { kind } = open.question;
    if (!answersTo[kind].includes(answer)) {
      throw new AgentError('invalid_request', `"${answer}" is not an answer to a question about a ${kind}.`);
    }
    this.#open.delete(id);
    open.settle(answer);
  }
}

/** `Promise.withResolvers` comes with Node 22. */
function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (reason: unknown) => void } {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
