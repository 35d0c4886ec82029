import { limitTable, type SandboxError } from '@mustard-sandbox/client';
import { shorten } from '@mustard-sandbox/protocol';
import * as z from 'zod';
import { parse } from '../options.ts';
import { headOf } from './cut.ts';

/** What a model may write at once, in bytes of UTF-8. */
export const maxScriptBytes = limitTable.scriptBytes.default;
const maxDescription = 1000;

const tooLong = `is longer than ${maxScriptBytes} bytes: read data from files instead of writing it into the script`;

/** What a model passes. */
export const inputSchema = z.strictObject({
  script: z
    .string()
    .min(1, { error: 'is empty', abort: true })
    .max(maxScriptBytes, { error: tooLong, abort: true })
    .refine((script) => Buffer.byteLength(script) <= maxScriptBytes, { error: tooLong })
    .refine((script) => script.trim() !== '', { error: 'is empty' })
    .describe('The script, in the JavaScript subset described above. The value of its last statement is the answer.'),
  description: z.string().max(maxDescription).optional().describe('One line for the user: what the script finds out.'),
});

/** What a model passes. */
export type ExecuteSandboxScriptArgs = z.infer<typeof inputSchema>;

/** `inputSchema` as JSON Schema (draft 2020-12), for hosts that do not use zod. */
export const inputJsonSchema: Record<string, unknown> = z.toJSONSchema(inputSchema);

/**
 * The arguments of a call, or the error in them. It is returned and not thrown, because it is a mistake of the model.
 */
export function readInput(args: unknown): ExecuteSandboxScriptArgs | SandboxError {
  try {
    return parse(inputSchema, args, 'execute_sandbox_script');
  } catch (error) {
    return error as SandboxError;
  }
}

/** The texts that a record keeps of arguments of any shape. */
export function textsOf(args: unknown): { script: string; description?: string } {
  const { script, description } = (args ?? {}) as { script?: unknown; description?: unknown };
  return {
    script: typeof script === 'string' ? cutScript(script) : '',
    ...(typeof description === 'string' && { description: shorten(description, maxDescription) }),
  };
}

function cutScript(script: string): string {
  if (Buffer.byteLength(script) <= maxScriptBytes) return script;
  return headOf(Buffer.from(script), maxScriptBytes).toString();
}
