import type { Engine, Execution, Outcome, Step } from '../engine/engine.ts';
import { builtinHandlers } from '../files/builtins.ts';
import { openFileAccess, type FileAccess } from '../files/index.ts';
import { isBuiltinName } from '../protocol/builtins.ts';
import { prefix } from '../lowering/helper.ts';
import { beginCapability, nextCapability } from '../lowering/rules/concurrency.ts';
import { v8Capability } from '../lowering/rules/in-v8.ts';
import { BusyPolling } from '../protocol/busy-polling.ts';
import type { CancelSignal } from '../protocol/cancel-signal.ts';
import { SandboxError, type ErrorCode } from '../protocol/errors.ts';
import { assertScriptFits, limitTable, maxValueBytes, type LimitName } from '../protocol/limits.ts';
import {
  maxWarnings,
  type ConsoleLevel,
  type HostError,
  type Params,
  type Result,
  type RunProfile,
  type RunWarning,
} from '../protocol/methods.ts';
import { encodeLeaving, encodeValue, type SandboxValue, type WireValue } from '../protocol/values.ts';
import { ConsoleWriter, consoleFunctions } from './console.ts';
import { grownBytes } from './memory.ts';
import { checkNames } from './names.ts';
import { Profiler } from './profile.ts';
import { RunClock, type Watchdog } from './run-clock.ts';
import { RunPace } from './run-pace.ts';

export type RunParams = Params<'sandbox/run'>;

/** The result of a run. What it left in the process is measured afterwards. */
export type RunOutcome = Omit<Result<'sandbox/run'>, 'residentBytes'>;

/** What a run needs from around it. */
export interface RunEnvironment {
  engine: Engine;
  watchdog: Watchdog;
  /** The folders and files that a scope may name something in; `undefined`: anywhere. */
  roots?: readonly string[] | undefined;
  /** One reverse request to the client. `executionMs`: what the run has used of its time. */
  callHost(name: string, args: WireValue, executionMs: number): Promise<{ value: WireValue } | { error: HostError }>;
  console(level: ConsoleLevel, text: string): void;
  signal: CancelSignal;
}

/** How a call that was begun has ended. */
type Ended = { id: number; name: string } & (
  { given: { value: WireValue } | { error: HostError } } | { error: unknown }
);

/** Polls for the answers of host functions. Most come at once or after a long time. */
const polling = new BusyPolling();

/** How many thrown errors a run remembers. An error that leaves a script was usually thrown into it just before. */
const mostThrown = 100;

/** How many errors with details are kept: a script may catch an error, and throw it again after others came. */
const keptDetails = 16;

/** Codes of errors that become the code of the run when the script does not catch the error. */
const passedThrough = new Set<string>([
  'capability_denied',
  'capability_timeout',
  'limit_exceeded',
] satisfies ErrorCode[]);

/**
 * Runs one script to its end.
 *
 * @throws {SandboxError} everything that can go wrong in a run, each with its code
 */
export async function runScript(params: RunParams, environment: RunEnvironment): Promise<RunOutcome> {
  checkNames(params);
  const { limits } = params;
  assertScriptFits(params.script, limits.scriptBytes);
  const pace = new RunPace();
  const files = openFileAccess(params.scope, environment.roots, pace);
  const capabilities = [
    ...params.scope.builtins,
    ...consoleFunctions,
    v8Capability,
    beginCapability,
    nextCapability,
    ...params.hostFunctions,
  ];
  using execution = environment.engine.prepare(params.script, capabilities, limits);
  using clock = new RunClock(limits.timeoutMs, execution.cancelToken, environment.watchdog);
  const run = new Run(params, environment, execution, clock, files, pace);
  const value = await run.finish();
  return {
    value,
    executionMs: clock.elapsedMs(),
    instructionsUsed: execution.instructions,
    heapBytesUsed: grownBytes(),
    hostCalls: run.hostCalls,
    bytesRead: files.bytesRead,
    ...warningsOf(execution),
    ...readNames(files),
    ...run.profile(),
  };
}

