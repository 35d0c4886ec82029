import { SandboxError } from '../protocol/errors.ts';
import type { LimitName } from '../protocol/limits.ts';
import type { WireValue } from '../protocol/values.ts';

/**
 * @param what what the error's message begins with
 * @param value the limit, in bytes of JSON
 * @param most a known upper bound of the size: a value whose bound is within the limit is not measured
 * @throws {SandboxError} `limit_exceeded`
 */
export function assertFits(what: string, limit: LimitName, value: number, most: number, wire: WireValue): void {
  if (most <= value) return;
  const actual = Buffer.byteLength(JSON.stringify(wire));
  if (actual <= value) return;
  throw new SandboxError(
    'limit_exceeded',
    `${what} ${actual} bytes of JSON, over the limit of ${value} (${limit}). Pass a count, a slice or a summary instead.`,
    { details: { limit, value, unit: 'bytes', actual } },
  );
}
