import { aiSdkTools } from '@mustard-sandbox/agent-tool/ai-sdk';
import type { ExecuteSandboxScriptArgs, ExecuteSandboxScriptResult } from '@mustard-sandbox/agent-tool';
import {
  tool,
  type generateText,
  type InferUITools,
  type streamText,
  type TextStreamPart,
  type ToolSet,
  type TypedToolCall,
  type TypedToolResult,
  type UIMessage,
  type UIMessagePart,
} from 'ai';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { toolFor } from '../tool/support.ts';

// The compiler judges these, by `npm run typecheck`: `expectTypeOf` does nothing when it runs.

const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => city.length });
const allTools = () => ({ ...aiSdkTools(toolFor()), weather });
type Tools = ReturnType<typeof allTools>;

test('the tools are a ToolSet, alone and beside others', () => {
  const alone: ToolSet = aiSdkTools(toolFor());
  const spread: ToolSet = { ...aiSdkTools(toolFor()) };
  const beside: ToolSet = allTools();
  expectTypeOf([alone, spread, beside]).toExtend<ToolSet[]>();
  expectTypeOf<Parameters<typeof generateText<Tools>>[0]['tools']>().toEqualTypeOf<Tools | undefined>();
});

test('a call is told by its name, and has its arguments', () => {
  const inputOf = (call: TypedToolCall<Tools>): ExecuteSandboxScriptArgs | undefined =>
    !call.dynamic && call.toolName === 'execute_sandbox_script' ? call.input : undefined;
  expectTypeOf(inputOf).returns.toEqualTypeOf<ExecuteSandboxScriptArgs | undefined>();
});

test('a result is told by its name, and has the whole answer of the tool', () => {
  const textOf = (result: TypedToolResult<Tools>): string | undefined => {
    if (result.dynamic || result.toolName !== 'execute_sandbox_script') return undefined;
    expectTypeOf(result.output).toEqualTypeOf<ExecuteSandboxScriptResult>();
    return result.output.status === 'denied' ? result.output.reason : result.output.record.script;
  };
  expectTypeOf(textOf).returns.toEqualTypeOf<string | undefined>();
});

test('so are the parts of a stream', () => {
  type Part = Awaited<ReturnType<typeof streamText<Tools>>>['fullStream'] extends AsyncIterable<infer P> ? P : never;
  expectTypeOf<Part>().toEqualTypeOf<TextStreamPart<Tools>>();
  const outputOf = (part: Part): unknown => {
    if (part.type !== 'tool-result' || part.dynamic || part.toolName !== 'execute_sandbox_script') return undefined;
    expectTypeOf(part.output).toEqualTypeOf<ExecuteSandboxScriptResult>();
    return part.output;
  };
  expectTypeOf(outputOf).parameter(0).toEqualTypeOf<Part>();
});

test('and the parts of a UI message', () => {
  type Message = UIMessage<never, never, InferUITools<Tools>>;
  const outputOf = (part: Message['parts'][number]): ExecuteSandboxScriptResult | undefined =>
    part.type === 'tool-execute_sandbox_script' && part.state === 'output-available' ? part.output : undefined;
  expectTypeOf<Message['parts'][number]>().toEqualTypeOf<UIMessagePart<never, InferUITools<Tools>>>();
  expectTypeOf(outputOf).returns.toEqualTypeOf<ExecuteSandboxScriptResult | undefined>();
});
