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
    const reading = this.#read(source, allowedFor(choice, setup));
    if ('diagnostics' in reading) throw compileFailure(reading.diagnostics);
    const { engine, program } = reading;
    const run = await this.#engine(engine).prepare(program, setup);
    // What is forced into MustardScript may mean something else in QuickJS.
    if (engine === 'quickjs' || (choice !== 'auto' && this.#chosen(program) === 'quickjs')) return { engine, run };
    return { engine, run: new RetoldRun(run, () => this.#quickJS.prepare(forQuickJS(program), setup)) };
  }

  /** The version of an engine, as `thaw` needs it to be. */
  async version(name: EngineName): Promise<string> {
    return await this.#engine(name).version();
  }

  /**
   * A run that goes on from where it was frozen.
   *
   * @throws {SandboxError} `snapshot_refused`, `engine_unavailable`
   */
  async thaw(source: string, engine: EngineName, setup: Setup, frozen: Frozen): Promise<EngineRun> {
    const reading = this.#read(source, engine);
    if ('diagnostics' in reading) throw compileFailure(reading.diagnostics);
    return await this.#engine(engine).thaw(reading.program, setup, frozen);
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
 * The choice that is left where host functions stand in a namespace: MustardScript knows no namespace but `console`.
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
