import {
  AttachmentStore,
  createAttachmentTurn,
  createExecuteSandboxScriptTool,
  type AgentEvent,
} from '@mustard-sandbox/agent-tool';
import { aiSdkTools } from '@mustard-sandbox/agent-tool/ai-sdk';
import { generateText, stepCountIs, streamText } from 'ai';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeFolder } from '../../files/support.ts';
import { writeLog } from '../../fixtures/log.ts';
import { isFull } from '../../full.ts';
import { toolFor } from '../tool/support.ts';
import { prepare } from '../messages/support.ts';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that calls the tool with each script in turn, and then repeats what the last call gave it. */
function scriptedModel(scripts: string[]): MockLanguageModelV3 {
  let turn = 0;
  return new MockLanguageModelV3({
    doGenerate: ({ prompt }) => {
      const script = scripts[turn++];
      if (script === undefined) {
        const { output } = lastToolResult(prompt);
        const text = `The answer is ${'value' in output && typeof output.value === 'string' ? output.value : output.type}.`;
        return Promise.resolve({
          content: [{ type: 'text' as const, text }],
          finishReason: { unified: 'stop' as const, raw: 'stop' },
          usage,
          warnings: [],
        });
      }
      return Promise.resolve({
        content: [toolCall(turn, script)],
        finishReason: { unified: 'tool-calls' as const, raw: 'tool_calls' },
        usage,
        warnings: [],
      });
    },
  });
}

type Prompt = MockLanguageModelV3['doGenerateCalls'][number]['prompt'];
type StreamPart =
  Awaited<ReturnType<MockLanguageModelV3['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

function lastToolResult(prompt: Prompt) {
  const message = prompt.findLast(({ role }) => role === 'tool');
  const part = message?.role === 'tool' ? message.content.at(-1) : undefined;
  if (part?.type !== 'tool-result') throw new Error('no tool result in the prompt');
  return part;
}

const toolCall = (id: number, script: string) => ({
  type: 'tool-call' as const,
  toolCallId: String(id),
  toolName: 'execute_sandbox_script',
  input: JSON.stringify({ script }),
});

const megabytes = isFull ? 80 : 8;

test(`an agent answers a question about ${megabytes} MB with a script that fails and one that is repaired`, async () => {
  const appPath = makeFolder();
  const path = join(appPath, 'server.log');
  await writeLog(path, megabytes);
  const events: AgentEvent[] = [];
  const store = new AttachmentStore(appPath);
  const tool = createExecuteSandboxScriptTool({
    appPath,
    attachments: store,
    settings: { consent: 'always', timeoutMs: 10_000 },
    events: (event) => events.push(event),
  });
  onTestFinished(() => tool.close());
  const { message, stored } = await prepare({
    mode: 'local-agent',
    text: 'How many errors are in the log?',
    attachments: [path],
    store,
    scripting: tool.isEnabled(),
  });
  const turn = createAttachmentTurn({ attachments: stored.map(({ name }) => name), events: (e) => events.push(e) });

  const whole = `read_file('attachments:server.log').match(/ ERROR /g).length`;
  const ranges = `
    let count = 0;
    const { size } = file_stats('attachments:server.log');
    for (let start = 0, rest = ''; start < size; start += 1048576) {
      const text = rest + read_file('attachments:server.log', { start, length: 1048576 });
      const end = text.lastIndexOf('\\n') + 1;
      count += (text.slice(0, end).match(/ ERROR /g) ?? []).length;
      rest = text.slice(end);
    }
    count`;
  const model = scriptedModel([whole, ranges]);
  const { text, steps } = await generateText({
    model,
    messages: [message],
    tools: { ...aiSdkTools(tool, { turn }) },
    stopWhen: stepCountIs(5),
  });
  turn.end();

  const expected = readFileSync(path, 'latin1').match(/ ERROR /g)?.length;
  expect(text).toBe(`The answer is ${expected}.`);
  expect(steps).toHaveLength(3);
  const prompts = model.doGenerateCalls.map(({ prompt }) => prompt);
  // What failed says what to do instead, as an error of the tool.
  expect(lastToolResult(prompts[1] as Prompt).output).toMatchObject({ type: 'error-text' });
  expect(events.map(({ type }) => type)).toEqual([
    'sandbox.script.run',
    'sandbox.script.failed',
    'sandbox.script.run',
    'sandbox.script.completed',
  ]);
  for (const { prompt, tools } of model.doGenerateCalls) {
    expect(Buffer.byteLength(JSON.stringify({ prompt, tools }))).toBeLessThan(8 * 1024);
  }
});

const question = [{ role: 'user' as const, content: 'Look.' }];

describe('what the model gets', () => {
  test('a result is its text, and the host has all of it', async () => {
    const model = scriptedModel(['({ a: [1, 2] })']);
    const tools = { ...aiSdkTools(toolFor()) };
    const { steps } = await generateText({ model, messages: question, tools, stopWhen: stepCountIs(2) });
    expect(lastToolResult(model.doGenerateCalls[1]?.prompt as Prompt).output).toEqual({
      type: 'text',
      value: '{"a":[1,2]}',
    });
    expect(steps[0]?.toolResults[0]?.output).toMatchObject({ status: 'completed', value: { a: [1, 2] }, hostCalls: 0 });
  });

  test('a refusal is no error', async () => {
    const model = scriptedModel(['1']);
    const tools = { ...aiSdkTools(toolFor({ settings: { consent: 'ask' }, consent: async () => 'deny' })) };
    await generateText({ model, messages: question, tools, stopWhen: stepCountIs(2) });
    const { output } = lastToolResult(model.doGenerateCalls[1]?.prompt as Prompt);
    expect(output).toMatchObject({ type: 'text', value: expect.stringContaining('declined') as string });
  });
});

test('there is no tool while it is not enabled', () => {
  expect(aiSdkTools(toolFor({ settings: { enabled: false } }))).toEqual({});
});

test('the abort signal of the call ends the run', async () => {
  const controller = new AbortController();
  const events: AgentEvent[] = [];
  const tool = toolFor({
    events: (event) => {
      events.push(event);
      if (event.type === 'sandbox.script.run') controller.abort();
    },
  });
  const model = scriptedModel(['while (true) {}']);
  const abortSignal = controller.signal;
  await generateText({ model, messages: question, tools: { ...aiSdkTools(tool) }, abortSignal }).catch(() => {});
  await vi.waitFor(
    () => expect(events.at(-1)).toMatchObject({ type: 'sandbox.script.failed', code: 'cancelled' }),
    30_000,
  );
});

test('streams', async () => {
  const call = { ...toolCall(1, '6 * 7') };
  const finish = (unified: 'tool-calls' | 'stop') => ({
    type: 'finish' as const,
    finishReason: { unified, raw: unified },
    usage,
  });
  const chunks: StreamPart[][] = [
    [call, finish('tool-calls')],
    [
      { type: 'text-start' as const, id: 't' },
      { type: 'text-delta' as const, id: 't', delta: 'Done.' },
      { type: 'text-end' as const, id: 't' },
      finish('stop'),
    ],
  ];
  const model = new MockLanguageModelV3({
    doStream: () => Promise.resolve({ stream: simulateReadableStream({ chunks: chunks.shift() ?? [] }) }),
  });
  const tools = { ...aiSdkTools(toolFor()) };
  const { text, steps } = streamText({ model, messages: question, tools, stopWhen: stepCountIs(3) });
  expect(await text).toBe('Done.');
  expect((await steps)[0]?.toolResults[0]?.output).toMatchObject({ status: 'completed', value: 42 });
});
