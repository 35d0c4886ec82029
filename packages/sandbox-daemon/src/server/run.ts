import type { Answer, CallLocation, Calls, Completed, EngineRun, Frozen, Outcome } from '../engine/interface.ts';
import type { Engines } from '../engine/engines.ts';
import { builtinHandlers } from '../files/builtins.ts';
import { later } from '../files/later.ts';
import { openFileAccess, type FileAccess } from '../files/index.ts';
import {
  assertScriptFits,
  busyWords,
  isBuiltinName,
  limitAdvice,
  maxValueBytes,
  SandboxError,
  parallelFunction,
  savingFunction,
  servingFunctions,
  type CancelSignal,
  type ConsoleLevel,
  type EngineName,
  type HostError,
  type Params,
  type Result,
  type RunProfile,
  type RunSpent,
  type RunStats,
  type SandboxValue,
  type WireValue,
} from '@mustard-sandbox/protocol';
import { bytesOfMessage, stringifyMessage } from '@mustard-sandbox/protocol/sidecar';
import { ConsoleWriter, consoleFunctions } from './console.ts';
import { HostFunctionCalls, type HostLine, type HostSide } from './host-function-calls.ts';
import { grownBytes } from './memory.ts';
import { checkNames } from './names.ts';
import { Profiler } from './profile.ts';
import { Progress } from './progress.ts';
import { RunClock, type Watchdog } from './run-clock.ts';
import { RunPace } from './run-pace.ts';
import type { KeptUse } from './snapshot.ts';
import { ThrownErrors } from './thrown-errors.ts';
import { tooLong } from './value-size.ts';
import { warningsOf } from './warnings.ts';

export type RunParams = Params<'sandbox/run'>;

/** The result of a run. The memory that it left in the process is measured afterwards. */
export type RunOutcome = Omit<Result<'sandbox/run'>, 'residentBytes'>;

/** What a run needs from its surroundings. */
export interface RunEnvironment {
  engines: Engines;
  watchdog: Watchdog;
  /** The folders and files that bound the paths of a scope; `undefined` for no bound. */
  roots?: readonly string[] | undefined;
  line: HostLine;
  console(level: ConsoleLevel, text: string): void;
  /** Called from time to time. Absent when nobody asked for it. */
  progress?: (spent: RunSpent) => void;
  /** Reads what the client has sent, such as a cancel request, without waiting. */
  read(): void;
  signal: CancelSignal;
}

/**
 * Runs one script to its end. After its engine is ready, the event loop does not turn until then.
 *
 * @throws {SandboxError} everything that can go wrong in a run, each with its code
 */
export async function runScript(params: RunParams, environment: RunEnvironment): Promise<RunOutcome> {
  const { script, limits, inputs, scope, engine: choice } = params;
  const hostFunctions = withoutServing(params.hostFunctions);
  checkNames({ hostFunctions, inputs });
  assertScriptFits(script, limits.scriptBytes);
  const builtins = [...scope.builtins, ...consoleFunctions];
  const setup = { limits, inputs, builtins, hostFunctions };
  const { run: engineRun, engine } = await environment.engines.prepare(script, choice, setup);
  using execution = engineRun;
  const pace = new RunPace(() => environment.read());
  using files = openFileAccess(scope, environment.roots, pace);
  using clock = new RunClock(limits.timeoutMs, execution.cancelToken, environment.watchdog);
  const run = new Run({ params, environment, execution, engine, clock, files, pace });
  let value: WireValue;
  try {
    value = run.finish();
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    throw run.failure((await execution.told?.(error)) ?? error);
  }
  return {
    value,
    engine,
    ...run.stats(),
    ...warningsOf(execution, files, script),
    ...readNames(files),
    ...run.profile(),
  };
}

/** The parts of a run. */
interface Parts {
  params: Pick<RunParams, 'script' | 'limits' | 'hostFunctions' | 'profile'>;
  environment: RunEnvironment;
  execution: EngineRun;
  engine: EngineName;
  clock: RunClock;
  files: FileAccess;
  pace: RunPace;
  /** Absent for a run without segments. */
  segment?: SegmentParts;
}

interface SegmentParts {
  thrown: ThrownErrors;
  hostSide: HostSide;
  /** What earlier segments have used. */
  used: KeptUse | undefined;
}

