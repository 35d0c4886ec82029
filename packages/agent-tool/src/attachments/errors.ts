import { SandboxError } from '@mustard-sandbox/client';
import { throwIfAborted as throwCancelled, within } from '@mustard-sandbox/protocol';

/**
 * What can go wrong with the files of an `AttachmentStore`. Arguments that make no sense are a
 * `SandboxError` with `invalid_request` instead, an aborted call one with `cancelled`.
 *
 * - `not_found`: the file to store, the attachment or the app's folder is not there
 * - `not_a_file`: a folder, device or link is where a file must be
 * - `unreadable`: the file or stream to store, or the media folder, cannot be read
 * - `unwritable`: the media folder cannot be written
 * - `unsafe_folder`: the media folder belongs to another user, and everybody may write there
 * - `disk_full`: nothing was stored, and nothing was lost
 * - `changed_while_storing`: the file was rewritten at each attempt. A file that only grows is stored as it was when opened
 * - `locked`: another process works on the media folder for too long (`details.pid`)
 * - `newer_version`: the manifest was written by a newer version of this package; nothing was touched
 */
export type AttachmentErrorCode =
  | 'not_found'
  | 'not_a_file'
  | 'unreadable'
  | 'unwritable'
  | 'unsafe_folder'
  | 'disk_full'
  | 'changed_while_storing'
  | 'locked'
  | 'newer_version';

/**
 * An error of an `AttachmentStore`. `code` is for the program, `message` for a person, `details` holds the facts as
 * JSON, and `cause` the system's error.
 */
export class AttachmentError extends Error {
  override readonly name = 'AttachmentError';
  readonly code: AttachmentErrorCode;
  readonly details: Readonly<Record<string, string | number>>;

  constructor(
    code: AttachmentErrorCode,
    message: string,
    options: { details?: Record<string, string | number>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }

  toJSON(): { code: AttachmentErrorCode; message: string; details: Readonly<Record<string, string | number>> } {
    return { code: this.code, message: this.message, details: this.details };
  }
}

/** The error code of the operating system, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** The error of reading `path` as an `AttachmentError`. An error of ours stays unchanged. */
export function readingError(error: unknown, path: string): Error {
  if (isOurs(error)) return error;
  const code = systemCode(error) ?? 'error';
  const options = { details: { path, systemCode: code }, cause: error };
  if (code === 'ENOENT') return new AttachmentError('not_found', `There is no file ${path}.`, options);
  if (code === 'EISDIR') return notAFile(path, 'a folder');
  return new AttachmentError('unreadable', `${path} cannot be read (${code}).`, options);
}

/** The error of writing below `path` as an `AttachmentError`. An error of ours stays unchanged. */
export function writingError(error: unknown, path: string): Error {
  if (isOurs(error)) return error;
  const code = systemCode(error) ?? 'error';
  const options = { details: { path, systemCode: code }, cause: error };
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const message = `There is no space left for ${path} (${code}). Free some, and store the file again.`;
    return new AttachmentError('disk_full', message, options);
  }
  return new AttachmentError('unwritable', `${path} cannot be written (${code}).`, options);
}

export function notAFile(path: string, what: string): AttachmentError {
  return new AttachmentError('not_a_file', `${path} is ${what}, not a regular file.`, { details: { path } });
}

function isOurs(error: unknown): error is AttachmentError | SandboxError {
  return error instanceof AttachmentError || error instanceof SandboxError;
}

const cancelled = 'The attachment was not stored: the call was cancelled.';

/** @throws {SandboxError} `cancelled` as soon as the signal is aborted */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return await within(work, { signal, cancelled });
}

/** @throws {SandboxError} `cancelled` when the signal is aborted */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  throwCancelled(signal, cancelled);
}
