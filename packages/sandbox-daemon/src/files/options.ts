import * as z from 'zod/mini';
import { parse, SandboxError } from '@mustard-sandbox/protocol';
import type { BuiltinCall } from './call.ts';

/**
 * The options that a script gave to a built-in, with their defaults. The schema is a strict object: an option that the
 * built-in does not have is refused by name, because a model takes one that is ignored for done.
 *
 * @throws {SandboxError} `invalid_request`, a TypeError to the script
 */
export function parseOptions<T extends z.ZodMiniType>(schema: T, options: unknown, call: BuiltinCall): z.output<T> {
  try {
    return parse(schema, options === undefined ? {} : options, `${call.name} options`);
  } catch (error) {
    throw error instanceof SandboxError ? call.invalid(error.message, error.details) : error;
  }
}

/**
 * For a built-in without options. A number is let through: it is the position, in `paths.map(file_stats)`.
 *
 * @throws {SandboxError} `invalid_request`
 */
export function refuseOptions(options: unknown, call: BuiltinCall): void {
  if (typeof options === 'number') return;
  parseOptions(noOptions, options, call);
}

/** Whether options that were checked say how much is wanted. */
export function hasLimit(options: unknown): boolean {
  return typeof options === 'object' && options !== null && ('limit' in options || 'top' in options);
}

const noOptions = z.strictObject({});
