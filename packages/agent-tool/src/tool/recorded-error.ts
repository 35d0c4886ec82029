import { SandboxError, type RunProfile } from '@mustard-sandbox/client';
import type { RecordedError } from './record.ts';

/** The part of a failure that a record keeps. */
export function recordedError(
  { code, message, details }: SandboxError,
  profile: RunProfile | undefined,
  text: string,
): RecordedError {
  const { location, limit, value, unit, reason } = details;
  return {
    code,
    message,
    text,
    ...(location !== undefined && { location }),
    ...(limit !== undefined &&
      value !== undefined && { limit: { name: limit, value, ...(unit !== undefined && { unit }) } }),
    ...(reason !== undefined && { reason }),
    ...(profile !== undefined && { spent: spentOf(profile) }),
  };
}

/**
 * A copy of the failure without the list of its calls, which may take a hundred kilobytes, and without paths of
 * outputs.
 */
export function withoutProfile(error: SandboxError): SandboxError {
  const { profile: _, outputs: __, ...details } = error.details;
  return new SandboxError(error.code, error.message, { details, cause: error.cause });
}

function spentOf({ capabilities, rest }: RunProfile): NonNullable<RecordedError['spent']> {
  return {
    calls: capabilities.map(({ name, calls, ms, bytes }) => ({ name, calls, ms, bytes })),
    scriptMs: capabilities.reduce((sum, { scriptMs }) => sum + scriptMs, rest.scriptMs),
  };
}
