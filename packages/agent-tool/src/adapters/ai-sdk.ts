import type { Tool } from 'ai';
import type { ExecuteSandboxScriptArgs } from '../tool/input.ts';
import type { ExecuteSandboxScriptResult } from '../tool/result.ts';
import type { ExecuteContext } from '../tool/runner.ts';
import type { ExecuteSandboxScriptTool } from '../tool/tool.ts';

/**
 * The tools of one call of `generateText` or `streamText`. A type and no interface: only so does it fit the AI SDK's
 * `ToolSet`.
 */
export type SandboxTools = {
  /** Its output, in steps and in UI messages, is the whole result; the model gets only its `text`. */
  execute_sandbox_script: Tool<ExecuteSandboxScriptArgs, ExecuteSandboxScriptResult>;
};

/** What one call of `generateText` or `streamText` adds. */
export type AiSdkToolsOptions = Pick<ExecuteContext, 'turn'>;

/**
 * `execute_sandbox_script` for the AI SDK, versions 6 and 7: `tools: { ...aiSdkTools(tool) }`. The abort signal of the
 * call ends the run.
 *
 * While the tool is not enabled the object is empty. Its type has the tool all the same: that of the calls and results
 * is made from it, and `toolName === 'execute_sandbox_script'` narrows them. To know beforehand, ask `tool.isEnabled()`.
 */
export function aiSdkTools(tool: ExecuteSandboxScriptTool, { turn }: AiSdkToolsOptions = {}): SandboxTools {
  if (!tool.isEnabled()) return {} as SandboxTools;
  return {
    execute_sandbox_script: {
      description: tool.description,
      inputSchema: tool.inputSchema,
      execute: (args, { abortSignal }) =>
        tool.execute(args, { ...(abortSignal && { signal: abortSignal }), ...(turn && { turn }) }),
      // A refusal is no error: providers that mark errors invite the model to try again.
      toModelOutput: ({ output }) => ({
        type: output.status === 'failed' ? 'error-text' : 'text',
        value: output.text,
      }),
    },
  };
}
