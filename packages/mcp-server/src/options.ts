import { resolve } from 'node:path';
import { engineChoices, type LimitOptions, type Sandbox } from '@mustard-sandbox/client';
import * as z from 'zod';
import { AttachmentStore, settingsSchema } from '@mustard-sandbox/agent-tool';
import type { McpTool } from './extra-tool.ts';
import type { Recipe } from './recipe.ts';
import { listedFiles, parseLimits, parseOptions } from '@mustard-sandbox/agent-tool/host';

export const serveMcpOptionsSchema = z.strictObject({
  /**
   * The folder that scripts may read in. Default: the first folder that the client gives as a root. If it gives none,
   * scripts read only attachments.
   */
  root: z.string().min(1).optional(),
  /** Files that scripts read as `attachments:<name>`, in place. They need not exist yet. */
  attachments: z.array(z.strictObject({ name: z.string(), path: z.string().min(1) })).default([]),
  /** `ask` asks the user through the client, before each script. */
  consent: settingsSchema.shape.consent,
  /** Where stored attachments are, and where outputs go; relative to the root. */
  mediaDir: z.string().min(1).default('.dyad/media'),
  /** The folder where scripts keep files by `save`. Keep nothing else in it. Without it, scripts can save nothing. */
  outputs: z.string().min(1).optional(),
  /** Where scripts run, in place of a sandbox of the server's own. It is not closed. */
  sandbox: z
    .custom<Sandbox>(
      (value) => typeof (value as Sandbox | null)?.run === 'function',
      'must come from createSandbox() or connectSandbox()',
    )
    .optional(),
  /** The engine for scripts in a sandbox of the server's own, as for `createSandbox`. */
  engine: z.enum(engineChoices).optional(),
  /** Limits other than the defaults. */
  limits: z
    .custom<LimitOptions>()
    .transform((limits) => parseLimits(limits, 'serveMcp(): limits'))
    .default({}),
  /** Tools of the host's own, in addition to `execute_sandbox_script`. */
  tools: z.array(z.custom<McpTool>((value) => typeof value === 'object', 'must be an object')).default([]),
  /** Scripts to start from, which clients show as prompts. They are read when a client asks for them. */
  recipes: z
    .custom<() => readonly Recipe[]>((value) => typeof value === 'function', 'must be a function')
    // It has no default here, because the reference is made from JSON Schemas, and a function has none.
    .optional(),
  /** Instructions about these tools for the model, added to those about scripts. */
  instructions: z.string().optional(),
  /** The version of the server, which clients show. */
  version: z.string().min(1).default('0.0.0'),
  /** Closes the server. */
  signal: z.instanceof(AbortSignal, { error: 'must be an AbortSignal' }).optional(),
  /** Called with problems that the client cannot be told, such as input that is not a message. Write them to stderr. */
  onProblem: z
    .custom<(message: string) => void>((value) => typeof value === 'function', 'must be a function')
    .optional(),
});

/** Options of `serveMcp`. Paths may be relative to the working directory. Unknown keys are refused. */
export type ServeMcpOptions = z.input<typeof serveMcpOptionsSchema>;

export interface McpOptions extends Omit<z.output<typeof serveMcpOptionsSchema>, 'root' | 'limits' | 'recipes'> {
  /** Absolute. */
  root: string | undefined;
  limits: LimitOptions;
  recipes: () => readonly Recipe[];
}

/** @throws {SandboxError} `invalid_request` naming every wrong option */
export function parseMcpOptions(options: ServeMcpOptions): McpOptions {
  const { root, recipes = () => [], ...rest } = parseOptions(serveMcpOptionsSchema, options, 'serveMcp()');
  checkFiles(rest);
  return { ...rest, recipes, root: root === undefined ? undefined : resolve(root) };
}

/** Checks these options now, because a folder of the client comes only later. It touches no file. */
function checkFiles({ attachments, mediaDir }: Pick<McpOptions, 'attachments' | 'mediaDir'>): void {
  listedFiles(attachments);
  return void new AttachmentStore('.', { mediaDir });
}
