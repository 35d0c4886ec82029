/** Why a request about a run was refused. */
export type RunErrorCode =
  /** An option or an argument is wrong. */
  | 'invalid_request'
  /** There is no such run, or it belongs to another tenant. */
  | 'not_found'
  /** The run has ended. */
  | 'ended'
  /** The run does not wait for this call, or the call was decided before. Nothing is applied twice. */
  | 'not_pending'
  /** This is not a decision that fits the state of the call. */
  | 'wrong_decision'
  /** After its restart the script makes other calls than those in its ledger. */
  | 'ledger_mismatch'
  /** This host does not have one of the run's tools. */
  | 'tool_missing'
  /** The store cannot be opened, or a library that it needs is not installed. */
  | 'store_unavailable';

/** An error of runs. A failure in a script or a sidecar is a `SandboxError`. */
export class RunError extends Error {
  override readonly name = 'RunError';
  readonly code: RunErrorCode;

  constructor(code: RunErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}
