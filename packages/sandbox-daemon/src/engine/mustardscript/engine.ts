import { compileFailure } from '../../protocol/compile-failure.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { Diagnostic, EngineInfo } from '../../protocol/methods.ts';
import type { Engine, EngineRun, Setup } from '../interface.ts';
import type { Program } from '../read/read.ts';
import type { Binding, LoadedBinding } from './binding.ts';
import { compileDiagnostics } from './diagnostics.ts';
import { differencesOf } from './differences.ts';
import { Execution, type Compiled } from './execution.ts';

const cachedPrograms = 64;

/** The limits that the engine itself enforces. */
const engineLimits = ['instructions', 'heapBytes', 'allocations', 'callDepth', 'outstandingHostCalls'] as const;

type Names = Pick<Setup, 'builtins' | 'hostFunctions'>;

/** A program, and what its last run was given. */
interface Cached extends Compiled {
  /** Making a context costs a tenth of a small run, and a host seldom changes its limits. */
  context?: { limits: Limits; capabilities: string[]; handle: string };
}

/** Runs scripts as the language MustardScript that they are then, in the native engine of this platform. */
export class MustardScript implements Engine {
  readonly name = 'mustardscript';
  readonly info: EngineInfo;
  readonly #binding: Binding | undefined;
  /** By code, least recently used first. */
  readonly #programs = new Map<string, Cached>();

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

  validate(program: Program): Diagnostic[] {
    const compiled = this.#compile(program);
    return 'diagnostics' in compiled ? compiled.diagnostics : [];
  }

  prepare(program: Program, setup: Setup): EngineRun {
    const compiled = this.#compile(program);
    if ('diagnostics' in compiled) throw compileFailure(compiled.diagnostics);
    return new Execution(this.#native, compiled, this.#contextOf(compiled, setup), setup);
  }

  /** Releases every cached program. */
  close(): void {
    for (const program of this.#programs.values()) this.#release(program);
    this.#programs.clear();
  }

  #release({ handle, context }: Cached): void {
    this.#binding?.releaseProgram(handle);
    if (context !== undefined) this.#binding?.releaseExecutionContext(context.handle);
  }

  #contextOf(compiled: Cached, { limits, ...names }: Setup): string {
    const { context } = compiled;
    const capabilities = withinReach(names, compiled.program.code);
    if (context !== undefined) {
      if (isSameLimits(context.limits, limits) && isSame(context.capabilities, capabilities)) return context.handle;
      this.#native.releaseExecutionContext(context.handle);
      delete compiled.context;
    }
    const handle = this.#native.createExecutionContext(
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
    compiled.context = { limits, capabilities, handle };
    return handle;
  }

  #compile(program: Program): Cached | { diagnostics: Diagnostic[] } {
    const native = this.#native;
    const { code, source } = program;
    const cached = this.#programs.get(code);
    if (cached?.program.source === source) {
      this.#programs.delete(code);
      this.#programs.set(code, cached);
      return cached;
    }
    if (cached !== undefined) {
      this.#programs.delete(code);
      this.#release(cached);
    }
    let handle: string;
    try {
      handle = native.compileProgramWithOptions(code, '{}');
    } catch (error) {
      return { diagnostics: compileDiagnostics(error, program) };
    }
    const compiled: Cached = { program, handle, warnings: differencesOf(program) };
    this.#programs.set(code, compiled);
    if (this.#programs.size > cachedPrograms) {
      const [[oldest, released]] = this.#programs as Iterable<[string, Cached]> as [[string, Cached]];
      this.#programs.delete(oldest);
      this.#release(released);
    }
    return compiled;
  }
}

/**
 * The capabilities that `code` may get at. The engine makes a global of each at every start, and of the sixteen that there
 * are by default a small script names one or two.
 */
function withinReach({ builtins, hostFunctions }: Names, code: string): string[] {
  // By a name that is put together, or written with an escape.
  const isAll = code.includes('globalThis') || code.includes('\\u');
  return [...builtins, ...hostFunctions].filter((name) => {
    const [global = name] = name.split('.', 1);
    return isAll || code.includes(global);
  });
}

function isSameLimits(one: Limits, other: Limits): boolean {
  return one === other || engineLimits.every((name) => one[name] === other[name]);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}
