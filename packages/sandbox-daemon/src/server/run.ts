import type { Calls, EngineRun, Outcome } from '../engine/interface.ts';
import type { Engines } from '../engine/engines.ts';
import { builtinHandlers } from '../files/builtins.ts';
import { openFileAccess, type FileAccess } from '../files/index.ts';
import { isBuiltinName } from '../protocol/builtins.ts';
import type { CancelSignal } from '../protocol/cancel-signal.ts';
import type { EngineName } from '../protocol/engines.ts';
import { SandboxError, type RunSpent } from '../protocol/errors.ts';
import { assertScriptFits, limitAdvice, maxValueBytes } from '../protocol/limits.ts';
import type { ConsoleLevel, Params, Result, RunProfile } from '../protocol/methods.ts';
import { stringifyMessage } from '../protocol/raw-json.ts';
import type { SandboxValue, WireValue } from '../protocol/values.ts';
import { ConsoleWriter, consoleFunctions } from './console.ts';
import { HostFunctionCalls, type HostLine } from './host-function-calls.ts';
import { grownBytes } from './memory.ts';
import { checkNames } from './names.ts';
import { Profiler } from './profile.ts';
import { Progress } from './progress.ts';
import { cpuMs, RunClock, type Watchdog } from './run-clock.ts';
import { RunPace } from './run-pace.ts';
import { ThrownErrors } from './thrown-errors.ts';
import { tooLong } from './value-size.ts';
import { warningsOf } from './warnings.ts';

export type RunParams = Params<'sandbox/run'>;

/** The result of a run. What it left in the process is measured afterwards. */
export type RunOutcome = Omit<Result<'sandbox/run'>, 'residentBytes'>;

/** What a run needs from around it. */
export interface RunEnvironment {
  engines: Engines;
  watchdog: Watchdog;
  /** The folders and files that a scope may name something in; `undefined`: anywhere. */
  roots?: readonly string[] | undefined;
  line: HostLine;
  console(level: ConsoleLevel, text: string): void;
  /** Called now and then; absent where nobody asked for it. */
  progress?: (spent: RunSpent) => void;
  /** Reads what the client has sent, such as a cancel request, without waiting. */
  read(): void;
  signal: CancelSignal;
}

/**
 * Runs one script to its end. From when its engine is ready until then, the event loop does not turn.
 *
 * @throws {SandboxError} everything that can go wrong in a run, each with its code
 */
export async function runScript(params: RunParams, environment: RunEnvironment): Promise<RunOutcome> {
  checkNames(params);
  const { script, limits, hostFunctions, inputs, scope, engine: choice } = params;
  assertScriptFits(script, limits.scriptBytes);
  const builtins = [...scope.builtins, ...consoleFunctions];
  const setup = { limits, inputs, builtins, hostFunctions };
  const { run: engineRun, engine } = await environment.engines.prepare(script, choice, setup);
  using execution = engineRun;
  const pace = new RunPace(() => environment.read());
  using files = openFileAccess(scope, environment.roots, pace);
  using clock = new RunClock(limits.timeoutMs, execution.cancelToken, environment.watchdog);
  const run = new Run(params, environment, execution, clock, files, pace);
  const value = run.finish(engine);
  return {
    value,
    engine,
    executionMs: clock.elapsedMs(),
    instructionsUsed: execution.instructions,
    heapBytesUsed: grownBytes(),
    hostCalls: run.hostCalls,
    bytesRead: files.bytesRead,
    ...warningsOf(execution, files, script),
    ...readNames(files),
    ...run.profile(),
  };
}

class Run implements Calls {
  hostCalls = 0;
  readonly #params: RunParams;
  readonly #environment: RunEnvironment;
  readonly #execution: EngineRun;
  readonly #clock: RunClock;
  readonly #files: FileAccess;
  readonly #pace: RunPace;
  readonly #console: ConsoleWriter;
  readonly #profiler: Profiler | undefined;
  readonly #progress: Progress | undefined;
  readonly #thrown = new ThrownErrors();
  readonly #hostFunctions: HostFunctionCalls;
  readonly #cpuBefore = cpuMs();

