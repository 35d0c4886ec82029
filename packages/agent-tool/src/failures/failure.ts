import { builtinNames, type RunProfile, type SandboxError } from '@mustard-sandbox/client';
import { list } from './words.ts';

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

/** How much of a script is looked at around the place of an error, in characters. */
const maxLooked = 400;

/**
 * A failed run. Nothing parses its script: that would be in the host's own process, and without a deadline. What looks at
 * it looks at a few hundred characters.
 */
export class Failure {
  readonly error: SandboxError;
  readonly context: FailureContext;

  constructor(error: SandboxError, context: FailureContext) {
    this.error = error;
    this.context = context;
  }

  /** The lines of the error as far as they are short, or the part of a long line around the error. */
  get code(): string {
    const { location } = this.error.details;
    if (location === undefined) return '';
    const lines = this.context.script.split('\n').slice(location.line - 1, location.endLine);
    const from = Math.max(0, (location.column ?? 1) - 1 - maxLooked / 2);
    return lines.join('\n').slice(from, from + maxLooked);
  }

  /** Whether the script uses `await`. If so, host functions give promises. */
  get usesAwait(): boolean {
    return /\bawait\b/.test(this.context.script);
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
