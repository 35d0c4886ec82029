import { limitTable, SandboxError, type LimitOptions, type Sandbox } from '@mustard-sandbox/client';
import * as z from 'zod';

const maxScriptBytes = limitTable.scriptBytes.default;

/** What a model passes. */
export const inputSchema = z.strictObject({
  script: z
    .string()
    .min(1, 'is empty')
    .max(maxScriptBytes, `is longer than ${maxScriptBytes} bytes`)
    .refine((script) => Buffer.byteLength(script) <= maxScriptBytes, `is longer than ${maxScriptBytes} bytes`)
    .describe('The script, in the JavaScript subset described above. The value of its last statement is the answer.'),
  description: z.string().optional().describe('One line for the user: what the script finds out.'),
});

/** What a model passes. */
export type ExecuteSandboxScriptArgs = z.infer<typeof inputSchema>;

/** Options of the tool. Paths may be relative to the host's working directory. */
export const toolOptionsSchema = z.strictObject({
  /** Where scripts run. The tool neither starts nor closes it. */
  sandbox: z.custom<Sandbox>(
    (value) => typeof (value as Sandbox | null | undefined)?.run === 'function',
    'must come from createSandbox()',
  ),
  /** The folder that scripts may read in; none: only attachments. */
  root: z.string().min(1).optional(),
  /** Files that scripts may read as `attachments:<name>`, wherever they are. */
  attachments: z
    .array(z.union([z.string().min(1), z.strictObject({ name: z.string(), path: z.string().min(1) })]))
    .default([]),
  /** Where the whole text of a result goes that is too long for the model; none: it is only cut. */
  outputDir: z.string().min(1).optional(),
  /** Limits other than the defaults. Given here and not to `createSandbox`, the description tells them to the model. */
  limits: z.custom<Partial<LimitOptions>>((value) => typeof value === 'object' && value !== null).optional(),
});

/** Options of the tool. Paths may be relative to the host's working directory. */
export type ExecuteSandboxScriptToolOptions = z.input<typeof toolOptionsSchema>;

/** @throws {SandboxError} `invalid_request` naming every wrong key */
export function parse<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => [...path.map(String), message].join(': '));
  throw new SandboxError('invalid_request', `${what}: ${problems.join('; ')}.`, { details: { problems } });
}
