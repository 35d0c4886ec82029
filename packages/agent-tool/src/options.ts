import { SandboxError } from '@mustard-sandbox/client';
import type * as z from 'zod';

/** @throws {SandboxError} `invalid_request` naming every wrong key */
export function parse<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => [...path.map(String), message].join(': '));
  throw new SandboxError('invalid_request', `${what}: ${problems.join('; ')}.`, { details: { problems } });
}
