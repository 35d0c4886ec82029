import { compileFailure } from '../protocol/compile-failure.ts';
import type { EngineChoice, EngineName } from '../protocol/engines.ts';
import type { Diagnostic, EngineInfo } from '../protocol/methods.ts';
import { chooseEngine } from './choose.ts';
import type { Engine, EngineRun, Setup } from './interface.ts';
import type { LoadedBinding } from './mustardscript/binding.ts';
import { MustardScript } from './mustardscript/engine.ts';
import { QuickJS } from './quickjs/engine.ts';
import { read, type Program } from './read/read.ts';

type Names = Pick<Setup, 'builtins' | 'hostFunctions'>;

/** How many scripts are kept with what was read of them: an agent often runs one again. */
const keptReadings = 64;

interface Reading {
  program: Program;
  engine: EngineName;
}

/** The two engines, and which of them runs a script. */
export class Engines {
  readonly #mustardScript: MustardScript;
  readonly #quickJS: QuickJS;
  /** By choice and source, least recently used first. */
  readonly #readings = new Map<string, Reading>();

  /** @param folder the one of the bundle: what QuickJS is made of stands beside it */
  constructor(binding: LoadedBinding, folder: URL) {
    this.#quickJS = new QuickJS(folder);
    this.#mustardScript = new MustardScript(binding);
  }

  get mustardScript(): EngineInfo {
    return this.#mustardScript.info;
  }

  /** Does while nobody waits what the next run needs. */
  prepareNext(): void {
    this.#quickJS.prepareNext();
  }

  /**
   * Makes a script ready to run.
   *
   * @throws {SandboxError} `parse_error`, `unsupported_syntax`, `engine_unavailable`
   */
  async prepare(source: string, choice: EngineChoice, setup: Setup): Promise<{ engine: EngineName; run: EngineRun }> {
    const reading = this.#read(source, choice);
    if ('diagnostics' in reading) throw compileFailure(reading.diagnostics);
    const { engine, program } = reading;
    return { engine, run: await this.#engine(engine).prepare(program, setup) };
  }

  /** What is wrong with a script; nothing is run. */
  async validate(source: string, choice: EngineChoice, names: Names): Promise<Diagnostic[]> {
    const reading = this.#read(source, choice);
    if ('diagnostics' in reading) return reading.diagnostics;
    return await this.#engine(reading.engine).validate(reading.program, names);
  }

  #engine(name: EngineName): Engine {
    return name === 'quickjs' ? this.#quickJS : this.#mustardScript;
  }

  #read(source: string, choice: EngineChoice): Reading | { diagnostics: Diagnostic[] } {
    const key = `${choice}:${source}`;
    const known = this.#readings.get(key);
    this.#readings.delete(key);
    const reading = known ?? this.#readAnew(source, choice);
    if ('diagnostics' in reading) return reading;
    this.#readings.set(key, reading);
    const [oldest] = this.#readings.keys();
    if (this.#readings.size > keptReadings && oldest !== undefined) this.#readings.delete(oldest);
    return reading;
  }

  #readAnew(source: string, choice: EngineChoice): Reading | { diagnostics: Diagnostic[] } {
    const program = read(source);
    if ('diagnostics' in program) return program;
    if (choice !== 'auto') return { program, engine: choice };
    return { program, engine: this.mustardScript.available ? chooseEngine(program) : 'quickjs' };
  }
}
