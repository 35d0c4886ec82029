import type { Outcome, Step } from '../engine/engine.ts';
import { BusyPolling } from '../protocol/busy-polling.ts';
import { SandboxError } from '../protocol/errors.ts';
import { limitAdvice, limitTable, maxValueBytes } from '../protocol/limits.ts';
import type { HostError, Params } from '../protocol/methods.ts';
import { encodeLeaving, type SandboxValue, type WireValue } from '../protocol/values.ts';
import type { RunClock } from './run-clock.ts';
import type { RunPace } from './run-pace.ts';
import type { ThrownErrors } from './thrown-errors.ts';
import { assertFits } from './value-size.ts';

export type HostAnswer = { value: WireValue } | { error: HostError };

/** One request from the sidecar to the client. `executionMs`: what the run has used of its time. */
export type CallHost = (name: string, args: WireValue, executionMs: number) => Promise<HostAnswer>;

/** How a call that was begun has ended. */
type Ended = { id: number; name: string } & ({ given: HostAnswer } | { error: unknown });

/** Polls for the answers of host functions. Most come at once or after a long time. */
const polling = new BusyPolling();

interface Around {
  params: Pick<Params<'sandbox/run'>, 'hostFunctions' | 'limits'>;
  callHost: CallHost;
  clock: RunClock;
  pace: RunPace;
  thrown: ThrownErrors;
}

/** The calls of host functions that one script makes. The script's clock stands still while the script waits for one. */
export class HostFunctionCalls {
  readonly #around: Around;
  /** Calls that were begun and have not ended, by their ids. */
  readonly #begun = new Map<number, Promise<Ended>>();
  #lastBegun = 0;
  #count = 0;

  constructor(around: Around) {
    this.#around = around;
  }

  /** A call that the script waits for. */
  async call({ capability: name, args, size }: Step & { type: 'suspended' }): Promise<Outcome> {
    this.#countCall(name);
    const wire = toWire(name, args, size);
    this.#beginWaiting();
    try {
      const answer = await this.#send(name, wire);
      if ('error' in answer) this.#around.thrown.ofHostFunction(answer.error, name);
      return answer;
    } finally {
      this.#endWaiting();
    }
  }

  /** A call that the script does not wait for yet; the answer is its id. */
  begin([name, args]: SandboxValue[]): Outcome {
    const { hostFunctions, limits } = this.#around.params;
    if (typeof name !== 'string' || !hostFunctions.includes(name))
      throw new SandboxError('invalid_request', 'no such function');
    this.#countCall(name);
    const value = limits.outstandingHostCalls;
    if (this.#begun.size >= value) {
      throw new SandboxError(
        'limit_exceeded',
        `More than ${value} calls of host functions are under way. ${limitAdvice('outstandingHostCalls')}`,
        { details: { limit: limitTable.outstandingHostCalls.name, value, unit: 'calls' } },
      );
    }
    const wire = toWire(name, Array.isArray(args) ? args : [], Infinity);
    const id = ++this.#lastBegun;
    const ended = this.#send(name, wire).then(
      (given) => ({ id, name, given }),
      (error: unknown) => ({ id, name, error }),
    );
    this.#begun.set(id, ended);
    return { value: { json: id } };
  }

  /** The first begun call to end. */
  async next(): Promise<Outcome> {
    this.#beginWaiting();
    try {
      const ended = await Promise.race(this.#begun.values());
      this.#begun.delete(ended.id);
      if ('error' in ended) throw ended.error;
      return this.#answerOf(ended.id, ended.name, ended.given);
    } finally {
      this.#endWaiting();
    }
  }

  /** What the script gets of a begun call: its id, with the value or the error. */
  #answerOf(id: number, capability: string, given: HostAnswer): Outcome {
    if ('error' in given) {
      const { name, message, code } = given.error;
      this.#around.thrown.ofHostFunction(given.error, capability);
      return { value: { json: { id, error: { name, message, ...(code !== undefined && { code }) } } } };
    }
    if ('json' in given.value) return { value: { json: { id, value: given.value.json } } };
    return { value: { tagged: { id, value: given.value.tagged } } };
  }

  #send(name: string, wire: WireValue): Promise<HostAnswer> {
    // Whole ms are enough for the client's clock; to write and to read a number with a fraction takes 0.4 µs each.
    return this.#around.callHost(name, wire, Math.floor(this.#around.clock.elapsedMs()));
  }

  #beginWaiting(): void {
    this.#around.clock.pause();
    polling.start();
  }

  /** @throws {SandboxError} when the run is over; this error replaces the one of the call */
  #endWaiting(): void {
    polling.stop();
    this.#around.clock.resume();
    this.#around.pace.turned();
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

/** @param size a known upper bound of their size */
function toWire(name: string, args: SandboxValue[], size: number): WireValue {
  const wire = encodeLeaving(args, `The arguments of ${name}()`);
  assertFits(`The arguments of ${name}() are`, 'argument_bytes', maxValueBytes, size, wire);
  return wire;
}
