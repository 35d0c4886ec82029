import { compileFailure, SandboxError, type Diagnostic, type EngineInfo, type Limits } from '@mustard-sandbox/protocol';
import type { Engine, EngineRun, Frozen, Setup } from '../interface.ts';
import type { Program } from '../read/program.ts';
import type { Binding, LoadedBinding } from './binding.ts';
import { compileDiagnostics } from './diagnostics.ts';
import { differencesOf } from './differences.ts';
import { Execution, type Compiled } from './execution.ts';
import { policyOf, withinReach } from './policy.ts';

const cachedPrograms = 64;

/** The limits that the engine itself enforces. */
const engineLimits = ['instructions', 'heapBytes', 'allocations', 'callDepth', 'outstandingHostCalls'] as const;

/** A compiled program, and what its last run was given. */
interface Cached extends Compiled {
  /** Kept, because making a context takes a tenth of a small run, and a host seldom changes its limits. */
  context?: { limits: Limits; capabilities: string[]; handle: string };
}

/** Runs scripts in the language MustardScript, in the native engine of this platform. */
export class MustardScript implements Engine {
  readonly name = 'mustardscript';
  readonly info: EngineInfo;
  readonly #binding: Binding | undefined;
  /** The key is the code; the least recently used comes first. */
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

  prepare(program: Program, setup: Setup, frozen?: Frozen): EngineRun {
    const compiled = this.#compile(program);
    if ('diagnostics' in compiled) throw compileFailure(compiled.diagnostics);
    return new Execution(this.#native, compiled, this.#contextOf(compiled, setup), setup, frozen);
  }

  version(): string {
    return this.info.version ?? 'none';
  }

  thaw(program: Program, setup: Setup, frozen: Frozen): EngineRun {
    return this.prepare(program, setup, frozen);
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

  #contextOf(compiled: Cached, setup: Setup): string {
    const { context } = compiled;
    const { limits } = setup;
    const { code } = compiled.program;
    const capabilities = withinReach(setup, code);
    if (context !== undefined) {
      if (isSameLimits(context.limits, limits) && isSame(context.capabilities, capabilities)) return context.handle;
      this.#native.releaseExecutionContext(context.handle);
      delete compiled.context;
    }
    const handle = this.#native.createExecutionContext(JSON.stringify(policyOf(code, setup)));
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

function isSameLimits(one: Limits, other: Limits): boolean {
  return one === other || engineLimits.every((name) => one[name] === other[name]);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}
