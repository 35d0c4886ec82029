import { messageOf, SandboxError } from '../protocol/errors.ts';
import type { Limits } from '../protocol/limits.ts';
import type { Diagnostic, EngineInfo } from '../protocol/methods.ts';
import type { SandboxValue, WireValue } from '../protocol/values.ts';
import type { Binding, LoadedBinding } from './binding.ts';
import { decodeForWire, decodeValue, encodeInputs, encodeOutcome, type EngineValue, type Outcome } from './codec.ts';
import { compileDiagnostics, compileError, runtimeError } from './diagnostics.ts';

export type { Outcome } from './codec.ts';

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

interface Program {
  handle: string;
  source: string;
}

const cachedPrograms = 64;

/** Compiles and runs scripts in the native engine. All of it is synchronous and on the calling thread. */
export class Engine {
  readonly info: EngineInfo;
  readonly #binding: Binding | undefined;
  /** By source, least recently used first. */
  readonly #programs = new Map<string, Program>();

  constructor({ info, binding }: LoadedBinding) {
    this.info = info;
    this.#binding = binding;
  }

  /** @throws {SandboxError} `engine_unavailable` */
  get #native(): Binding {
    if (this.#binding !== undefined) return this.#binding;
    throw new SandboxError('engine_unavailable', this.info.reason ?? 'The engine is not available.', {
      details: { platform: `${process.platform}-${process.arch}` },
    });
  }

  /** What the compiler says about `source`; nothing is run. */
  validate(source: string): Diagnostic[] {
    try {
      this.#compile(source);
      return [];
    } catch (error) {
      if (error instanceof SandboxError) throw error;
      return compileDiagnostics(error, source);
    }
  }

  /**
   * Makes `source` ready to run.
   *
   * @param capabilities names that the script may call; each call suspends the run
   * @throws {SandboxError} `parse_error`, `unsupported_syntax`, `engine_unavailable`
   */
  prepare(source: string, capabilities: string[], limits: Limits): Execution {
    let program: Program;
    try {
      program = this.#compile(source);
    } catch (error) {
      throw error instanceof SandboxError ? error : compileError(error, source);
    }
    return new Execution(this.#native, program, capabilities, limits);
  }

  /** Releases every cached program. */
  close(): void {
    for (const program of this.#programs.values()) this.#binding?.releaseProgram(program.handle);
    this.#programs.clear();
  }

  #compile(source: string): Program {
    const native = this.#native;
    const cached = this.#programs.get(source);
    // Lenient: a `return` as the last top-level statement is the result, because models write it.
    const program = cached ?? { source, handle: native.compileProgramWithOptions(source, '{"lenient_mode":true}') };
    this.#programs.delete(source);
    this.#programs.set(source, program);
    if (this.#programs.size > cachedPrograms) {
      const [oldest] = this.#programs.values() as Iterable<Program> as [Program];
      this.#programs.delete(oldest.source);
      native.releaseProgram(oldest.handle);
    }
    return program;
  }
}

/** @throws {SandboxError} `invalid_request` */
function payloadOf(inputs: WireValue | undefined): Buffer {
  try {
    return encodeInputs(inputs);
  } catch (error) {
    throw new SandboxError('invalid_request', `inputs: ${messageOf(error)}`);
  }
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

  constructor(native: Binding, program: Program, capabilities: string[], limits: Limits) {
    this.#native = native;
    this.#program = program;
    this.#limits = limits;
    this.#context = native.createExecutionContext(
      JSON.stringify({
        capabilities,
        limits: {
          instruction_budget: limits.instructions,
          heap_limit_bytes: limits.heapBytes,
          allocation_budget: limits.allocations,
          call_depth_limit: limits.callDepth,
          max_outstanding_host_calls: limits.outstandingHostCalls,
        },
      }),
    );
    this.cancelToken = native.createCancellationToken();
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
    this.#native.releaseExecutionContext(this.#context);
  }

  #step(call: () => string): Step {
    this.#snapshot = undefined;
    let json: string;
    try {
      json = call();
    } catch (error) {
      throw runtimeError(error, this.#program.source, this.#limits);
    }
    const step = JSON.parse(json) as NativeStep;
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
