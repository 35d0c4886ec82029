import type { Answer, Calls, Outcome } from '../engine/interface.ts';
import type { HostError, Params, SandboxValue, WireValue } from '@mustard-sandbox/protocol';
import { CallRules } from './call-rules.ts';
import type { RunClock } from './run-clock.ts';
import type { RunPace } from './run-pace.ts';
import type { ThrownErrors } from './thrown-errors.ts';

export type HostAnswer = { value: WireValue } | { error: HostError };

/** The connection to the client's functions. */
export interface HostLine {
  /** Sends a call. `executionMs` is how much of its time the run has used. */
  send(name: string, args: WireValue, executionMs: number): string;
  /**
   * Waits for the first answer to one of the calls.
   *
   * @param look called from time to time; its error ends the wait
   */
  next(ids: ReadonlySet<string>, look: () => void): { id: string; answer: HostAnswer };
}

interface Around {
  params: Pick<Params<'sandbox/run'>, 'hostFunctions' | 'limits'>;
  line: HostLine;
  clock: RunClock;
  pace: RunPace;
  thrown: ThrownErrors;
  stopIfCancelled: () => void;
}

interface Begun {
  id: number;
  name: string;
}

/** Answers a script's calls of host functions. */
export type HostSide = Pick<Calls, 'begin' | 'next'> & {
  /** Makes a call that the script waits for at once. */
  call(name: string, args: SandboxValue[]): Outcome;
};

/**
 * The calls of host functions that one script makes. The script's clock stands still while the script waits for one.
 */
export class HostFunctionCalls implements HostSide {
  readonly #around: Around;
  /** Calls that were begun and have not ended, by the ids of their requests. */
  readonly #begun = new Map<string, Begun>();
  #lastBegun = 0;
  readonly #rules: CallRules;

  constructor(around: Around) {
    this.#around = around;
    this.#rules = new CallRules(around.params);
  }

  /** Makes a call that the script waits for at once. */
  call(name: string, args: SandboxValue[]): Outcome {
    this.#rules.count(name);
    const { answer } = this.#wait(new Set([this.#send(name, args)]));
    if ('error' in answer) this.#around.thrown.ofHostFunction(answer.error, name);
    return answer;
  }

  /** Begins a call that the script does not wait for yet. */
  begin(name: string, args: SandboxValue[]): { id: number } {
    this.#rules.count(name);
    this.#rules.assertRoom(this.#begun.size);
    const id = ++this.#lastBegun;
    this.#begun.set(this.#send(name, args), { id, name });
    return { id };
  }

  /** The first of the begun calls that ends. */
  next(): Answer {
    const { id: request, answer } = this.#wait(new Set(this.#begun.keys()));
    const { id, name } = this.#begun.get(request) as Begun;
    this.#begun.delete(request);
    if ('error' in answer) this.#around.thrown.ofHostFunction(answer.error, name);
    return { id, outcome: answer };
  }

  #send(name: string, args: SandboxValue[]): string {
    const wire = this.#rules.encode(name, args);
    // Whole ms are enough for the client's clock. Writing and reading a number with a fraction takes 0.4 µs each.
    return this.#around.line.send(name, wire, Math.floor(this.#around.clock.elapsedMs()));
  }

  /** @throws {SandboxError} when the run is over; this error replaces the one of the call */
  #wait(ids: ReadonlySet<string>): { id: string; answer: HostAnswer } {
    const { clock, pace, line, stopIfCancelled } = this.#around;
    clock.pause();
    try {
      return line.next(ids, stopIfCancelled);
    } finally {
      clock.resume();
      pace.hasRead();
    }
  }
}