  constructor(
    params: RunParams,
    environment: RunEnvironment,
    execution: EngineRun,
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
    const { line } = environment;
    const thrown = this.#thrown;
    const stopIfCancelled = (): void => this.#stopIfCancelled();
    this.#hostFunctions = new HostFunctionCalls({ params, line, clock, pace, thrown, stopIfCancelled });
    pace.begin(() => this.#stopIfOver());
    this.#console = new ConsoleWriter((level, text) => environment.console(level, text));
    this.#profiler = params.profile === true ? new Profiler() : undefined;
    const { progress } = environment;
    this.#progress = progress && new Progress(() => progress(this.#spent()));
  }

  profile(): { profile?: RunProfile } {
    return this.#profiler === undefined ? {} : { profile: this.#profiler.result(this.#execution.instructions) };
  }

  finish(engine: EngineName): WireValue {
    try {
      this.#stopIfOver();
      const { value, size } = this.#execution.finish(this);
      this.#console.end();
      const limit = Math.min(this.#params.limits.outputBytes, maxValueBytes);
      // An upper bound: only what may be too long is written out and measured.
      const bytes = size <= limit ? size : Buffer.byteLength(stringifyMessage(value));
      if (bytes > limit) throw tooLong('The result is', 'output_bytes', limit, bytes);
      return value;
    } catch (error) {
      this.#console.end();
      if (!(error instanceof SandboxError)) throw error;
      const explained = this.#explain(error);
      const { code, message, details, cause } = explained;
      // QuickJS compiles when it runs. Of a script that does not compile nothing was run.
      if (code === 'parse_error' || code === 'unsupported_syntax') throw explained;
      throw new SandboxError(code, message, {
        details: { ...details, engine, ...readNames(this.#files), ...this.profile(), spent: this.#spent() },
        cause,
      });
    }
  }

  // What the engine asks.

  call(name: string, args: SandboxValue[]): Outcome {
    this.#pace.check();
    this.#profiler?.called(name, args, this.#execution.instructions);
    const outcome = this.#outcomeOf(name, args);
    this.#profiler?.answered(outcome);
    return outcome;
  }

  begin(name: string, args: SandboxValue[]): ReturnType<Calls['begin']> {
    this.hostCalls++;
    try {
      return this.#hostFunctions.begin(name, args);
    } catch (error) {
      return this.#thrown.throwIntoScript(error);
    }
  }

  next(): ReturnType<Calls['next']> {
    return this.#hostFunctions.next();
  }

  look(): void {
    this.#pace.check();
  }

  #outcomeOf(name: string, args: SandboxValue[]): Outcome {
    if (name.startsWith('console.')) return this.#console.write(name, args);
    this.hostCalls++;
    try {
      if (!isBuiltinName(name)) return this.#hostFunctions.call(name, args);
      const outcome = builtinHandlers[name](this.#files, args);
      // From here on the engine may be in one operation until it is killed, or die of it.
      this.#progress?.look(this.#clock.observedMs());
      return outcome;
    } catch (error) {
      return this.#thrown.throwIntoScript(error);
    }
  }

  #spent(): RunSpent {
    const { reached } = this.#files.budget;
    return {
      executionMs: this.#clock.elapsedMs(),
      cpuMs: cpuMs() - this.#cpuBefore,
      instructionsUsed: this.#execution.instructions,
      heapBytesUsed: grownBytes(),
      hostCalls: this.hostCalls,
      bytesRead: this.#files.bytesRead,
      ...(reached !== undefined && { reached }),
    };
  }

  /** @throws {SandboxError} `cancelled` or `timeout` when the run is over */
  #stopIfOver(): void {
    this.#stopIfCancelled();
    if (this.#clock.isOver()) throw this.#timeout();
    this.#progress?.look(this.#clock.observedMs());
  }

  #stopIfCancelled(): void {
    if (this.#environment.signal.aborted) throw new SandboxError('cancelled', 'The run was cancelled.');
  }

  /** The script's failure as the caller should see it. */
  #explain(error: SandboxError): SandboxError {
    // Only the watchdog cancels what the engine does, and it does so at the deadline.
    const isCancelled = error.code === 'cancelled' && !this.#environment.signal.aborted;
    return isCancelled || error.code === 'timeout' ? this.#timeout(error) : this.#thrown.explain(error);
  }

  #timeout(where?: SandboxError): SandboxError {
    const { timeoutMs } = this.#params.limits;
    const { location, frame } = where?.details ?? {};
    const place = location === undefined ? '' : ` It was in ${placeName(location)}.`;
    return new SandboxError(
      'timeout',
      `The script did not finish within ${timeoutMs} ms.${place} ${limitAdvice('timeoutMs')}`,
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
