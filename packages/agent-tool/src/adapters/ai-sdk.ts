import type { Tool } from 'ai';
import type { ExecuteSandboxScriptArgs } from '../tool/input.ts';
import type { ExecuteSandboxScriptResult } from '../tool/result.ts';
import type { ExecuteContext } from '../tool/runner.ts';
import type { ExecuteSandboxScriptTool } from '../tool/tool.ts';

/**
 * The tools of one call of `generateText` or `streamText`. It is a type, because an interface does not fit the AI SDK's
 * `ToolSet`.
 */
export type SandboxTools = {
  /** Its output, in steps and in UI messages, is the whole result; the model gets only its `text`. */
  execute_sandbox_script: Tool<ExecuteSandboxScriptArgs, ExecuteSandboxScriptResult>;
};

/** Options for one call of `generateText` or `streamText`. */
export type AiSdkToolsOptions = Pick<ExecuteContext, 'turn'>;

/**
 * `execute_sandbox_script` for the AI SDK, versions 6 and 7: `tools: { ...aiSdkTools(tool) }`. The abort signal of the
 * call ends the run.
 *
 * The object is empty while the tool is not enabled. Its type has the tool all the same, because the types of calls and
 * results come from it, and `toolName === 'execute_sandbox_script'` narrows them. `tool.isEnabled()` says beforehand
 * whether the tool is there.
 */
export function aiSdkTools(tool: ExecuteSandboxScriptTool, { turn }: AiSdkToolsOptions = {}): SandboxTools {
  if (!tool.isEnabled()) return {} as SandboxTools;
  return {
    execute_sandbox_script: {
      description: tool.description,
      inputSchema: tool.inputSchema,
      execute: (args, { abortSignal }) =>
        tool.execute(args, { ...(abortSignal && { signal: abortSignal }), ...(turn && { turn }) }),
      // A refusal is not marked as an error, because providers that mark errors invite the model to try again.
      toModelOutput: ({ output }) => ({
        type: output.status === 'failed' ? 'error-text' : 'text',
        value: output.text,
      }),
    },
  };
}
