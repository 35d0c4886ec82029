import { SandboxError, type LimitName } from '@mustard-sandbox/protocol';

/**
 * The error for a value that is too long to cross.
 *
 * @param what the start of the message
 * @param value the limit, in bytes of JSON
 */
export function tooLong(what: string, limit: LimitName, value: number, actual: number): SandboxError {
  return new SandboxError(
    'limit_exceeded',
    `${what} ${actual} bytes of JSON, over the limit of ${value} (${limit}). Pass a count, a slice or a summary instead.`,
    { details: { limit, value, unit: 'bytes', actual } },
  );
}
