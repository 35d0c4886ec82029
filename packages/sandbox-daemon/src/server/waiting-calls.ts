import {
  SandboxError,
  type Limits,
  type PendingCall,
  type SegmentAnswer,
  type SandboxValue,
} from '@mustard-sandbox/protocol';
import type { Answer, CallLocation, Outcome } from '../engine/interface.ts';
import { CallRules } from './call-rules.ts';
import type { HostSide } from './host-function-calls.ts';
import type { ThrownErrors } from './thrown-errors.ts';

/** What a run in segments knows of its calls, as plain data. */
export interface KeptCalls {
  lastId: number;
  made: number;
  pending: PendingCall[];
}

const none: KeptCalls = { lastId: 0, made: 0, pending: [] };

/** The calls of a run in segments. They go to the host when the segment ends, and are answered in the next one. */
export class WaitingCalls implements HostSide {
  readonly #pending: Map<number, PendingCall>;
  readonly #rules: CallRules;
  readonly #thrown: ThrownErrors;
  #lastId: number;

  constructor(
    params: { hostFunctions: readonly string[]; limits: Limits },
    thrown: ThrownErrors,
    { lastId, made, pending }: KeptCalls = none,
  ) {
    this.#pending = new Map(pending.map((call) => [call.id, call]));
    this.#rules = new CallRules(params, made);
    this.#thrown = thrown;
    this.#lastId = lastId;
  }

  call(name: string): Outcome {
    throw new SandboxError(
      'cannot_freeze',
      `The script calls ${name}() without await, so it cannot wait there. Write await ${name}(…), ` +
        'in an async function if the call is inside another function.',
      { details: { capability: name } },
    );
  }

  begin(name: string, args: SandboxValue[], place: () => CallLocation | undefined): { id: number } {
    this.#rules.count(name);
    this.#rules.assertRoom(this.#pending.size);
    const call = { name, args: this.#rules.encode(name, args), ...place() };
    const id = ++this.#lastId;
    this.#pending.set(id, { id, ...call });
    return { id };
  }

  next(): Answer {
    throw new Error('A run in segments waits between them.');
  }

  /**
   * Takes the answers with which a segment begins.
   *
   * @throws {SandboxError} `invalid_request` for a call that is not pending
   */
  take(answers: readonly SegmentAnswer[]): Answer[] {
    return answers.map(({ id, ...outcome }) => {
      const call = this.#pending.get(id);
      if (call === undefined) {
        throw new SandboxError(
          'invalid_request',
          `The script does not wait for call ${id}, or the call is answered twice.`,
        );
      }
      this.#pending.delete(id);
      if ('error' in outcome) this.#thrown.ofHostFunction(outcome.error, call.name);
      return { id, outcome };
    });
  }

  get pending(): PendingCall[] {
    return [...this.#pending.values()];
  }

  keep(): KeptCalls {
    return { lastId: this.#lastId, made: this.#rules.made, pending: this.pending };
  }
}
