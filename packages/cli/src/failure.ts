import type { AttachmentError, AttachmentErrorCode } from '@mustard-sandbox/agent-tool';
import type { CodeModeError, CodeModeErrorCode } from '@mustard-sandbox/code-mode';
import type { RunError, RunErrorCode } from '@mustard-sandbox/runs';
import type { BashError, BashErrorCode } from '@mustard-sandbox/bash-tools';
import type { ErrorCode, SandboxError } from '@mustard-sandbox/client';

export type FailureCode = ErrorCode | AttachmentErrorCode | BashErrorCode | RunErrorCode | CodeModeErrorCode;

/** An error in the form in which the command reports it. */
export interface Failure {
  code: FailureCode;
  message: string;
  details: Readonly<Record<string, unknown>>;
  /** What to do next, for a person. */
  hint?: string;
}

/**
 * An error in the command line. It is not a `SandboxError`, because it may be thrown before the client is loaded. It is
 * reported as `invalid_request`.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/**
 * The error that the command reports. `stoppedBy` is what interrupted the command, such as a signal, if anything did.
 */
export function failureOf(error: unknown, stoppedBy: string | undefined): Failure {
  const failure = describe(error);
  // A signal often reaches the sidecar too and ends it. The user should read about the signal, and not about that
  // crash.
  if (stoppedBy === undefined || failure.code === 'cancelled') return failure;
  return { code: 'cancelled', message: `Stopped by ${stoppedBy}.`, details: {} };
}

function describe(error: unknown): Failure {
  if (error instanceof UsageError) {
    const { message, hint } = error;
    return { code: 'invalid_request', message, details: {}, ...(hint !== undefined && { hint }) };
  }
  if (isTyped(error)) {
    const details = 'details' in error ? error.details : {};
    return { code: error.code, message: error.message, details: { ...details } };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'protocol_error', message: `A bug in mustard-sandbox: ${message}`, details: {} };
}

const typedErrors = ['SandboxError', 'AttachmentError', 'BashError', 'RunError', 'CodeModeError'];

/** Compares the name, because `instanceof` would load the client. */
function isTyped(error: unknown): error is SandboxError | AttachmentError | BashError | RunError | CodeModeError {
  return error instanceof Error && typedErrors.includes(error.name);
}
