import { builtinNames, type RunProfile, type SandboxError } from '@mustard-sandbox/client';
import { list } from './words.ts';

/** What the host knows of the failed run. */
export interface FailureContext {
  /** The script as the model wrote it. */
  script: string;
  /** Names of the functions that the script had in addition to the built-ins. */
  hostFunctions?: readonly string[] | undefined;
  /** Names of the attachments that the script could read. */
  attachments?: readonly string[] | undefined;
  /** Whether the script could read in a folder. */
  hasRoot?: boolean | undefined;
  /** Where the time of a run with `profile` went. */
  profile?: RunProfile | undefined;
}

/** How many characters of a script are looked at around the place of an error. */
const maxLooked = 400;

/**
 * A failed run. The script is never parsed here, because that would happen in the host's own process and without a
 * deadline. Only a few hundred characters of it are looked at.
 */
export class Failure {
  readonly error: SandboxError;
  readonly context: FailureContext;

  constructor(error: SandboxError, context: FailureContext) {
    this.error = error;
    this.context = context;
  }

  /** The lines of the error if they are short, or the part of a long line around the error. */
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
  /** Whether to leave out the place, because it does not help the model, or `what` already tells it. */
  hidePlace?: boolean;
}
