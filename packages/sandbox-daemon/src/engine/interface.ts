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
  /** A list of the lines of a text, as valid UTF-8; without their ends. */
  | { lines: Buffer }
  | { error: HostError };

/** How a call that was begun has ended. */
export interface Answer {
  id: number;
  outcome: Outcome;
}

/** Line and column of a call in the script, from 1. */
export interface CallLocation {
  line: number;
  column: number;
}

/** A run that waits for its calls, in a form that another process of the same engine version goes on from. */
export interface Frozen {
  /** What the engine knows of it outside of its memory, as JSON. */
  state: Record<string, unknown>;
  memory: Buffer;
}

/**
 * What an engine asks of the run that it executes. Every method is synchronous: the engine stands still meanwhile, and so
 * does the script. What a method throws ends the run, and the engine passes it on.
 */
export interface Calls {
  /** Runs a built-in, writes to the console, or calls a host function and waits for its answer. */
  call(name: string, args: SandboxValue[]): Outcome;
  /**
   * Begins a call of a host function, which goes on beside the script. Gives its id, or why it was not begun.
   *
   * @param place where in the script the call is, as far as the engine knows
   */
  begin(
    name: string,
    args: SandboxValue[],
    place: () => CallLocation | undefined,
  ): { id: number } | { error: HostError };
  /** Waits until one of the begun calls has ended. There must be one. */
  next(): Answer;
  /** Called often while the script computes: throws when the run is over. */
  look(): void;
}

/** What a run may use, and what it begins with. */
export interface Setup {
  limits: Limits;
  inputs: WireValue | undefined;
  /** Names of the built-ins and the console's functions that the script may call. */
  builtins: readonly string[];
  /** Names of host functions. In a program that waits they give promises. */
  hostFunctions: readonly string[];
}

/** How a script ended. */
export interface Completed {
  value: WireValue;
  /** An upper bound of the value's JSON, in bytes. */
  size: number;
}

/** One run of one program. Dispose of it on every path. */
export interface EngineRun extends Disposable {
  /** What the engine has counted so far: bytecode instructions, or turns of loops and calls. */
  readonly instructions: number;
  /** What another thread cancels the run by, where the engine can be stopped so. Others are stopped by `look`. */
  readonly cancelToken: string | undefined;
  /** What the caller should know of the script or of its result. */
  readonly warnings: readonly RunWarning[];
  /**
   * Runs the script to its end.
   *
   * @throws {SandboxError} what the script did wrong, and what a method of `calls` threw
   */
  finish(calls: Calls): Completed;
  /**
   * Runs the script until it ends, or until nothing is left to do but wait for the calls that it has begun.
   *
   * @param answers to calls that it has begun before
   * @returns `undefined` when it waits
   * @throws {SandboxError} as `finish`, and `cannot_freeze` for a call that the script does not await
   */
  advance(calls: Calls, answers: readonly Answer[]): Completed | undefined;
  /**
   * The run as it waits. Only after `advance` has said that it does.
   *
   * @throws {SandboxError} `cannot_freeze`, with what cannot be kept
   */
  freeze(): Frozen;
  /** The error of `finish` in the words of an engine that knows more of it. Absent where that is this one. */
  told?(error: SandboxError): Promise<SandboxError>;
}

/** A language that scripts can be run in. */
export interface Engine {
  readonly name: EngineName;
  readonly info: EngineInfo;
  /** What the compiler says about the program; nothing is run. */
  validate(program: Program, setup: Pick<Setup, 'builtins' | 'hostFunctions'>): Diagnostic[] | Promise<Diagnostic[]>;
  /**
   * Makes a program ready to run.
   *
   * @throws {SandboxError} `parse_error`, `unsupported_syntax`, `engine_unavailable`
   */
  prepare(program: Program, setup: Setup): EngineRun | Promise<EngineRun>;
  /** What a frozen run needs to go on: the same text wherever the same engine runs. */
  version(): string | Promise<string>;
  /**
   * A run that goes on from where it was frozen. The program and the setup must be those that it was prepared with.
   *
   * @throws {SandboxError} `snapshot_refused` for what is no frozen run of this program, `engine_unavailable`
   */
  thaw(program: Program, setup: Setup, frozen: Frozen): EngineRun | Promise<EngineRun>;
}
