import { createHash } from 'node:crypto';
import type { ModelMessage, Tool } from 'ai';
import type { CodeModeResult } from './result.ts';
import type { CodeModeArgs, CodeModeTool } from './tool.ts';

/** It is a type, because an interface does not fit the AI SDK's `ToolSet`. */
export type CodeModeTools = {
  /** Its output, in steps and in UI messages, is the whole result; the model gets only its `text`. */
  run_script: Tool<CodeModeArgs, CodeModeResult>;
};

/** Options for one chat. */
export interface AiSdkCodeModeOptions {
  /** Distinguishes chats whose tool calls may have the same ids. */
  chat?: string;
}

/**
 * `run_script` for the AI SDK, versions 6 and 7: `tools: { ...aiSdkCodeMode(tool) }`. A tool call is one run: if the
 * same call is executed again, as after a restart, it gives the result of that run. The abort signal of the call
 * cancels it.
 */
export function aiSdkCodeMode(tool: CodeModeTool, { chat = '' }: AiSdkCodeModeOptions = {}): CodeModeTools {
  return {
    run_script: {
      description: tool.description,
      inputSchema: tool.inputSchema,
      execute: (args, { toolCallId, abortSignal }) => {
        const id = createHash('sha256')
          .update(JSON.stringify([chat, toolCallId, args.script]))
          .digest('hex');
        return tool.execute(args, { id, ...(abortSignal && { signal: abortSignal }) });
      },
      toModelOutput: ({ output }) => modelOutput(output),
    },
  };
}

/**
 * The messages of a chat with another result of a tool call, for a run that waited and has ended since.
 *
 * @param toolCallId of the call of `run_script`
 */
export function withResult(
  messages: readonly ModelMessage[],
  toolCallId: string,
  result: CodeModeResult,
): ModelMessage[] {
  return messages.map((message) => {
    if (message.role !== 'tool') return message;
    const content = message.content.map((part) =>
      part.type === 'tool-result' && part.toolCallId === toolCallId ? { ...part, output: modelOutput(result) } : part,
    );
    return { ...message, content };
  });
}

function modelOutput({ status, text }: CodeModeResult): { type: 'text' | 'error-text'; value: string } {
  return { type: status === 'failed' ? 'error-text' : 'text', value: text };
}
