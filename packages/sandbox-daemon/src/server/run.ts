import type { AskingRun } from '../engine/compile.ts';
import { floatingError, heapFull, isHeapFull } from '../engine/diagnostics.ts';
import type { Engine, Execution, Outcome, Step } from '../engine/engine.ts';
import { builtinHandlers } from '../files/builtins.ts';
import { openFileAccess, type FileAccess } from '../files/index.ts';
import { isBuiltinName } from '../protocol/builtins.ts';
import { prefix } from '../lowering/helper.ts';
import { beginCapability, nextCapability } from '../lowering/rules/concurrency.ts';
import { v8Capability } from '../lowering/rules/in-v8.ts';
import type { CancelSignal } from '../protocol/cancel-signal.ts';
import { SandboxError, type RunSpent } from '../protocol/errors.ts';
import { assertScriptFits, limitAdvice, maxValueBytes } from '../protocol/limits.ts';
import type { ConsoleLevel, Params, Result, RunProfile } from '../protocol/methods.ts';
import { encodeValue, type SandboxValue, type WireValue } from '../protocol/values.ts';
import { ConsoleWriter, consoleFunctions } from './console.ts';
import { HostFunctionCalls, type CallHost } from './host-function-calls.ts';
import { grownBytes } from './memory.ts';
import { checkNames } from './names.ts';
import { Profiler } from './profile.ts';
import { Progress } from './progress.ts';
import { RunClock, type Watchdog } from './run-clock.ts';
import { RunPace } from './run-pace.ts';
import { ThrownErrors } from './thrown-errors.ts';
import { assertFits } from './value-size.ts';
import { warningsOf } from './warnings.ts';

export type RunParams = Params<'sandbox/run'>;

/** The result of a run. What it left in the process is measured afterwards. */
export type RunOutcome = Omit<Result<'sandbox/run'>, 'residentBytes'>;

/** What a run needs from around it. */
export interface RunEnvironment {
  engine: Engine;
  watchdog: Watchdog;
  /** The folders and files that a scope may name something in; `undefined`: anywhere. */
  roots?: readonly string[] | undefined;
  callHost: CallHost;
  console(level: ConsoleLevel, text: string): void;
  /** Called now and then; absent where nobody asked for it. */
  progress?: (spent: RunSpent) => void;
  signal: CancelSignal;
}

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
  using files = openFileAccess(params.scope, environment.roots, pace);
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
    ...warningsOf(execution, files, params.script),
    ...readNames(files),
    ...run.profile(),
  };
}

class Run implements AskingRun {
  hostCalls = 0;
  givenLines: Buffer | undefined;
  readonly #params: RunParams;
  readonly #environment: RunEnvironment;
  readonly #execution: Execution;
  readonly #clock: RunClock;
  readonly #files: FileAccess;
  readonly #pace: RunPace;
  readonly #console: ConsoleWriter;
  readonly #profiler: Profiler | undefined;
  readonly #progress: Progress | undefined;
  readonly #thrown = new ThrownErrors();
  readonly #calls: HostFunctionCalls;
  readonly #cpuBefore = process.cpuUsage();
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
    const { callHost } = environment;
    this.#calls = new HostFunctionCalls({ params, callHost, clock, pace, thrown: this.#thrown });
    pace.begin(() => this.#look());
    this.#console = new ConsoleWriter((level, text) => environment.console(level, text));
    this.#profiler = params.profile === true ? new Profiler() : undefined;
    const { progress } = environment;
    this.#progress = progress && new Progress(() => progress(this.#spent()));
  }

  profile(): { profile?: RunProfile } {
    return this.#profiler === undefined ? {} : { profile: this.#profiler.result(this.#execution.instructions) };
  }

  async finish(): Promise<WireValue> {
    try {
      this.#look();
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
        details: { ...details, ...readNames(this.#files), ...this.profile(), spent: this.#spent() },
        cause,
      });
    }
  }

  #spent(): RunSpent {
    const { user, system } = process.cpuUsage(this.#cpuBefore);
    const { reached } = this.#files.budget;
    return {
      executionMs: this.#clock.elapsedMs(),
      cpuMs: (user + system) / 1000,
      instructionsUsed: this.#execution.instructions,
      heapBytesUsed: grownBytes(),
      hostCalls: this.hostCalls,
      bytesRead: this.#files.bytesRead,
      ...(reached !== undefined && { reached }),
    };
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
    if (capability === nextCapability) return await this.#calls.next();
    this.hostCalls++;
    try {
      if (capability === beginCapability) return this.#calls.begin(args);
      if (isBuiltinName(capability)) {
        const outcome = await builtinHandlers[capability](this.#files, args);
        // From here on the engine may be in one operation until it is killed, or die of it.
        this.#progress?.look(this.#clock.observedMs());
        return this.#noteLines(capability, outcome);
      }
      return await this.#calls.call(step);
    } catch (error) {
      if (error instanceof SandboxError) return this.#thrown.throwIntoScript(error);
      throw error;
    }
  }

  #noteLines(name: string, outcome: Outcome): Outcome {
    // Copied: the next read may be into the same memory.
    if (name === 'lines' && 'lines' in outcome) this.givenLines = Buffer.from(outcome.lines);
    return outcome;
  }

  /** What only V8 can do, or does fast: no call of the script's. */
  #operate(args: SandboxValue[]): Outcome {
    const [name, thrownMessage] = args;
    if (name === 'refuse' && typeof thrownMessage === 'string') {
      const details = { name: 'TypeError', thrownMessage };
      this.#refusal = isHeapFull(thrownMessage)
        ? heapFull(this.#params.limits)
        : new SandboxError('script_error', `TypeError: ${thrownMessage}`, { details });
      return { value: { json: null } };
    }
    if (name === 'fail') {
      const [, errorName, message, start, end] = args as [string, string, string, number, number];
      this.#refusal = floatingError(this.#params.script, { name: errorName, message }, { start, end });
      return { value: { json: null } };
    }
    try {
      return { value: encodeValue(this.#environment.engine.operate(args, this), 'result') };
    } catch (error) {
      const { name, message } = error as Error;
      return { error: { name, message } };
    }
  }

  /** @throws {SandboxError} `cancelled` or `timeout` when the run is over */
  #look(): void {
    if (this.#environment.signal.aborted) throw new SandboxError('cancelled', 'The run was cancelled.');
    const elapsedMs = this.#clock.elapsedMs();
    if (this.#clock.isOver(elapsedMs)) throw this.#timeout();
    this.#progress?.look(this.#clock.observedMs(elapsedMs));
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
    // Only the watchdog cancels what the engine does, and it does so at the deadline.
    const isTimeout = error.code === 'cancelled' && !this.#environment.signal.aborted;
    return isTimeout ? this.#timeout(error) : this.#thrown.explain(error);
  }

  #timeout(cancelled?: SandboxError): SandboxError {
    const { timeoutMs } = this.#params.limits;
    const { location, frame } = cancelled?.details ?? {};
    const where = location === undefined ? '' : ` It was in ${placeName(location)}.`;
    return new SandboxError(
      'timeout',
      `The script did not finish within ${timeoutMs} ms.${where} ${limitAdvice('timeoutMs')}`,
      { details: { limit: 'timeout_ms', value: timeoutMs, unit: 'ms', location, frame } },
    );
  }
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
