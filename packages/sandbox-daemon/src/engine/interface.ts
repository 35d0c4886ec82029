import type {
  Diagnostic,
  EngineInfo,
  EngineName,
  HostError,
  Limits,
  RunWarning,
  SandboxError,
  SandboxValue,
  WireValue,
} from '@mustard-sandbox/protocol';
import type { Program } from './read/program.ts';

/** How a call of a capability ended, as the script will see it. */
export type Outcome =
  | { value: WireValue }
  /** A string, as valid UTF-8. */
  | { text: Buffer }
  /** The lines of a text as a list, as valid UTF-8 and without their ends. */
  | { lines: Buffer }
  | { error: HostError };

/** How a call that was begun earlier has ended. */
export interface Answer {
  id: number;
  outcome: Outcome;
}

/** Line and column of a call in the script, from 1. */
export interface CallLocation {
  line: number;
  column: number;
}

/** A run that waits for its calls, in a form that another process with the same engine version can continue from. */
export interface Frozen {
  /** What the engine knows of the run outside of its memory, as JSON. */
  state: Record<string, unknown>;
  memory: Buffer;
}

/**
 * The calls that an engine makes to the run that it executes. Every method is synchronous, so engine and script stand
 * still meanwhile. An error of a method ends the run, and the engine passes it on.
 */
export interface Calls {
  /** Runs a built-in, writes to the console, or calls a host function and waits for its answer. */
  call(name: string, args: SandboxValue[]): Outcome;
  /**
   * Begins a call of a host function, which runs while the script continues. Returns its id, or why it was not begun.
   *
   * @param place where the call is in the script, as far as the engine knows
   */
  begin(
    name: string,
    args: SandboxValue[],
    place: () => CallLocation | undefined,
  ): { id: number } | { error: HostError };
  /** Waits until one of the calls that were begun has ended. There must be one. */
  next(): Answer;
  /** Called often while the script computes. It throws when the run is over. */
  look(): void;
}

/** What a run may use, and what it begins with. */
export interface Setup {
  limits: Limits;
  inputs: WireValue | undefined;
  /** Names of the built-ins and the console's functions that the script may call. */
  builtins: readonly string[];
  /** Names of host functions. In a script with `await` they return promises. */
  hostFunctions: readonly string[];
}

/** How a script ended. */
export interface Completed {
  value: WireValue;
  /** An upper bound of the value's JSON, in bytes. */
  size: number;
}

/** One run of one program. The caller must always dispose of it. */
export interface EngineRun extends Disposable {
  /**
   * What the engine has counted so far: bytecode instructions in MustardScript, or turns of loops and calls in QuickJS.
   */
  readonly instructions: number;
  /** The token with which another thread cancels the run; `undefined` for an engine that only `look` can stop. */
  readonly cancelToken: string | undefined;
  /** What the caller should know of the script or of its result. */
  readonly warnings: readonly RunWarning[];
  /**
   * Runs the script to its end.
   *
   * @throws {SandboxError} the error of the script, or the error that a method of `calls` threw
   */
  finish(calls: Calls): Completed;
  /**
   * Runs the script until it ends, or until it can do nothing but wait for the calls that it has begun.
   *
   * @param answers to calls that it has begun before
   * @returns `undefined` when it waits
   * @throws {SandboxError} like `finish`, and `cannot_freeze` for a call that the script does not await
   */
  advance(calls: Calls, answers: readonly Answer[]): Completed | undefined;
  /**
   * The waiting run. Call this only after `advance` has returned `undefined`.
   *
   * @throws {SandboxError} `cannot_freeze`, which names what cannot be kept
   */
  freeze(): Frozen;
  /** The error of `finish` in the words of an engine that knows more about it. Absent when this engine knows most. */
  told?(error: SandboxError): Promise<SandboxError>;
}

/** A language that scripts can be run in. */
export interface Engine {
  readonly name: EngineName;
  readonly info: EngineInfo;
  /** The errors of the compiler. Nothing is run. */
  validate(program: Program, setup: Pick<Setup, 'builtins' | 'hostFunctions'>): Diagnostic[] | Promise<Diagnostic[]>;
  /**
   * Makes a program ready to run.
   *
   * @throws {SandboxError} `parse_error`, `unsupported_syntax`, `engine_unavailable`
   */
  prepare(program: Program, setup: Setup): EngineRun | Promise<EngineRun>;
  /** The version that a frozen run needs to continue. It is the same text wherever the same engine runs. */
  version(): string | Promise<string>;
  /**
   * A run that continues from where it was frozen. The program and the setup must be those that it was prepared with.
   *
   * @throws {SandboxError} `snapshot_refused` when it is not a frozen run of this program, `engine_unavailable`
   */
  thaw(program: Program, setup: Setup, frozen: Frozen): EngineRun | Promise<EngineRun>;
}
