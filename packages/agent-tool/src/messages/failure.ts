import { SandboxError } from '@mustard-sandbox/client';
import { visible } from './visible.ts';

/** That something about an attachment is wrong; the message names it. */
export function badAttachment(name: string, why: string, cause?: unknown): SandboxError {
  return new SandboxError('invalid_request', `attachment "${visible(name)}": ${why}.`, {
    details: { attachment: name },
    cause,
  });
}

const reasons: Record<string, (path: string) => string> = {
  ENOENT: (path) => `there is no file ${path}`,
  ENOTDIR: (path) => `there is no file ${path}`,
  EACCES: (path) => `this process may not read ${path}`,
  EPERM: (path) => `this process may not read ${path}`,
  ELOOP: (path) => `${path} is a link that leads to itself`,
};

/** What the file system said about an attachment's path. */
export function unreadable(name: string, path: string, error: unknown): SandboxError {
  if (error instanceof SandboxError) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  return badAttachment(name, reasons[code]?.(visible(path)) ?? message, error);
}

/** @throws {SandboxError} `cancelled` when the signal is aborted */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelled();
}

/** The outcome of `work`, or `cancelled` as soon as the signal is aborted, whether or not `work` heeds it. */
export function untilCancelled<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(cancelled());
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function cancelled(): SandboxError {
  return new SandboxError('cancelled', 'The message was cancelled before it was ready.');
}
