import type { RunStats } from '@mustard-sandbox/client';
import { resolveAttachments } from './attachments.ts';
import { describeTool } from './description.ts';
import {
  inputSchema,
  parse,
  toolOptionsSchema,
  type ExecuteSandboxScriptArgs,
  type ExecuteSandboxScriptToolOptions,
} from './options.ts';
import { toOutput, type Output } from './output.ts';

/** JSON-able. Times in ms, sizes in bytes, as the client's `run` reports them. */
export interface ExecuteSandboxScriptResult
  extends Output, Pick<RunStats, 'executionMs' | 'instructionsUsed' | 'heapBytesUsed' | 'bytesRead'> {}

/** A tool for a model, in parts that any framework takes. */
export interface ExecuteSandboxScriptTool {
  readonly name: 'execute_sandbox_script';
  /** For the model: the language, the functions, the limits, and which attachments there are. */
  readonly description: string;
  /** A zod schema of the arguments. */
  readonly inputSchema: typeof inputSchema;
  /**
   * Runs a model's script.
   *
   * @throws {SandboxError} `invalid_request` for arguments that do not fit `inputSchema`, and what `run` throws
   */
  execute(args: ExecuteSandboxScriptArgs, context?: { signal?: AbortSignal }): Promise<ExecuteSandboxScriptResult>;
}

/**
 * The tool that lets a model run scripts over files.
 *
 * @throws {SandboxError} `invalid_request` for wrong options, among them an attachment that is not there
 */
export function createExecuteSandboxScriptTool(options: ExecuteSandboxScriptToolOptions): ExecuteSandboxScriptTool {
  const { sandbox, root, outputDir, limits, ...rest } = parse(
    toolOptionsSchema,
    options,
    'createExecuteSandboxScriptTool()',
  );
  const attachments = resolveAttachments(rest.attachments);
  const scope = {
    ...(root !== undefined && { root }),
    attachments: attachments.map(({ name, path }) => ({ name, path })),
  };
  return {
    name: 'execute_sandbox_script',
    description: describeTool({ hasRoot: root !== undefined, attachments, limits: limits ?? {} }),
    inputSchema,
    async execute(args, { signal } = {}) {
      const { script } = parse(inputSchema, args, 'execute_sandbox_script');
      const result = await sandbox.run({ script, scope, ...(limits && { limits }), ...(signal && { signal }) });
      const { executionMs, instructionsUsed, heapBytesUsed, bytesRead } = result;
      const output = await toOutput(result.value, outputDir);
      return { ...output, executionMs, instructionsUsed, heapBytesUsed, bytesRead };
    },
  };
}
