import type { Outcome } from '../engine/interface.ts';
import { SandboxError } from '../protocol/errors.ts';
import { limitAdvice, limitTable, maxValueBytes } from '../protocol/limits.ts';
import type { HostError, Params } from '../protocol/methods.ts';
import { encodeLeaving, type SandboxValue, type WireValue } from '../protocol/values.ts';
import type { RunClock } from './run-clock.ts';
import type { RunPace } from './run-pace.ts';
import type { ThrownErrors } from './thrown-errors.ts';
import { tooLong } from './value-size.ts';

export type HostAnswer = { value: WireValue } | { error: HostError };

/** The way to the client's functions. */
export interface HostLine {
  /** Sends a call. `executionMs`: what the run has used of its time. */
  send(name: string, args: WireValue, executionMs: number): string;
  /**
   * Waits for the first answer to one of the calls.
   *
   * @param look called now and then; what it throws ends the wait
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

/** The calls of host functions that one script makes. The script's clock stands still while the script waits for one. */
export class HostFunctionCalls {
  readonly #around: Around;
  /** Calls that were begun and have not ended, by the ids of their requests. */
  readonly #begun = new Map<string, Begun>();
  #lastBegun = 0;
  #count = 0;

  constructor(around: Around) {
    this.#around = around;
  }

  /** A call that the script waits for. */
  call(name: string, args: SandboxValue[]): Outcome {
    this.#countCall(name);
    const { answer } = this.#wait(new Set([this.#send(name, args)]));
    if ('error' in answer) this.#around.thrown.ofHostFunction(answer.error, name);
    return answer;
  }

  /** A call that the script does not wait for yet. */
  begin(name: string, args: SandboxValue[]): { id: number } {
    this.#countCall(name);
    const value = this.#around.params.limits.outstandingHostCalls;
    if (this.#begun.size >= value) {
      throw new SandboxError(
        'limit_exceeded',
        `More than ${value} calls of host functions are under way. ${limitAdvice('outstandingHostCalls')}`,
        { details: { limit: limitTable.outstandingHostCalls.name, value, unit: 'calls' } },
      );
    }
    const id = ++this.#lastBegun;
    this.#begun.set(this.#send(name, args), { id, name });
    return { id };
  }

  /** The first begun call to end. */
  next(): { id: number; outcome: Outcome } {
    const { id: request, answer } = this.#wait(new Set(this.#begun.keys()));
    const { id, name } = this.#begun.get(request) as Begun;
    this.#begun.delete(request);
    if ('error' in answer) this.#around.thrown.ofHostFunction(answer.error, name);
    return { id, outcome: answer };
  }

  #send(name: string, args: SandboxValue[]): string {
    const { hostFunctions } = this.#around.params;
    if (!hostFunctions.includes(name)) throw new SandboxError('invalid_request', `There is no function ${name}().`);
    const wire = encodeLeaving(args, `The arguments of ${name}()`, (bytes) =>
      tooLong(`The arguments of ${name}() are`, 'argument_bytes', maxValueBytes, bytes),
    );
    // Whole ms are enough for the client's clock; to write and to read a number with a fraction takes 0.4 µs each.
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

  /** @throws {SandboxError} `limit_exceeded` */
  #countCall(name: string): void {
    const { hostCalls } = this.#around.params.limits;
    if (++this.#count <= hostCalls) return;
    throw new SandboxError(
      'limit_exceeded',
      `${name}(): the script called host functions ${hostCalls} times already (host_calls). ${limitAdvice('hostCalls')}`,
      { details: { capability: name, limit: limitTable.hostCalls.name, value: hostCalls, unit: 'calls' } },
    );
  }
}