class Run {
  hostCalls = 0;
  #hostFunctionCalls = 0;
  readonly #params: RunParams;
  readonly #environment: RunEnvironment;
  readonly #execution: Execution;
  readonly #clock: RunClock;
  readonly #files: FileAccess;
  readonly #pace: RunPace;
  readonly #console: ConsoleWriter;
  readonly #profiler: Profiler | undefined;
  /** Errors that were thrown into the script, to recognise them when the script ends with one of them. */
  readonly #thrown: SandboxError[] = [];
  /** The last errors of host functions that had details. */
  readonly #detailed: HostError[] = [];
  /** Calls of host functions that were begun, by their ids. */
  readonly #begun = new Map<number, Promise<Ended>>();
  #lastBegun = 0;
  /** What the program met that the language does not have: the script may not go on, whatever it catches. */
  #refusal: SandboxError | undefined;

  constructor(
    params: RunParams,
    environment: RunEnvironment,
    execution: Execution,
    clock: RunClock,
    files: FileAccess,
    pace: RunPace,
  ) {
    this.#params = params;
    this.#environment = environment;
    this.#execution = execution;
    this.#clock = clock;
    this.#files = files;
    this.#pace = pace;
    pace.begin(() => this.#stopIfOver());
    this.#console = new ConsoleWriter((level, text) => environment.console(level, text));
    this.#profiler = params.profile === true ? new Profiler() : undefined;
  }

  profile(): { profile?: RunProfile } {
    return this.#profiler === undefined ? {} : { profile: this.#profiler.result(this.#execution.instructions) };
  }

  async finish(): Promise<WireValue> {
    try {
      this.#stopIfOver();
      let step = this.#execution.start(this.#params.inputs);
      while (step.type === 'suspended') step = this.#execution.resume(await this.#answer(step));
      if (this.#refusal !== undefined) throw this.#refusal;
      this.#console.end();
      return this.#checkSize(step);
    } catch (error) {
      this.#console.end();
      if (!(error instanceof SandboxError)) throw error;
      const { code, message, details, cause } = this.#explain(error);
      throw new SandboxError(code, message, {
        details: { ...details, ...readNames(this.#files), ...this.profile() },
        cause,
      });
    }
  }

  async #answer(step: Step & { type: 'suspended' }): Promise<Outcome> {
    const turn = this.#pace.turn();
    if (turn !== undefined) await turn;
    if (this.#refusal !== undefined) throw this.#refusal;
    const isOwn = !step.capability.startsWith(prefix);
    if (isOwn) this.#profiler?.called(step.capability, step.args, step.instructions);
    const outcome = await this.#outcomeOf(step);
    if (isOwn) this.#profiler?.answered(outcome);
    return outcome;
  }

  async #outcomeOf(step: Step & { type: 'suspended' }): Promise<Outcome> {
    const { capability, args } = step;
    if (capability.startsWith('console.')) return this.#console.write(capability, args);
    if (capability === v8Capability) return this.#operate(args);
    if (capability === nextCapability) return this.#next();
    this.hostCalls++;
    try {
      if (capability === beginCapability) return this.#begin(args);
      if (isBuiltinName(capability)) return await builtinHandlers[capability](this.#files, args);
      return await this.#callHost(step);
    } catch (error) {
      if (error instanceof SandboxError) return this.#throwIntoScript(error);
      throw error;
    }
  }

  /** A call that the script does not wait for yet; the answer is its id. */
  #begin([name, args]: SandboxValue[]): Outcome {
    const { hostFunctions, limits } = this.#params;
    const list = Array.isArray(args) ? args : [];
    if (typeof name !== 'string' || !hostFunctions.includes(name))
      throw new SandboxError('invalid_request', 'no such function');
    this.#countHostCall(name);
    const value = limits.outstandingHostCalls;
    if (this.#begun.size >= value) {
      throw new SandboxError(
        'limit_exceeded',
        `More than ${value} calls of host functions are under way. Await them in smaller groups, or raise limits.outstandingHostCalls.`,
        { details: { limit: limitTable.outstandingHostCalls.name, value, unit: 'calls' } },
      );
    }
    const wire = encodeLeaving(list, `The arguments of ${name}()`);
    assertFits(`The arguments of ${name}() are`, 'argument_bytes', maxValueBytes, Infinity, wire);
    const id = ++this.#lastBegun;
    const answer = this.#environment.callHost(name, wire, this.#clock.elapsedMs()).then(
      (given) => ({ id, name, given }),
      (error: unknown) => ({ id, name, error }),
    );
    this.#begun.set(id, answer);
    return { value: { json: id } };
  }

  /** The first begun call to end. */
  async #next(): Promise<Outcome> {
    this.#clock.pause();
    polling.start();
    try {
      const ended = await Promise.race(this.#begun.values());
      this.#begun.delete(ended.id);
      if ('error' in ended) throw ended.error;
      const { id, name, given } = ended;
      if ('error' in given) {
        const { name: errorName, message, code } = given.error;
        this.#keepDetails(given.error);
        this.#passOn(code, message, name);
        return { value: { json: { id, error: { name: errorName, message, ...(code !== undefined && { code }) } } } };
      }
      if ('json' in given.value) return { value: { json: { id, value: given.value.json } } };
      return { value: { tagged: { id, value: given.value.tagged } } };
    } finally {
      polling.stop();
      this.#clock.resume();
      this.#pace.turned();
    }
  }

  /** What only V8 can do, or does fast: no call of the script's. */
  #operate(args: SandboxValue[]): Outcome {
    const [name, thrownMessage] = args;
    if (name === 'refuse' && typeof thrownMessage === 'string') {
      const details = { name: 'TypeError', thrownMessage };
      this.#refusal = new SandboxError('script_error', `TypeError: ${thrownMessage}`, { details });
      return { value: { json: null } };
    }
    try {
      return { value: encodeValue(this.#environment.engine.operate(args), 'result') };
    } catch (error) {
      const { name, message } = error as Error;
      return { error: { name, message } };
    }
  }

  #stopIfOver(): void {
    if (this.#environment.signal.aborted) throw new SandboxError('cancelled', 'The run was cancelled.');
    if (this.#clock.isOver()) throw this.#timeout();
  }

  async #callHost({ capability: name, args, size }: Step & { type: 'suspended' }): Promise<Outcome> {
    this.#countHostCall(name);
    const wire = encodeLeaving(args, `The arguments of ${name}()`);
    assertFits(`The arguments of ${name}() are`, 'argument_bytes', maxValueBytes, size, wire);
    this.#clock.pause();
    polling.start();
    try {
      const answer = await this.#environment.callHost(name, wire, this.#clock.elapsedMs());
      if ('value' in answer) return answer;
      const { message, code } = answer.error;
      this.#keepDetails(answer.error);
      this.#passOn(code, message, name);
      return answer;
    } finally {
      polling.stop();
      this.#clock.resume();
      this.#pace.turned();
    }
  }

  /** @throws {SandboxError} `limit_exceeded` */
  #countHostCall(name: string): void {
    const { hostCalls } = this.#params.limits;
    if (++this.#hostFunctionCalls <= hostCalls) return;
    throw new SandboxError(
      'limit_exceeded',
      `${name}(): the script called host functions ${hostCalls} times already (host_calls). Pass more data in each call, or raise limits.hostCalls.`,
      { details: { capability: name, limit: limitTable.hostCalls.name, value: hostCalls, unit: 'calls' } },
    );
  }

  /** Keeps the details of an error: the engine does not return them when the script does not catch it. */
  #keepDetails(error: HostError): void {
    if (error.details === undefined) return;
    this.#detailed.push(error);
    if (this.#detailed.length > keptDetails) this.#detailed.shift();
  }

  #remember(thrown: SandboxError): void {
    if (this.#thrown.length === mostThrown) this.#thrown.shift();
    this.#thrown.push(thrown);
  }

  /** Such an error of a host function is that of the run, when the script lets it through. */
  #passOn(code: string | undefined, message: string, capability: string): void {
    if (code === undefined || !passedThrough.has(code)) return;
    this.#remember(new SandboxError(code as ErrorCode, message, { details: { capability } }));
  }

  #throwIntoScript(error: SandboxError): Outcome {
    // These end the run, and the script cannot catch them.
    if (error.code === 'cancelled' || error.code === 'timeout') throw error;
    this.#remember(error);
    const name = error.details.name ?? (error.code === 'invalid_request' ? 'TypeError' : 'Error');
    return { error: { name, message: error.message, code: error.code } };
  }

  #checkSize(step: Step & { type: 'completed' }): WireValue {
    const limit = Math.min(this.#params.limits.outputBytes, maxValueBytes);
    assertFits('The result is', 'output_bytes', limit, step.size, step.value);
    return step.value;
  }

  /** The script's failure as the caller should see it. */
  #explain(error: SandboxError): SandboxError {
    // The engine's own error for it says where.
    if (this.#refusal !== undefined && error.details.thrownMessage !== this.#refusal.details.thrownMessage)
      return this.#refusal;
    if (error.code === 'cancelled' && this.#clock.isOver()) return this.#timeout(error);
    const { thrownCode, thrownMessage, location, frame, traceback } = error.details;
    const isIt = ({ code, message }: { code?: string | undefined; message: string }): boolean =>
      code === thrownCode && message === thrownMessage;
    const thrownDetails = this.#detailed.findLast(isIt)?.details;
    const facts = { location, frame, traceback, ...(thrownDetails !== undefined && { thrownDetails }) };
    const origin = this.#thrown.findLast(isIt);
    if (origin === undefined) {
      if (thrownDetails === undefined) return error;
      return new SandboxError(error.code, error.message, { details: { ...error.details, ...facts } });
    }
    if (passedThrough.has(origin.code)) {
      return new SandboxError(origin.code, origin.message, { details: { ...origin.details, ...facts } });
    }
    const { capability, path } = origin.details;
    return new SandboxError(error.code, error.message, { details: { ...error.details, capability, path } });
  }

  #timeout(cancelled?: SandboxError): SandboxError {
    const { timeoutMs } = this.#params.limits;
    const { location, frame } = cancelled?.details ?? {};
    const where = location === undefined ? '' : ` It was in ${placeName(location)}.`;
    return new SandboxError(
      'timeout',
      `The script did not finish within ${timeoutMs} ms.${where} Read less, use fewer passes, or raise limits.timeoutMs.`,
      { details: { limit: 'timeout_ms', value: timeoutMs, unit: 'ms', location, frame } },
    );
  }
}

/** @param most a known upper bound of the size: a value whose bound is within the limit is not measured */
function assertFits(what: string, limit: LimitName, value: number, most: number, wire: WireValue): void {
  if (most <= value) return;
  const actual = Buffer.byteLength(JSON.stringify(wire));
  if (actual <= value) return;
  throw new SandboxError(
    'limit_exceeded',
    `${what} ${actual} bytes of JSON, over the limit of ${value} (${limit}). Pass a count, a slice or a summary instead.`,
    { details: { limit, value, unit: 'bytes', actual } },
  );
}

/** Left out when empty, as most are. */
function warningsOf({ warnings }: Execution): { warnings?: RunWarning[] } {
  return warnings.length === 0 ? {} : { warnings: warnings.slice(0, maxWarnings) };
}

/** Left out when empty: most runs of a busy host read from the root only, and every byte of an answer costs. */
function readNames({ attachmentsRead }: FileAccess): { attachmentsRead?: string[] } {
  return attachmentsRead.length === 0 ? {} : { attachmentsRead };
}

function placeName(location: NonNullable<SandboxError['details']['location']>): string {
  const { line, endLine, functionName } = location;
  const lines = line === endLine ? `line ${line}` : `lines ${line}-${endLine}`;
  return functionName === undefined ? lines : `${functionName}, ${lines}`;
}
