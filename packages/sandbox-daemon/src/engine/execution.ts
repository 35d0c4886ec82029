import type { Warning } from '../lowering/index.ts';
import { messageOf, SandboxError } from '../protocol/errors.ts';
import type { Limits } from '../protocol/limits.ts';
import type { SandboxValue, WireValue } from '../protocol/values.ts';
import type { Binding } from './binding.ts';
import { decodeForWire, decodeValue, encodeInputs, encodeOutcome, type EngineValue, type Outcome } from './codec.ts';
import { runtimeError, type Script } from './diagnostics.ts';

/** A script that is ready to run. */
export interface Program extends Script {
  handle: string;
  warnings: Warning[];
  /** The names that it was compiled for: with other names the same source may mean another program. */
  capabilities: readonly string[];
  /** That of the last run. Making one costs a tenth of a small run, and a host seldom changes its limits. */
  context?: { limits: Limits; handle: string };
}

/** Where a run stands after the engine returned control. `instructions` counts from its start. */
export type Step =
  | {
      type: 'completed';
      value: WireValue;
      /** Upper bound of the value's JSON, in bytes. */ size: number;
      instructions: number;
    }
  | {
      type: 'suspended';
      capability: string;
      args: SandboxValue[];
      /** Upper bound of the arguments' JSON, in bytes. */ size: number;
      instructions: number;
    };

/** Bytes of UTF-8 for one UTF-16 unit, at most. The engine's own encoding of a value is longer than ours. */
const bytesPerUnit = 3;

interface NativeStep {
  type: 'completed' | 'suspended';
  value: EngineValue;
  capability: string;
  args: EngineValue[];
  snapshot_handle: string;
  metrics: { dynamic_instructions: number };
}

/** One run of one program. Dispose it on every path: it owns native handles. */
export class Execution implements Disposable {
  /** Cancels the run from any thread of the process through `cancelCancellationToken`. */
  readonly cancelToken: string;
  /** Instructions up to the last time the engine returned; the engine reports none for a failed step. */
  instructions = 0;
  readonly #native: Binding;
  readonly #program: Program;
  readonly #limits: Limits;
  readonly #context: string;
  #snapshot: string | undefined;

  /** @param context stays the caller's */
  constructor(native: Binding, program: Program, context: string, limits: Limits) {
    this.#native = native;
    this.#program = program;
    this.#context = context;
    this.#limits = limits;
    this.cancelToken = native.createCancellationToken();
  }

  /** Where the program may differ from what the script means in JavaScript. */
  get warnings(): readonly Warning[] {
    return this.#program.warnings;
  }

  /** @throws {SandboxError} what the script did wrong */
  start(inputs: WireValue | undefined): Step {
    const { handle } = this.#program;
    const payload = payloadOf(inputs);
    return this.#step(() =>
      this.#native.startProgramWithExecutionContextHandleBuffer(handle, this.#context, payload, this.cancelToken),
    );
  }

  /** Answers the capability call that the last step suspended on. */
  resume(outcome: Outcome): Step {
    const snapshot = this.#snapshot as string;
    const payload = encodeOutcome(outcome);
    try {
      return this.#step(() => this.#native.resumeSnapshotHandleBuffer(snapshot, payload, this.cancelToken));
    } finally {
      this.#native.releaseSnapshotHandle(snapshot);
    }
  }

  [Symbol.dispose](): void {
    if (this.#snapshot !== undefined) this.#native.releaseSnapshotHandle(this.#snapshot);
    this.#native.releaseCancellationToken(this.cancelToken);
  }

  #step(call: () => string): Step {
    this.#snapshot = undefined;
    let json: string;
    try {
      json = call();
    } catch (error) {
      throw runtimeError(error, this.#program, this.#limits);
    }
    const step = readStep(json);
    this.instructions = step.metrics.dynamic_instructions;
    if (step.type === 'completed') {
      return {
        type: 'completed',
        value: decodeForWire(step.value),
        size: bytesPerUnit * json.length,
        instructions: this.instructions,
      };
    }
    this.#snapshot = step.snapshot_handle;
    return {
      type: 'suspended',
      capability: step.capability,
      args: step.args.map(decodeValue),
      size: bytesPerUnit * json.length,
      instructions: this.instructions,
    };
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
