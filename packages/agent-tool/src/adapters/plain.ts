import type { ExecuteSandboxScriptResult } from '../tool/result.ts';
import type { ExecuteContext } from '../tool/runner.ts';
import type { ExecuteSandboxScriptTool } from '../tool/tool.ts';

/** The JSON facts about a tool that a provider's API needs. */
export interface ToolDefinition {
  /** `execute_sandbox_script`. */
  name: string;
  /** For the model. */
  description: string;
  /** JSON Schema of the arguments. */
  inputSchema: Readonly<Record<string, unknown>>;
}

/** The answer to one call of the tool. */
export interface ToolCallAnswer {
  /** For the model. */
  text: string;
  /** Whether the script failed. A refusal is no error. */
  isError: boolean;
  /** The whole result, for the host. */
  result: ExecuteSandboxScriptResult;
}

/** Answers a call with its arguments, as an object or as the JSON text that some APIs give. */
export type ToolCallHandler = (args: unknown, context?: ExecuteContext) => Promise<ToolCallAnswer>;

/** The tool as JSON, for hosts that talk to a provider's API themselves. */
export function toolDefinition({ name, description, inputJsonSchema }: ExecuteSandboxScriptTool): ToolDefinition {
  return { name, description, inputSchema: inputJsonSchema };
}

/** Runs a model's calls of the tool. For arguments that are not JSON or do not fit, the answer tells the model so. */
export function toolCallHandler(tool: ExecuteSandboxScriptTool): ToolCallHandler {
  return async (args, context) => {
    const result = await tool.execute((typeof args === 'string' ? readJson(args) : args) as never, context);
    return { text: result.text, isError: result.status === 'failed', result };
  };
}

/** A text that cannot be parsed stays a text, which the schema then refuses. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
