import type { ExecuteSandboxScriptResult } from '../tool/result.ts';
import type { ExecuteContext } from '../tool/runner.ts';
import type { ExecuteSandboxScriptTool } from '../tool/tool.ts';

/** What a provider's API needs to know of a tool, as JSON. */
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
  /** The script failed; a refusal is no error. */
  isError: boolean;
  /** All of it, for the host. */
  result: ExecuteSandboxScriptResult;
}

/** Answers a call with its arguments, as an object or as the JSON text that some APIs give. */
export type ToolCallHandler = (args: unknown, context?: ExecuteContext) => Promise<ToolCallAnswer>;

/** The tool as JSON, for hosts that talk to a provider's API themselves. */
export function toolDefinition({ name, description, inputJsonSchema }: ExecuteSandboxScriptTool): ToolDefinition {
  return { name, description, inputSchema: inputJsonSchema };
}

/** Runs a model's calls of the tool. Arguments that are no JSON, or do not fit, are answered to the model. */
export function toolCallHandler(tool: ExecuteSandboxScriptTool): ToolCallHandler {
  return async (args, context) => {
    const result = await tool.execute((typeof args === 'string' ? readJson(args) : args) as never, context);
    return { text: result.text, isError: result.status === 'failed', result };
  };
}

/** What cannot be read stays a text, which does not fit and is refused as such. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
