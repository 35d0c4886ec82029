import {
  messageOf,
  SandboxError,
  withoutPaths,
  type RunWarning,
  type SandboxValue,
  type WireValue,
} from '@mustard-sandbox/protocol';
import { callsOf } from '../call-location.ts';
import type { Answer, CallLocation, Calls, Completed, EngineRun, Frozen, Outcome, Setup } from '../interface.ts';
import type { Program } from '../read/program.ts';
import { Answers } from './answers.ts';
import type { Binding } from './binding.ts';
import { decodeForWire, decodeValue, encodeInputs, encodeOutcome, type EngineValue } from './codec.ts';
import { runtimeError } from './diagnostics.ts';
import { policyOf } from './policy.ts';

/** A program that the engine has compiled. */
export interface Compiled {
  program: Program;
  handle: string;
  warnings: readonly RunWarning[];
}

/** The most bytes of UTF-8 for one UTF-16 unit. The engine's own encoding of a value is longer than ours. */
const bytesPerUnit = 3;

/** Where a run stands after the engine returned control. */
type NativeStep =
  | { type: 'completed'; value: EngineValue; metrics: Metrics }
  | { type: 'suspended'; capability: string; args: EngineValue[]; snapshot_handle: string; metrics: Metrics };

interface Metrics {
  dynamic_instructions: number;
}

/** What a waiting run knows of itself apart from its snapshot. */
interface KeptState {
  instructions: number;
  loops: number;
  waitsFor: PendingCall;
}

/** The one call that the script waits for, because the engine stops at each call. */
interface PendingCall {
  id: number;
  name: string;
}

/** One run. It steps the engine, which stops at each call of a capability. */
export class Execution implements EngineRun {
  /** Cancels the run from any thread of the process through `cancelCancellationToken`. */
  readonly cancelToken: string;
  /** Instructions up to the last time that the engine returned. It reports none for a failed step. */
  instructions = 0;
  readonly #native: Binding;
  readonly #compiled: Compiled;
  readonly #setup: Setup;
  readonly #context: string;
  readonly #answers: Answers;
  #snapshot: string | undefined;
  /** The host function that a run in segments waits for. */
  #waitsFor: PendingCall | undefined;

  /** @param context stays the caller's */
  constructor(native: Binding, compiled: Compiled, context: string, setup: Setup, frozen?: Frozen) {
    this.#native = native;
    this.#compiled = compiled;
    this.#context = context;
    this.#setup = setup;
    this.#answers = new Answers(setup);
    if (frozen !== undefined) this.#thaw(frozen);
    this.cancelToken = native.createCancellationToken();
  }

  get warnings(): readonly RunWarning[] {
    return this.#compiled.warnings;
  }

  finish(calls: Calls): Completed {
    calls.look();
    for (let json = this.#start(); ;) {
      const step = this.#read(json);
      if (step.type === 'completed') return completedBy(step, json);
      json = this.#resume(step.capability, this.#answers.to(step.capability, step.args.map(decodeValue), calls));
    }
  }

  advance(calls: Calls, answers: readonly Answer[]): Completed | undefined {
    calls.look();
    const begun = this.#waitsFor;
    const answer = answers.find(({ id }) => id === begun?.id);
    if (begun !== undefined && answer === undefined) return undefined;
    this.#waitsFor = undefined;
    for (
      let json = answer === undefined ? this.#start() : this.#resume((begun as PendingCall).name, answer.outcome);
      ;
    ) {
      const step = this.#read(json);
      if (step.type === 'completed') return completedBy(step, json);
      const { capability: name } = step;
      const outcome = this.#answer(name, step.args.map(decodeValue), calls);
      if ('id' in outcome) {
        this.#waitsFor = { ...outcome, name };
        return undefined;
      }
      json = this.#resume(name, outcome);
    }
  }