/** A running script: its calls, and what it has used. */
export class Run implements Calls {
  hostCalls: number;
  readonly #params: Parts['params'];
  readonly #environment: RunEnvironment;
  readonly #execution: EngineRun;
  readonly #engine: EngineName;
  readonly #clock: RunClock;
  readonly #files: FileAccess;
  readonly #pace: RunPace;
  readonly #console: ConsoleWriter;
  readonly #profiler: Profiler | undefined;
  readonly #progress: Progress | undefined;
  readonly #thrown: ThrownErrors;
  readonly #hostFunctions: HostSide;
  readonly #usedBefore: KeptUse | undefined;
  /** The files that the script has saved. */
  readonly #saved = new Set<string>();
  /** What the runs of `parallel` have used. */
  #instructionsElsewhere = 0;

  constructor({ params, environment, execution, engine, clock, files, pace, segment }: Parts) {
    this.#params = params;
    this.#environment = environment;
    this.#execution = execution;
    this.#engine = engine;
    this.#clock = clock;
    this.#files = files;
    this.#pace = pace;
    this.#usedBefore = segment?.used;
    this.hostCalls = segment?.used?.hostCalls ?? 0;
    const { line } = environment;
    const thrown = (this.#thrown = segment?.thrown ?? new ThrownErrors());
    const stopIfCancelled = (): void => this.#stopIfCancelled();
    this.#hostFunctions =
      segment?.hostSide ?? new HostFunctionCalls({ params, line, clock, pace, thrown, stopIfCancelled });
    pace.begin(() => this.#stopIfOver());
    const write = (level: ConsoleLevel, text: string): void => environment.console(level, text);
    this.#console = new ConsoleWriter(write, segment?.used?.consoleLeft);
    this.#profiler = params.profile === true ? new Profiler() : undefined;
    const { progress } = environment;
    this.#progress = progress && new Progress(() => progress(this.#spent()));
  }

  profile(): { profile?: RunProfile } {
    return this.#profiler === undefined ? {} : { profile: this.#profiler.result(this.#execution.instructions) };
  }

  /** Runs the script to its end. */
  finish(): WireValue {
    return this.#ending(() => this.#fitting(this.#execution.finish(this)));
  }

  /** Runs the script until it ends or waits. If it waits, it is frozen. */
  advance(answers: readonly Answer[]): { value: WireValue } | Frozen {
    return this.#ending(() => {
      const completed = this.#execution.advance(this, answers);
      if (completed !== undefined) return { value: this.#fitting(completed) };
      // Freezing does not count as time of the script.
      this.#clock.pause();
      return this.#execution.freeze();
    });
  }

  /** What the run has cost, including earlier segments. */
  stats(): RunStats {
    const { executionMs = 0, heapBytes = 0 } = this.#usedBefore ?? {};
    const elapsedMs = this.#clock.elapsedMs();
    return {
      executionMs: executionMs + elapsedMs,
      instructionsUsed: this.#execution.instructions + this.#instructionsElsewhere,
      heapBytesUsed: Math.max(heapBytes, grownBytes(elapsedMs)),
      hostCalls: this.hostCalls,
      bytesRead: this.#files.bytesRead,
    };
  }

  /** The same for the next segment. */
  use(): KeptUse {
    const { executionMs, heapBytesUsed: heapBytes, hostCalls } = this.stats();
    const { computedMs = 0, cpuMs: cpuBefore = 0 } = this.#usedBefore ?? {};
    const cpu = this.#clock.cpuMs();
    return {
      executionMs,
      computedMs: computedMs + Math.min(cpu, this.#clock.elapsedMs()),
      cpuMs: cpuBefore + cpu,
      heapBytes,
      hostCalls,
      consoleLeft: this.#console.left,
    };
  }

  /** Returns the result if it is not too long. */
  #fitting({ value, size }: Completed): WireValue {
    const limit = Math.min(this.#params.limits.outputBytes, maxValueBytes);
    // This is an upper bound. Only a value that may be too long is written out and measured.
    const bytes = size <= limit ? size : bytesOfMessage(stringifyMessage(value));
    if (bytes > limit) throw tooLong('The result is', 'output_bytes', limit, bytes);
    return value;
  }

  #ending<T>(body: () => T): T {
    try {
      this.#stopIfOver();
      return body();
    } finally {
      this.#console.end();
    }
  }

  /** The error of `finish` or `advance`, as the caller should see it. */
  failure(error: SandboxError): SandboxError {
    const explained = this.#explain(error);
    const { code, message, details, cause } = explained;
    // QuickJS compiles when it runs. When a script does not compile, nothing of it was run.
    if (code === 'parse_error' || code === 'unsupported_syntax') return explained;
    const facts = { engine: this.#engine, ...readNames(this.#files), ...this.profile(), spent: this.#spent() };
    return new SandboxError(code, message, { details: { ...details, ...facts }, cause });
  }

  // The calls that the engine makes.

  call(name: string, args: SandboxValue[]): Outcome {
    this.#pace.check();
    this.#profiler?.called(name, args, this.#execution.instructions);
    const outcome = this.#outcomeOf(name, args);
    this.#profiler?.answered(outcome);
    return outcome;
  }

  begin(name: string, args: SandboxValue[], place: () => CallLocation | undefined): ReturnType<Calls['begin']> {
    this.hostCalls++;
    try {
      return this.#hostFunctions.begin(name, args, place);
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
      if (name === 'parallel') return this.#inParallel(args);
      const isKept = name === 'save' || name === 'chart';
      const outcome = isKept ? this.#keep(name, args) : builtinHandlers[name](this.#files, args);
      // After this the engine may be in one operation until it is killed, or die of that operation.
      this.#progress?.look(this.#clock.observedMs());
      return outcome;
    } catch (error) {
      return this.#thrown.throwIntoScript(error);
    }
  }

  /** @throws {SandboxError} `capability_denied` when the host keeps no files */
  #keep(name: 'save' | 'chart', args: SandboxValue[]): Outcome {
    if (!this.#params.hostFunctions.includes(savingFunction)) throw keepsNothing(name);
    let outcome: Outcome | undefined;
    const deliver = (part: SandboxValue[]): boolean => {
      outcome = this.#hostFunctions.call(savingFunction, part);
      return !('error' in outcome);
    };
    if (name === 'save') later.save().saveFile(args, this.#pace, this.#saved, deliver);
    else later.chart().keepChart(args, this.#pace, this.#saved, deliver);
    return outcome as unknown as Outcome;
  }

  /** @throws {SandboxError} `capability_denied` when the host starts no other runs for this one */
  #inParallel(args: SandboxValue[]): Outcome {
    if (!this.#params.hostFunctions.includes(parallelFunction)) throw startsNothing();
    return later.parallel().runInParallel(this.#files, args, {
      leftMs: this.#clock.leftMs(),
      ask: (asked) => this.#hostFunctions.call(parallelFunction, asked) as { value: WireValue } | { error: HostError },
      spend: ({ ms, instructions }) => {
        this.#clock.spend(ms);
        this.#instructionsElsewhere += instructions;
      },
    });
  }

  #spent(): RunSpent {
    const { reached } = this.#files.budget;
    return {
      ...this.stats(),
      cpuMs: (this.#usedBefore?.cpuMs ?? 0) + this.#clock.cpuMs(),
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
    // Only the watchdog cancels the engine, and it does so at the deadline.
    const isCancelled = error.code === 'cancelled' && !this.#environment.signal.aborted;
    return isCancelled || error.code === 'timeout' ? this.#timeout(error) : this.#thrown.explain(error);
  }

  #timeout(where?: SandboxError): SandboxError {
    const { timeoutMs } = this.#params.limits;
    const { location, frame } = where?.details ?? {};
    const place = location === undefined ? '' : ` It was in ${placeName(location)}.`;
    const busy = busyWords(this.#spent(), timeoutMs);
    return new SandboxError(
      'timeout',
      `The script did not finish within ${timeoutMs} ms.${place}${busy} ${limitAdvice('timeoutMs')}`,
      { details: { limit: 'timeout_ms', value: timeoutMs, unit: 'ms', location, frame } },
    );
  }
}

/**
 * Left out when empty, because most runs of a busy host read only from the root, and every byte of an answer costs
 * time.
 */
export function readNames({ attachmentsRead }: FileAccess): { attachmentsRead?: string[] } {
  return attachmentsRead.length === 0 ? {} : { attachmentsRead };
}

function placeName(location: NonNullable<SandboxError['details']['location']>): string {
  const { line, endLine, functionName } = location;
  const lines = line === endLine ? `line ${line}` : `lines ${line}-${endLine}`;
  return functionName === undefined ? lines : `${functionName}, ${lines}`;
}

/** To the engine, `save` and `parallel` are built-ins and not host functions. */
function withoutServing(hostFunctions: readonly string[]): string[] {
  return hostFunctions.filter((name) => !servingFunctions.includes(name));
}

function keepsNothing(name: 'save' | 'chart'): SandboxError {
  const why =
    'this run keeps no files, because its host has no folder for outputs, or it is one of parallel(). Return the data instead.';
  return new SandboxError('capability_denied', `${name}: ${why}`, { details: { capability: name } });
}

function startsNothing(): SandboxError {
  const why =
    'this run cannot start others, because it is one of parallel() itself, or stops at each call of its host. Use ' +
    'paths.map((path) => fn(path)) instead.';
  return new SandboxError('capability_denied', `parallel: ${why}`, { details: { capability: parallelFunction } });
}
