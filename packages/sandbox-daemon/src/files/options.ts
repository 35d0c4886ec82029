import * as z from 'zod/mini';
import { parse, SandboxError } from '@mustard-sandbox/protocol';
import type { BuiltinCall } from './call.ts';

/**
 * The options that a script gave to a built-in, with their defaults. The schema is a strict object: it refuses an
 * unknown option by name, because a model would take an ignored option for one that works.
 *
 * @throws {SandboxError} `invalid_request`, which the script sees as a TypeError
 */
export function parseOptions<T extends z.ZodMiniType>(schema: T, options: unknown, call: BuiltinCall): z.output<T> {
  try {
    return parse(schema, options === undefined ? {} : options, `${call.name} options`);
  } catch (error) {
    throw error instanceof SandboxError ? call.invalid(error.message, error.details) : error;
  }
}

/**
 * Refuses options for a built-in that has none. A number is allowed, because it is the position in
 * `paths.map(file_stats)`.
 *
 * @throws {SandboxError} `invalid_request`
 */
export function refuseOptions(options: unknown, call: BuiltinCall): void {
  if (typeof options === 'number') return;
  parseOptions(noOptions, options, call);
}

/** Whether options that were checked set a limit. */
export function hasLimit(options: unknown): boolean {
  return typeof options === 'object' && options !== null && ('limit' in options || 'top' in options);
}

const noOptions = z.strictObject({});
