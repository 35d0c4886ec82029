/**
 * What can go wrong with workspaces and their commands. A mistake of a command is its exit code and no error. Options
 * that make no sense are a `SandboxError` with `invalid_request`, and an aborted call is one with `cancelled`.
 *
 * - `disabled`: a gate is closed; `details.gate` names it
 * - `forbidden`: a request comes from an address that is not allowed, or without the shared secret
 * - `backend_unavailable`: the backend cannot run here; the message says what is missing
 * - `seed_failed`: the workspace could not be filled, so it does not exist
 * - `not_found`: there is no workspace with this id
 * - `queue_full`, `queue_timeout`: too many commands wait, or one waited for too long
 * - `workspace_full`: the workspace has all that it may have; something must be deleted first
 * - `closed`: the workspace or all of them were closed
 */
export type BashErrorCode =
  | 'disabled'
  | 'forbidden'
  | 'backend_unavailable'
  | 'seed_failed'
  | 'not_found'
  | 'queue_full'
  | 'queue_timeout'
  | 'workspace_full'
  | 'closed';

/**
 * An error of workspaces. `code` is for the program, `message` for a person, `details` holds the facts as JSON, and
 * `cause` the system's error.
 */
export class BashError extends Error {
  override readonly name = 'BashError';
  readonly code: BashErrorCode;
  readonly details: Readonly<Record<string, string | number>>;

  constructor(
    code: BashErrorCode,
    message: string,
    options: { details?: Record<string, string | number>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }

  toJSON(): { code: BashErrorCode; message: string; details: Readonly<Record<string, string | number>> } {
    return { code: this.code, message: this.message, details: this.details };
  }
}
