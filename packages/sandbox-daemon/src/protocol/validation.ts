import en from 'zod/v4/locales/en.js';
import * as z from 'zod/mini';
import { SandboxError, type ErrorCode } from './errors.ts';

// zod/mini ships no messages. Passing them per parse leaves the host's own zod configuration alone.
const { localeError } = en();

/**
 * `value` as `schema` gives it back, defaults filled in.
 *
 * @param what the thing that is checked, for the message: `run()`, `options`, `sandbox/run params`
 * @throws {SandboxError} `invalid_request` (or `code`) naming every wrong key
 */
export function parse<T extends z.ZodMiniType>(
  schema: T,
  value: unknown,
  what: string,
  code: ErrorCode = 'invalid_request',
): z.output<T> {
  const result = z.safeParse(schema, value, { error: localeError });
  if (result.success) return result.data;
  const problems = result.error.issues.map(describeIssue);
  throw new SandboxError(code, `${what}: ${problems.join('; ')}`, { details: { problems } });
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => `'${path === '' ? key : `${path}.${key}`}'`);
    return `unknown ${names.length === 1 ? 'option' : 'options'} ${names.join(', ')}`;
  }
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}
