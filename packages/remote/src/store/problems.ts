import { SandboxError, type ErrorDetails } from '@mustard-sandbox/protocol';
import type { Missing } from '../wire/files.ts';

/** The error for a request about files that cannot be met, with its HTTP status. */
export function refused(status: number, message: string, details: ErrorDetails = {}): SandboxError {
  return new SandboxError('invalid_request', message, { details: { ...details, status } });
}

/** The HTTP status of an error. */
export function statusOf({ details }: SandboxError): number {
  const status = details['status'];
  return typeof status === 'number' ? status : 500;
}

/** The error for content that the client must send first. Nothing was run. */
export function contentMissing(missing: readonly Missing[]): SandboxError {
  const names = missing.slice(0, 5).map(({ target }) => target);
  const more = missing.length > names.length ? ` and ${missing.length - names.length} more` : '';
  return refused(404, `The server does not have ${names.join(', ')}${more}. Send the content and ask again.`, {
    missing: [...missing],
  });
}

/** The error for a folder that is not at the server and is not sent without being asked for. */
export function folderMissing(target: string): SandboxError {
  return refused(
    422,
    `${target}: this folder is not at the server under an allowed root, and folders are not sent unasked. ` +
      'Attach the files that are needed, or let the folder be sent: --upload-dir, or connectSandbox({ uploadDirectories: true }).',
    { missing: [{ target, kind: 'directory' }] },
  );
}

/** Whether an error says that the disk is full, or that this user has used up their room. */
export function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** The error for a full disk when nothing can be removed. */
export function diskFull(cause?: unknown): SandboxError {
  return new SandboxError(
    'invalid_request',
    "The server's disk is full, and nothing more can be removed from its store. Nothing was kept or run.",
    { details: { status: 507 }, cause },
  );
}

/** The error for a failure of the disk, without its paths. */
export function diskError(error: unknown): SandboxError {
  if (error instanceof SandboxError) return error;
  if (isFull(error)) return diskFull(error);
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
  return refused(500, `The server cannot keep the content (${code}).`);
}
