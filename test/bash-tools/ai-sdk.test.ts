import { createBashTools } from '@mustard-sandbox/bash-tools';
import { aiSdkBashTools } from '@mustard-sandbox/bash-tools/ai-sdk';
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { expect, it } from 'vitest';
import { openWorkspaces } from './support.ts';

type Options = ConstructorParameters<typeof MockLanguageModelV3>[0];
type Generated = Awaited<ReturnType<InstanceType<typeof MockLanguageModelV3>['doGenerate']>>;

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that calls one tool after the other, and then ends. */
function modelThatCalls(calls: [toolName: string, input: object][]): InstanceType<typeof MockLanguageModelV3> {
  let step = 0;
  const doGenerate: NonNullable<Options>['doGenerate'] = async () => {
    const [toolName, input] = calls[step++] ?? [];
    const content: Generated['content'] =
      toolName === undefined
        ? [{ type: 'text', text: 'done' }]
        : [{ type: 'tool-call', toolCallId: `call-${step}`, toolName, input: JSON.stringify(input) }];
    const unified = toolName === undefined ? 'stop' : 'tool-calls';
    return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] };
  };
  return new MockLanguageModelV3({ doGenerate });
}

it('a model of the AI SDK writes, runs and reads, and a failure is an answer', async () => {
  const workspace = await (await openWorkspaces({ backend: 'memory' })).open({ temporary: true });
  const bashTools = createBashTools({ workspace, approval: { otherwise: 'allow' } });
  const { steps } = await generateText({
    model: modelThatCalls([
      ['writeFile', { path: 'a.txt', content: 'one\ntwo\n' }],
      ['bash', { command: 'grep -c o a.txt; exit 4' }],
      ['readFile', { path: 'a.txt' }],
      ['readFile', { path: '../x' }],
    ]),
    system: bashTools.prompt,
    prompt: 'go',
    tools: { ...aiSdkBashTools(bashTools) },
    stopWhen: stepCountIs(20),
  });
  const outputs = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output));
  expect(outputs).toEqual([
    { success: true },
    { stdout: '2', stderr: '', exitCode: 4, truncated: false, durationMs: expect.any(Number) as number },
    { content: 'one\ntwo\n' },
  ]);
  expect(steps.flatMap(({ content }) => content.filter(({ type }) => type === 'tool-error'))).toHaveLength(1);
});

it('without tools the object is empty', () => {
  expect(aiSdkBashTools(undefined)).toEqual({});
});

it('the workspace is a Sandbox of bash-tool', async () => {
  const { sandbox } = await (await openWorkspaces({ backend: 'memory' })).open({ temporary: true });
  await sandbox.writeFiles([{ path: 'b.txt', content: Buffer.from('b') }]);
  expect(await sandbox.executeCommand('cat b.txt')).toEqual({ stdout: 'b', stderr: '', exitCode: 0 });
  expect(await sandbox.readFile('b.txt')).toBe('b');
});
