import type { EngineName } from '../protocol/engines.ts';
import type { HostError, EngineInfo, Diagnostic, RunWarning } from '../protocol/methods.ts';
import type { Limits } from '../protocol/limits.ts';
import type { SandboxValue, WireValue } from '../protocol/values.ts';
import type { Program } from './read/read.ts';

/** How a call of a capability ended, as the script will see it. */
export type Outcome =
  | { value: WireValue }
  /** A string, as valid UTF-8. */
  | { text: Buffer }
  /** A list of the lines of a text, as valid UTF-8; without their ends. */
  | { lines: Buffer }
  | { error: HostError };

/**
 * What an engine asks of the run that it executes. Every method is synchronous: the engine stands still meanwhile, and so
 * does the script. What a method throws ends the run, and the engine passes it on.
 */
export interface Calls {
  /** Runs a built-in, writes to the console, or calls a host function and waits for its answer. */
  call(name: string, args: SandboxValue[]): Outcome;
  /** Begins a call of a host function, which goes on beside the script. Gives its id, or why it was not begun. */
  begin(name: string, args: SandboxValue[]): { id: number } | { error: HostError };
  /** Waits until one of the begun calls has ended. There must be one. */
  next(): { id: number; outcome: Outcome };
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
}