  freeze(): Frozen {
    const waitsFor = this.#waitsFor as PendingCall;
    const memory = this.#native.dumpSnapshotHandle(this.#snapshot as string);
    // The engine can dump some states that it cannot load, such as a race of promises.
    this.#native.releaseSnapshotHandle(this.#load(memory, cannotFreeze));
    const state: KeptState = { instructions: this.instructions, loops: this.#answers.loops, waitsFor };
    return { state: { ...state }, memory };
  }

  [Symbol.dispose](): void {
    if (this.#snapshot !== undefined) this.#native.releaseSnapshotHandle(this.#snapshot);
    this.#native.releaseCancellationToken(this.cancelToken);
  }

  #thaw({ state, memory }: Frozen): void {
    this.#snapshot = this.#load(memory, (why) => {
      const message = `The snapshot is damaged: MustardScript refuses it (${why}).`;
      return new SandboxError('snapshot_refused', message, { details: { refusal: 'damaged' } });
    });
    const { instructions, loops, waitsFor } = state as unknown as KeptState;
    this.instructions = instructions;
    this.#answers.loops = loops;
    this.#waitsFor = waitsFor;
  }

  /** The engine loads only what is signed. This process has just made the dump, or found that it is intact. */
  #load(dumped: Buffer, failure: (why: string) => SandboxError): string {
    const { createHash, createHmac } = process.getBuiltinModule('node:crypto');
    const key = Buffer.from('of this process');
    try {
      const identity = this.#native.snapshotIdentity(dumped);
      const policy = {
        ...policyOf(this.#compiled.program.code, this.#setup),
        snapshot_id: identity,
        snapshot_key_base64: key.toString('base64'),
        snapshot_key_digest: createHash('sha256').update(key).digest('hex'),
        snapshot_token: createHmac('sha256', key).update(identity, 'utf8').digest('hex'),
      };
      return this.#native.loadDetachedSnapshotHandle(this.#compiled.handle, dumped, JSON.stringify(policy));
    } catch (error) {
      throw failure(withoutPaths(messageOf(error)).slice(0, 200));
    }
  }

  #answer(name: string, args: SandboxValue[], calls: Calls): Outcome | { id: number } {
    if (!this.#setup.hostFunctions.includes(name)) return this.#answers.to(name, args, calls);
    return calls.begin(name, args, () => this.#onlyCallOf(name));
  }

  /** The engine does not report where it stopped. */
  #onlyCallOf(name: string): CallLocation | undefined {
    const [only, ...more] = callsOf(this.#compiled.program.source, name);
    return more.length === 0 ? only : undefined;
  }

  #start(): string {
    const payload = payloadOf(this.#setup.inputs);
    return this.#step(() =>
      this.#native.startProgramWithExecutionContextHandleBuffer(
        this.#compiled.handle,
        this.#context,
        payload,
        this.cancelToken,
      ),
    );
  }

  #read(json: string): NativeStep {
    const step = readStep(json);
    this.instructions = step.metrics.dynamic_instructions;
    if (step.type === 'suspended') this.#snapshot = step.snapshot_handle;
    return step;
  }

  #resume(capability: string, outcome: Outcome): string {
    const snapshot = this.#snapshot as string;
    const payload = encodeOutcome(outcome);
    this.#snapshot = undefined;
    const failed = 'error' in outcome ? capability : undefined;
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

function completedBy(step: NativeStep & { type: 'completed' }, json: string): Completed {
  return { value: decodeForWire(step.value), size: bytesPerUnit * json.length };
}

function cannotFreeze(why: string): SandboxError {
  return new SandboxError(
    'cannot_freeze',
    `MustardScript cannot keep the state of this script while it waits (${why}). Run it with engine: 'quickjs'.`,
  );
}

const metricsStart = ',"metrics":{';
const instructionsField = '"dynamic_instructions":';
/** The metrics of the engine have at least this many characters: all their names, and one digit for each. */
const leastMetrics = 1_300;
const zero = 0x30;

/** The engine writes some 1,350 characters of metrics after each step, and only one number of them is used. */
function readStep(json: string): NativeStep {
  // In a string its quotation marks would be escaped, so this finds the field itself. A search from the very end would
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
