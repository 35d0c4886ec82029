import en from 'zod/v4/locales/en.js';
import * as z from 'zod/mini';
import { SandboxError, type ErrorCode } from './errors.ts';
import { oneLine } from './text.ts';

// zod/mini ships no messages. Passing them to each parse leaves the host's own zod configuration alone.
const { localeError } = en();

/**
 * An error names at most this many problems and cuts each to this many characters, because a peer may send a million
 * wrong keys.
 */
const shownProblems = 8;
const shownCharacters = 300;

/**
 * `value`, checked against `schema` and with its defaults filled in.
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
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  // A second parse makes the messages. Asking for them in the first one would make every parse 50 % slower.
  const issues = z.safeParse(schema, value, { error: localeError }).error?.issues ?? [];
  const problems = issues.slice(0, shownProblems).map((issue) => oneLine(describeIssue(issue), shownCharacters));
  if (issues.length > shownProblems) problems.push(`and ${issues.length - shownProblems} more`);
  throw new SandboxError(code, `${what}: ${problems.join('; ')}`, { details: { problems } });
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.slice(0, shownProblems).map((key) => `'${path === '' ? key : `${path}.${key}`}'`);
    return `unknown ${names.length === 1 ? 'option' : 'options'} ${names.join(', ')}`;
  }
  // The library's words for it are "expected nonoptional, received undefined".
  if (issue.code === 'invalid_type' && issue.expected === 'nonoptional') return `${path} is missing`;
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}
