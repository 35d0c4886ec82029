import { builtinNames, type SandboxError } from '@mustard-sandbox/client';
import { list } from './words.ts';
import { parseProgram, type Program } from './program.ts';

/** What is known of the run that failed. */
export interface FailureContext {
  /** As the model wrote it. */
  script: string;
  /** Names of the functions that the script had besides the built-in ones. */
  hostFunctions?: readonly string[] | undefined;
  /** Names of the attachments that the script could read. */
  attachments?: readonly string[] | undefined;
  /** Whether it had a folder. */
  hasRoot?: boolean | undefined;
}

/** A failed run, with the script parsed once it is asked for. */
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

  /** Whether the script uses `await`: then capability calls may give promises. */
  get usesAwait(): boolean {
    return this.program?.some((node) => node.type === 'AwaitExpression') ?? false;
  }

  /** The functions that the script could call, as a model should see them. */
  get functions(): string {
    const names = [...builtinNames, ...(this.context.hostFunctions ?? [])];
    return list(names.map((name) => `${name}()`));
  }
}

/** The parts of a text for the model; `renderAnswer` puts them together. */
export interface Answer {
  /** What happened: whole sentences. */
  what: string;
  /** Why, and what to do instead: whole sentences. */
  advice: string;
  /** A complete script that works; what it computes is an example. */
  example?: string | undefined;
  /** Where it happened is of no use, or is said in `what`. */
  hidePlace?: boolean;
}
