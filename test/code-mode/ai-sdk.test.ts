import { generateText, stepCountIs, streamText, tool as aiTool, type ModelMessage } from 'ai';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { CodeModeResult } from '@mustard-sandbox/code-mode';
import { aiSdkCodeMode, withResult } from '@mustard-sandbox/code-mode/ai-sdk';
import { codeMode } from './support.ts';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
type Content =
  { type: 'text'; text: string } | { type: 'tool-call'; toolCallId: string; toolName: string; input: string };
const calls = (script: string, toolCallId = 'call_1'): Content => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'run_script',
  input: JSON.stringify({ script }),
});

/** A model that says these things, one after the other. */
function scripted(...said: Content[]): MockLanguageModelV3 {
  let at = 0;
  const next = (): { content: Content; reason: 'tool-calls' | 'stop' } => {
    const content = said[at++] as Content;
    return { content, reason: content.type === 'tool-call' ? 'tool-calls' : 'stop' };
  };
  return new MockLanguageModelV3({
    doGenerate: async () => {
      const { content, reason } = next();
      return { content: [content], finishReason: { unified: reason, raw: reason }, usage, warnings: [] };
    },
    doStream: async () => {
      const { content, reason } = next();
      const text = content.type === 'text' ? content.text : '';
      const parts =
        content.type === 'tool-call'
          ? [content]
          : [
              { type: 'text-start' as const, id: '1' },
              { type: 'text-delta' as const, id: '1', delta: text },
              { type: 'text-end' as const, id: '1' },
            ];
      const finish = { type: 'finish' as const, finishReason: { unified: reason, raw: reason }, usage };
      return { stream: simulateReadableStream({ chunks: [{ type: 'stream-start', warnings: [] }, ...parts, finish] }) };
    },
  });
}

const made: number[] = [];
const pay = aiTool({
  inputSchema: z.object({ total: z.number() }),
  needsApproval: ({ total }) => total > 50,
  execute: ({ total }) => made.push(total),
});

test('one tool of generateText calls the others, and gives the model its text', async () => {
  const { tool } = await codeMode({ tools: { pay } });
  const model = scripted(calls('await tools.pay({ total: 1 }); "paid"'), { type: 'text', text: 'Done.' });
  const { text, steps } = await generateText({
    model,
    tools: aiSdkCodeMode(tool),
    prompt: 'Pay.',
    stopWhen: stepCountIs(3),
  });
  expect(text).toBe('Done.');
  expect(steps[0]?.toolResults).toMatchObject([
    { toolCallId: 'call_1', output: { status: 'completed', value: 'paid' } },
  ]);
  const [, seen] = model.doGenerateCalls;
  expect(JSON.stringify(seen?.prompt)).toContain('{"type":"text","value":"\\"paid\\""}');
});

test('streamText does the same', async () => {
  const { tool } = await codeMode({ tools: { pay } });
  const model = scripted(calls('await tools.pay({ total: 2 })'), { type: 'text', text: 'Done.' });
  const result = streamText({ model, tools: aiSdkCodeMode(tool), prompt: 'Pay.', stopWhen: stepCountIs(3) });
  expect(await result.text).toBe('Done.');
  const [first] = await result.steps;
  expect(first?.toolResults).toMatchObject([{ output: { status: 'completed' } }]);
});

test('a run that waits says for what, and a tool call that is executed again is the same run', async () => {
  made.length = 0;
  const { tool, again } = await codeMode({ tools: { pay } });
  const script = 'const first = await tools.pay({ total: 7 }); [first, await tools.pay({ total: 99 })]';
  const model = scripted(calls(script), { type: 'text', text: 'It waits.' });
  const { response, steps } = await generateText({
    model,
    tools: aiSdkCodeMode(tool),
    prompt: 'Pay.',
    stopWhen: stepCountIs(3),
  });
  const output = steps[0]?.toolResults[0]?.output as CodeModeResult;
  expect(output).toMatchObject({
    waitsFor: ['approvals'],
    calls: [{ id: 2, tool: 'tools.pay', args: [{ total: 99 }] }],
  });
  const restarted = await again();
  const { run_script: runScript } = aiSdkCodeMode(restarted);
  const repeated = await runScript.execute?.({ script }, { toolCallId: 'call_1', messages: [] });
  expect(repeated).toMatchObject({ run: output.run, status: 'waiting' });
  const ended = await restarted.resume(output.run, [{ id: 2, approve: true }]);
  expect(ended).toMatchObject({ status: 'completed', value: [1, 2] });
  expect(made).toEqual([7, 99]);
  const messages: ModelMessage[] = withResult(response.messages, 'call_1', ended);
  expect(JSON.stringify(messages)).toContain('"output":{"type":"text","value":"[1,2]"}');
  const other = aiSdkCodeMode(restarted, { chat: 'other' }).run_script;
  const elsewhere = await other.execute?.({ script }, { toolCallId: 'call_1', messages: [] });
  expect(elsewhere).not.toMatchObject({ run: output.run });
});

test('the signal of the call cancels the run', async () => {
  const stop = new AbortController();
  const slow = aiTool({
    inputSchema: z.object({}),
    execute: (_, { abortSignal }) => {
      stop.abort();
      return new Promise((_resolve, reject) =>
        abortSignal?.addEventListener('abort', () => reject(new Error('stopped'))),
      );
    },
  });
  const { tool } = await codeMode({ tools: { slow } });
  expect(await tool.execute({ script: 'await tools.slow({})' }, { signal: stop.signal })).toMatchObject({
    status: 'cancelled',
    text: 'The script was cancelled.',
  });
});
