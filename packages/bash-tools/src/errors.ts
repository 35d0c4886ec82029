/**
 * What can go wrong with workspaces and their commands. What a command does wrong is its exit code and no error; options
 * that make no sense are a `SandboxError` with `invalid_request`, an aborted call one with `cancelled`.
 *
 * - `disabled`: a gate is closed; `details.gate` says which
 * - `forbidden`: a request comes from where none may, or without the shared secret
 * - `backend_unavailable`: the backend cannot run here; the message says what is missing
 * - `seed_failed`: the workspace could not be filled, so there is none
 * - `not_found`: there is no workspace of this id
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

/** `code` tells what to do; `message` is for a person; `details` holds the facts as JSON; `cause` the system's error. */
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
