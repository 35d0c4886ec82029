import { compileFailure } from '../protocol/compile-failure.ts';
import { SandboxError } from '../protocol/errors.ts';
import type { Limits } from '../protocol/limits.ts';
import type { Diagnostic, EngineInfo } from '../protocol/methods.ts';
import type { SandboxValue } from '../protocol/values.ts';
import type { Binding, LoadedBinding } from './binding.ts';
import { compile, type FrontEnd, type AskingRun } from './compile.ts';
import { Execution, type Program } from './execution.ts';

export type { Outcome } from './codec.ts';
export type { Execution, Step } from './execution.ts';

export interface EngineOptions extends LoadedBinding {
  /** Loads the front end that rewrites scripts, with the first script. Without it, scripts run unchanged. */
  loadFrontEnd?: () => FrontEnd;
  /** Told of a bug in the front end; the script then runs as it is, with a warning. */
  onFault?: (message: string) => void;
}

const cachedPrograms = 64;

/** The limits that the engine itself enforces. */
const engineLimits = ['instructions', 'heapBytes', 'allocations', 'callDepth', 'outstandingHostCalls'] as const;

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
    return new Execution(this.#native, compiled, this.#contextOf(compiled, limits), limits);
  }

  /** What a rewritten script has V8 do for the run that it is. */
  operate(args: readonly SandboxValue[], run: AskingRun): unknown {
    return this.#frontEnd?.operate(args, run);
  }

  /** Releases every cached program. */
  close(): void {
    for (const program of this.#programs.values()) this.#release(program);
    this.#programs.clear();
  }

  #release({ handle, context }: Program): void {
    this.#binding?.releaseProgram(handle);
    if (context !== undefined) this.#binding?.releaseExecutionContext(context.handle);
  }

  #contextOf(program: Program, limits: Limits): string {
    const { context } = program;
    if (context !== undefined && isSameContext(context.limits, limits)) return context.handle;
    if (context !== undefined) this.#native.releaseExecutionContext(context.handle);
    const handle = this.#native.createExecutionContext(
      JSON.stringify({
        capabilities: program.capabilities.filter((name) => isWithinReach(name, program.code)),
        limits: {
          instruction_budget: limits.instructions,
          heap_limit_bytes: limits.heapBytes,
          allocation_budget: limits.allocations,
          call_depth_limit: limits.callDepth,
          max_outstanding_host_calls: limits.outstandingHostCalls,
        },
      }),
    );
    program.context = { limits, handle };
    return handle;
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
      this.#release(cached);
    }
    this.#frontEnd ??= this.#options.loadFrontEnd?.();
    const compiled = compile(source, capabilities, native, this.#frontEnd, this.#options.onFault);
    if ('diagnostics' in compiled) return compiled;
    const program = { ...compiled, capabilities };
    this.#programs.set(source, program);
    if (this.#programs.size > cachedPrograms) {
      const [oldest] = this.#programs.values() as Iterable<Program> as [Program];
      this.#programs.delete(oldest.source);
      this.#release(oldest);
    }
    return program;
  }
}

/**
 * Whether `code` may get at a capability. The engine makes a global of each at every start, and of the sixteen that there
 * are by default a small script names one or two.
 */
function isWithinReach(capability: string, code: string): boolean {
  const [global = capability] = capability.split('.', 1);
  // By a name that is put together, or written with an escape.
  return code.includes(global) || code.includes('globalThis') || code.includes('\\u');
}

function isSameContext(one: Limits, other: Limits): boolean {
  return one === other || engineLimits.every((name) => one[name] === other[name]);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}
