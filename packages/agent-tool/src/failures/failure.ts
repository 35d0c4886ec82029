import { builtinNames, type RunProfile, type SandboxError } from '@mustard-sandbox/client';
import { list } from './words.ts';
import { parseProgram, type Program } from './program.ts';

/** What the host knows of the failed run. */
export interface FailureContext {
  /** As the model wrote it. */
  script: string;
  /** Names of the functions that the script had besides the built-in ones. */
  hostFunctions?: readonly string[] | undefined;
  /** Names of the attachments that the script could read. */
  attachments?: readonly string[] | undefined;
  /** Whether the script could read in a folder. */
  hasRoot?: boolean | undefined;
  /** Where its time went, of a run with `profile`. */
  profile?: RunProfile | undefined;
}

/** A failed run. Its script is parsed only when somebody asks for the program. */
export class Failure {
  readonly error: SandboxError;
  readonly context: FailureContext;
  #program: Program | undefined | null = null;

  constructor(error: SandboxError, context: FailureContext) {
    this.error = error;
    this.context = context;
  }

  /** `undefined` for a script that is not JavaScript. */
  get program(): Program | undefined {
    if (this.#program === null) this.#program = parseProgram(this.context.script);
    return this.#program;
  }

  /** Whether the script uses `await`. If so, capability calls may return promises. */
  get usesAwait(): boolean {
    return this.program?.some((node) => node.type === 'AwaitExpression') ?? false;
  }

  /** The functions that the script could call, as a model should see them. */
  get functions(): string {
    const names = [...builtinNames, ...(this.context.hostFunctions ?? [])];
    return list(names.map((name) => `${name}()`));
  }
}

/** The parts of a text for the model. `renderAnswer` joins them. */
export interface Answer {
  /** What happened: whole sentences. */
  what: string;
  /** Why, and what to do instead: whole sentences. */
  advice: string;
  /** A complete script that works, as an example. */
  example?: string | undefined;
  /** The place does not help the model, or `what` already tells it. */
  hidePlace?: boolean;
}
