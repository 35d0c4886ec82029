import {
  compileFailure,
  type Diagnostic,
  type EngineChoice,
  type EngineInfo,
  type EngineName,
  SandboxError,
} from '@mustard-sandbox/protocol';
import { chooseEngine } from './choose.ts';
import type { Engine, EngineRun, Frozen, Setup } from './interface.ts';
import type { LoadedBinding } from './mustardscript/binding.ts';
import { MustardScript } from './mustardscript/engine.ts';
import { QuickJS } from './quickjs/engine.ts';
import { RetoldRun } from './retelling.ts';
import { forQuickJS, read } from './read/read.ts';
import type { Program } from './read/program.ts';

type Names = Pick<Setup, 'builtins' | 'hostFunctions'>;

/** How many scripts are kept with the result of reading them, because an agent often runs a script again. */
const keptReadings = 64;

interface Reading {
  program: Program;
  engine: EngineName;
}

/** The two engines, and which of them runs a script. */
export class Engines {
  readonly #mustardScript: MustardScript;
  readonly #quickJS: QuickJS;
  /** The key is choice and source; the least recently used comes first. */
  readonly #readings = new Map<string, Reading>();

  /** @param folder the folder of the bundle, which also holds the parts of QuickJS */
  constructor(binding: LoadedBinding, folder: URL) {
    this.#quickJS = new QuickJS(folder);
    this.#mustardScript = new MustardScript(binding);
  }

  get mustardScript(): EngineInfo {
    return this.#mustardScript.info;
  }

  /** Prepares the next run while nobody waits. */
  prepareNext(): void {
    this.#quickJS.prepareNext();
  }

  /**
   * Makes a script ready to run.
   *
   * @throws {SandboxError} `parse_error`, `unsupported_syntax`, `engine_unavailable`
   */
  async prepare(source: string, choice: EngineChoice, setup: Setup): Promise<{ engine: EngineName; run: EngineRun }> {
    const reading = this.#read(source, allowedFor(choice, setup));
    if ('diagnostics' in reading) throw compileFailure(reading.diagnostics);
    const { engine, program } = reading;
    const run = await this.#engine(engine).prepare(program, setup);
    // A script that `auto` would not give to MustardScript may mean something else in QuickJS, so QuickJS does not
    // explain its errors.
    if (engine === 'quickjs' || (choice !== 'auto' && this.#chosen(program) === 'quickjs')) return { engine, run };
    return { engine, run: new RetoldRun(run, () => this.#quickJS.prepare(forQuickJS(program), setup)) };
  }

  /** The version of an engine, in the form that `thaw` compares. */
  async version(name: EngineName): Promise<string> {
    return await this.#engine(name).version();
  }

  /**
   * A run that continues from where it was frozen.
   *
   * @throws {SandboxError} `snapshot_refused`, `engine_unavailable`
   */
  async thaw(source: string, engine: EngineName, setup: Setup, frozen: Frozen): Promise<EngineRun> {
    const reading = this.#read(source, engine);
    if ('diagnostics' in reading) throw compileFailure(reading.diagnostics);
    return await this.#engine(engine).thaw(reading.program, setup, frozen);
  }

  /** The errors of the compiler. Nothing is run. */
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

  #chosen(program: Program): EngineName {
    return this.mustardScript.available ? chooseEngine(program) : 'quickjs';
  }

  #readAnew(source: string, choice: EngineChoice): Reading | { diagnostics: Diagnostic[] } {
    const program = read(source);
    if ('diagnostics' in program) return program;
    const engine = choice === 'auto' ? this.#chosen(program) : choice;
    return { program: engine === 'quickjs' ? forQuickJS(program) : program, engine };
  }
}

/**
 * The choice that remains when host functions are in a namespace, because the only namespace of MustardScript is
 * `console`.
 *
 * @throws {SandboxError} `invalid_request`
 */
function allowedFor(choice: EngineChoice, { hostFunctions }: Setup): EngineChoice {
  const name = hostFunctions.find((each) => each.includes('.'));
  if (name === undefined) return choice;
  if (choice !== 'mustardscript') return 'quickjs';
  const message = `MustardScript has no namespaces, so a script cannot call ${name}() there. Leave out engine: 'mustardscript'.`;
  throw new SandboxError('invalid_request', message, { details: { name } });
}
