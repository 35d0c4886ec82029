import type { Tool } from 'ai';
import type { BashInput, ReadFileInput, WriteFileInput } from '../tools/input.ts';
import type { BashTools } from '../tools/tools.ts';
import type { BashResult } from '../workspaces/command.ts';

/** The tools of a chat for the AI SDK. It is a type, because an interface does not fit the AI SDK's `ToolSet`. */
export type AiSdkBashTools = {
  bash: Tool<BashInput, BashResult>;
  readFile: Tool<ReadFileInput, { content: string }>;
  writeFile: Tool<WriteFileInput, { success: boolean }>;
};

/**
 * `bash`, `readFile` and `writeFile` for the AI SDK, versions 6 and 7: `tools: { ...aiSdkBashTools(tools) }`. The abort
 * signal of the call ends the command. The object is empty when there are no tools, because a gate is closed or the
 * model cannot call tools.
 */
export function aiSdkBashTools(tools: BashTools | undefined): AiSdkBashTools {
  if (tools === undefined) return {} as AiSdkBashTools;
  const { bash, readFile, writeFile } = tools;
  return {
    bash: {
      description: bash.description,
      inputSchema: bash.inputSchema,
      execute: (input, { abortSignal }) => bash.execute(input, abortSignal && { signal: abortSignal }),
    },
    readFile: {
      description: readFile.description,
      inputSchema: readFile.inputSchema,
      execute: (input, { abortSignal }) => readFile.execute(input, abortSignal && { signal: abortSignal }),
    },
    writeFile: {
      description: writeFile.description,
      inputSchema: writeFile.inputSchema,
      execute: (input, { abortSignal }) => writeFile.execute(input, abortSignal && { signal: abortSignal }),
    },
  };
}
