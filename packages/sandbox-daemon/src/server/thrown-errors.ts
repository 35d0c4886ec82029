import { SandboxError, type ErrorCode, type ErrorDetails, type HostError } from '@mustard-sandbox/protocol';

/** How many thrown errors a run remembers. An error that leaves a script was usually thrown into it just before. */
const mostThrown = 100;

/** How many errors with details are kept. A script may catch an error and throw it again after others came. */
const keptDetails = 16;

/** No script can catch these, because the run is over, its client is gone, or it can get no answer. */
const endings = new Set<string>(['cancelled', 'timeout', 'closed', 'cannot_freeze'] satisfies ErrorCode[]);

/** Codes of errors that become the code of the run when the script does not catch the error. */
const passedThrough = new Set<string>([
  'capability_denied',
  'capability_timeout',
  'limit_exceeded',
] satisfies ErrorCode[]);

/** What a run in segments keeps of its errors. */
export interface KeptErrors {
  thrown: { code: ErrorCode; message: string; details: ErrorDetails }[];
  detailed: HostError[];
}

/**
 * The errors that were thrown into a script. When the script ends with one of them, the run's error gets its facts,
 * which the engine does not keep.
 */
export class ThrownErrors {
  readonly #thrown: SandboxError[] = [];
  /** The last errors of host functions that had details. */
  readonly #detailed: HostError[] = [];

  keep(): KeptErrors {
    return { thrown: this.#thrown.map((error) => error.toJSON()), detailed: this.#detailed };
  }

  thaw({ thrown, detailed }: KeptErrors): void {
    for (const { code, message, details } of thrown) this.#remember(new SandboxError(code, message, { details }));
    this.#detailed.push(...detailed);
  }

  /**
   * @returns what the script catches
   * @throws an error that ends the run, because no script may catch it
   */
  throwIntoScript(error: unknown): { error: HostError } {
    if (!(error instanceof SandboxError) || endings.has(error.code)) throw error;
    this.#remember(error);
    const name = error.details.name ?? (error.code === 'invalid_request' ? 'TypeError' : 'Error');
    return { error: { name, message: error.message, code: error.code } };
  }

  /** Remembers an error of a host function before the script gets it. */
  ofHostFunction(error: HostError, capability: string): void {
    const { code, message, details } = error;
    if (details !== undefined) {
      this.#detailed.push(error);
      if (this.#detailed.length > keptDetails) this.#detailed.shift();
    }
    // Such an error becomes the error of the run when the script does not catch it.
    if (code !== undefined && passedThrough.has(code)) {
      this.#remember(new SandboxError(code as ErrorCode, message, { details: { capability } }));
    }
  }

  /** The error that a script ended with, as the caller should see it. */
  explain(error: SandboxError): SandboxError {
    const { thrownCode, thrownMessage, location, frame, traceback } = error.details;
    const isIt = ({ code, message }: { code?: string | undefined; message: string }): boolean =>
      code === thrownCode && message === thrownMessage;
    const thrownDetails = this.#detailed.findLast(isIt)?.details;
    const facts = { location, frame, traceback, ...(thrownDetails !== undefined && { thrownDetails }) };
    const origin = this.#thrown.findLast(isIt);
    if (origin === undefined) {
      if (thrownDetails === undefined) return error;
      return new SandboxError(error.code, error.message, { details: { ...error.details, ...facts } });
    }
    if (passedThrough.has(origin.code)) {
      return new SandboxError(origin.code, origin.message, { details: { ...origin.details, ...facts } });
    }
    const { capability, path } = origin.details;
    return new SandboxError(error.code, error.message, { details: { ...error.details, capability, path } });
  }

  #remember(thrown: SandboxError): void {
    if (this.#thrown.length === mostThrown) this.#thrown.shift();
    this.#thrown.push(thrown);
  }
}
