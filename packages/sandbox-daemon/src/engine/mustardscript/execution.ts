import type { Completed, Calls, EngineRun, Outcome, Setup } from '../interface.ts';
import { messageOf, SandboxError } from '../../protocol/errors.ts';
import type { RunWarning } from '../../protocol/methods.ts';
import type { WireValue } from '../../protocol/values.ts';
import type { Program } from '../read/read.ts';
import { capabilityAnswer } from './answers.ts';
import type { Binding } from './binding.ts';
import { decodeForWire, decodeValue, encodeInputs, encodeOutcome, type EngineValue } from './codec.ts';
import { runtimeError } from './diagnostics.ts';

/** A program that the engine has compiled. */
export interface Compiled {
  program: Program;
  handle: string;
  warnings: readonly RunWarning[];
}

/** Bytes of UTF-8 for one UTF-16 unit, at most. The engine's own encoding of a value is longer than ours. */
const bytesPerUnit = 3;

/** Where a run stands after the engine returned control. */
type NativeStep =
  | { type: 'completed'; value: EngineValue; metrics: Metrics }
  | { type: 'suspended'; capability: string; args: EngineValue[]; snapshot_handle: string; metrics: Metrics };

interface Metrics {
  dynamic_instructions: number;
}

/** One run: it steps the engine, which stops at each call of a capability. */
export class Execution implements EngineRun {
  /** Cancels the run from any thread of the process through `cancelCancellationToken`. */
  readonly cancelToken: string;
  /** Up to the last time the engine returned; it reports none for a failed step. */
  instructions = 0;
  readonly #native: Binding;
  readonly #compiled: Compiled;
  readonly #setup: Setup;
  readonly #context: string;
  #snapshot: string | undefined;

  /** @param context stays the caller's */
  constructor(native: Binding, compiled: Compiled, context: string, setup: Setup) {
    this.#native = native;
    this.#compiled = compiled;
    this.#context = context;
    this.#setup = setup;
    this.cancelToken = native.createCancellationToken();
  }

  get warnings(): readonly RunWarning[] {
    return this.#compiled.warnings;
  }

  finish(calls: Calls): Completed {
    calls.look();
    const answer = capabilityAnswer(calls, this.#setup);
    const payload = payloadOf(this.#setup.inputs);
    let json = this.#step(() =>
      this.#native.startProgramWithExecutionContextHandleBuffer(
        this.#compiled.handle,
        this.#context,
        payload,
        this.cancelToken,
      ),
    );
    for (;;) {
      const step = readStep(json);
      this.instructions = step.metrics.dynamic_instructions;
      if (step.type === 'completed') return { value: decodeForWire(step.value), size: bytesPerUnit * json.length };
      this.#snapshot = step.snapshot_handle;
      const outcome = answer(step.capability, step.args.map(decodeValue));
      json = this.#resume(outcome, 'error' in outcome ? step.capability : undefined);
    }
  }

  [Symbol.dispose](): void {
    if (this.#snapshot !== undefined) this.#native.releaseSnapshotHandle(this.#snapshot);
    this.#native.releaseCancellationToken(this.cancelToken);
  }

  #resume(outcome: Outcome, failed: string | undefined): string {
    const snapshot = this.#snapshot as string;
    const payload = encodeOutcome(outcome);
    this.#snapshot = undefined;
    try {
      return this.#step(() => this.#native.resumeSnapshotHandleBuffer(snapshot, payload, this.cancelToken), failed);
    } finally {
      this.#native.releaseSnapshotHandle(snapshot);
    }
  }

  #step(call: () => string, failed?: string): string {
    try {
      return call();
    } catch (error) {
      throw runtimeError(error, this.#compiled.program, this.#setup.limits, failed);
    }
  }
}

const metricsStart = ',"metrics":{';
const instructionsField = '"dynamic_instructions":';
/** The engine's metrics are at least this long: all their names, and a digit for each. */
const leastMetrics = 1_300;
const zero = 0x30;

/** The engine writes some 1,350 characters of metrics after each step, and one number of them is used. */
function readStep(json: string): NativeStep {
  // In a string its quotation marks would be escaped, so this finds the field itself. Searching from the end on would
  // take as long as parsing all of it.
  const at = json.lastIndexOf(metricsStart, json.length - leastMetrics);
  const field = at === -1 ? -1 : json.indexOf(instructionsField, at);
  if (field === -1) return JSON.parse(json) as NativeStep;
  const step = JSON.parse(`${json.slice(0, at)}}`) as NativeStep;
  step.metrics = { dynamic_instructions: numberAt(json, field + instructionsField.length) };
  return step;
}

/** The whole number that begins there. */
function numberAt(text: string, at: number): number {
  let number = 0;
  for (let digit = text.charCodeAt(at) - zero; digit >= 0 && digit <= 9; digit = text.charCodeAt(++at) - zero) {
    number = 10 * number + digit;
  }
  return number;
}

/** @throws {SandboxError} `invalid_request` */
function payloadOf(inputs: WireValue | undefined): Buffer {
  try {
    return encodeInputs(inputs);
  } catch (error) {
    throw new SandboxError('invalid_request', `inputs: ${messageOf(error)}`);
  }
}
