/** Why a request about a run was refused. */
export type RunErrorCode =
  /** An option or an argument is wrong. */
  | 'invalid_request'
  /** There is no such run, or it is another tenant's. */
  | 'not_found'
  /** The run has ended. */
  | 'ended'
  /** The call is not one that the run waits for, or was decided before: nothing is applied twice. */
  | 'not_pending'
  /** What was given is no decision on a call in this state. */
  | 'wrong_decision'
  /** The script, started again, makes other calls than those of its ledger. */
  | 'ledger_mismatch'
  /** A tool of the run is not among those of this host. */
  | 'tool_missing'
  /** The store cannot be opened, or a library that it needs is not installed. */
  | 'store_unavailable';

/** An error of runs. What goes wrong in a script or a sidecar is a `SandboxError`. */
export class RunError extends Error {
  override readonly name = 'RunError';
  readonly code: RunErrorCode;

  constructor(code: RunErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}
