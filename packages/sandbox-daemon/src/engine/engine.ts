import { compileFailure } from '../protocol/compile-failure.ts';
import { messageOf, SandboxError } from '../protocol/errors.ts';
import type { Limits } from '../protocol/limits.ts';
import type { Diagnostic, EngineInfo } from '../protocol/methods.ts';
import type { SandboxValue, WireValue } from '../protocol/values.ts';
import type { Binding, LoadedBinding } from './binding.ts';
import { decodeForWire, decodeValue, encodeInputs, encodeOutcome, type EngineValue, type Outcome } from './codec.ts';
import { runtimeError, type Script } from './diagnostics.ts';
import { compile, type FrontEnd } from './compile.ts';
import type { Warning } from '../lowering/index.ts';

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

/** A script that is ready to run. */
interface Program extends Script {
  handle: string;
  warnings: Warning[];
  /** The names that it was compiled for: with other names the same source may mean another program. */
  capabilities: readonly string[];
}

export interface EngineOptions extends LoadedBinding {
  /** Loads the front end that rewrites scripts, with the first script. Without it, scripts run unchanged. */
  loadFrontEnd?: () => FrontEnd;
  /** Told of a bug in the front end; the script then runs as it is, with a warning. */
  onFault?: (message: string) => void;
}

const cachedPrograms = 64;

/** Compiles and runs scripts in the native engine. All of it is synchronous and on the calling thread. */
export class Engine {
  readonly info: EngineInfo;
  readonly #binding: Binding | undefined;
  /** By source, least recently used first. */
  readonly #programs = new Map<string, Program>();

  readonly #options: EngineOptions;
  #frontEnd: FrontEnd | undefined;

  constructor(options: EngineOptions) {
    this.info = options.info;
    this.#binding = options.binding;
    this.#options = options;
  }

  /** @throws {SandboxError} `engine_unavailable` */
  get #native(): Binding {
    if (this.#binding !== undefined) return this.#binding;
    throw new SandboxError('engine_unavailable', this.info.reason ?? 'The engine is not available.', {
      details: { platform: `${process.platform}-${process.arch}` },
    });
  }

  /** What the compiler says about `source`; nothing is run. */
  validate(source: string, capabilities: readonly string[] = []): Diagnostic[] {
    const compiled = this.#compile(source, capabilities);
    return 'diagnostics' in compiled ? compiled.diagnostics : [];
  }

  /**
   * Makes `source` ready to run.
   *
   * @param capabilities names that the script may call; each call suspends the run
   * @throws {SandboxError} `parse_error`, `unsupported_syntax`, `engine_unavailable`
   */
  prepare(source: string, capabilities: string[], limits: Limits): Execution {
    const compiled = this.#compile(source, capabilities);
    if ('diagnostics' in compiled) throw compileFailure(compiled.diagnostics);
    return new Execution(this.#native, compiled, capabilities, limits);
  }

  /** What a rewritten script has V8 do. */
  operate(args: readonly SandboxValue[]): unknown {
    return this.#frontEnd?.operate(args);
  }

  /** Releases every cached program. */
  close(): void {
    for (const program of this.#programs.values()) this.#binding?.releaseProgram(program.handle);
    this.#programs.clear();
  }

  #compile(source: string, capabilities: readonly string[]): Program | { diagnostics: Diagnostic[] } {
    const native = this.#native;
    const cached = this.#programs.get(source);
    if (cached !== undefined) {
      this.#programs.delete(source);
      if (isSame(cached.capabilities, capabilities)) {
        this.#programs.set(source, cached);
        return cached;
      }
      native.releaseProgram(cached.handle);
    }
    this.#frontEnd ??= this.#options.loadFrontEnd?.();
    const compiled = compile(source, capabilities, native, this.#frontEnd, this.#options.onFault);
    if ('diagnostics' in compiled) return compiled;
    const program = { ...compiled, capabilities };
    this.#programs.set(source, program);
    if (this.#programs.size > cachedPrograms) {
      const [oldest] = this.#programs.values() as Iterable<Program> as [Program];
      this.#programs.delete(oldest.source);
      native.releaseProgram(oldest.handle);
    }
    return program;
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
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
    this.#native.releaseExecutionContext(this.#context);
  }

  #step(call: () => string): Step {
    this.#snapshot = undefined;
    let json: string;
    try {
      json = call();
    } catch (error) {
      throw runtimeError(error, this.#program, this.#limits);
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
