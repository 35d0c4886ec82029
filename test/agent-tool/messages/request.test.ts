import { generateText, type ModelMessage, type UserModelMessage } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { expect, test } from 'vitest';
import { AttachmentStore, type PrepareUserMessageOptions } from '@mustard-sandbox/agent-tool';
import { makeFolder } from '../../files/support.ts';
import { binary, pdf, png, prepare } from './support.ts';

/** What the AI SDK hands to a provider for this conversation. */
async function requestFor(system: string, messages: ModelMessage[]) {
  const model = new MockLanguageModelV3({
    doGenerate: {
      content: [{ type: 'text', text: 'Done.' }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    },
  });
  await generateText({ model, system, messages });
  const { prompt } = model.doGenerateCalls[0] as (typeof model.doGenerateCalls)[number];
  return prompt;
}

const system = 'You are a helpful agent.';

function cases(): [string, PrepareUserMessageOptions][] {
  const cwd = makeFolder({ 'a.log': 'a log\n', 'shot.png': png, 'paper.pdf': pdf, 'data.gz': binary });
  const attachments = ['a.log', 'shot.png', 'paper.pdf', 'data.gz'];
  const text = 'What is in there?';
  const store = new AttachmentStore(cwd);
  return [
    ['local-agent, no attachments', { mode: 'local-agent', text, store }],
    ['local-agent', { mode: 'local-agent', text, store, cwd, attachments }],
    ['local-agent, no scripting', { mode: 'local-agent', text, store, cwd, attachments, scripting: false }],
    ['default-chat, no attachments', { mode: 'default-chat', text }],
    ['default-chat', { mode: 'default-chat', text, cwd, attachments }],
    ['default-chat, no scripting', { mode: 'default-chat', text, cwd, attachments, scripting: false }],
  ];
}

test('the system prompt is the same with and without attachments, in both modes and without scripting', async () => {
  const prompts: unknown[] = [];
  for (const [, options] of cases()) {
    const { message } = await prepare(options);
    const [first, ...rest] = await requestFor(system, [message]);
    prompts.push(first);
    expect(rest.map(({ role }) => role)).toEqual(['user']);
    expect(JSON.stringify(rest)).not.toContain(system);
  }
  expect(prompts).toEqual(cases().map(() => ({ role: 'system', content: system })));
});

test('every kind of part reaches a provider', async () => {
  const sent = new Map<string, unknown[]>();
  for (const [name, options] of cases()) {
    const { message } = await prepare(options);
    // Types are checked by `npm run typecheck`.
    const user: UserModelMessage = message;
    const [, sentMessage] = await requestFor(system, [user]);
    const content = sentMessage?.content as { type: string; text?: string; mediaType?: string }[];
    sent.set(
      name,
      content.map(({ type, mediaType }) => mediaType ?? type),
    );
    expect(content.at(-1)?.text).toBe('What is in there?');
  }
  expect(Object.fromEntries(sent)).toEqual({
    'local-agent, no attachments': ['text'],
    'local-agent': ['image/png', 'text', 'text'],
    'local-agent, no scripting': ['image/png', 'text', 'text'],
    'default-chat, no attachments': ['text'],
    'default-chat': ['text', 'image/png', 'application/pdf', 'application/octet-stream', 'text'],
    'default-chat, no scripting': ['text', 'image/png', 'application/pdf', 'application/octet-stream', 'text'],
  });
});

/** Messages as hosts kept them before files went to disk: contents inside the text, bytes and data URLs in parts. */
const oldHistory: ModelMessage[] = [
  { role: 'user', content: 'Attached:\n<file name="old.log">\nline 1\n```\nline 2\n</file>\nWhat failed?' },
  { role: 'assistant', content: [{ type: 'text', text: 'Line 2.' }] },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'File: notes.txt\n---\nold notes\n---' },
      { type: 'image', image: `data:image/png;base64,${png.toString('base64')}` },
      { type: 'image', image: new Uint8Array(png), mediaType: 'image/png' },
      { type: 'file', data: pdf.toString('base64'), mediaType: 'application/pdf', filename: 'old.pdf' },
      {
        type: 'text',
        text: 'Attachments available on disk (use attachments:<name> with read_file / execute_sandbox_script):\n- attachments:gone.log (1 KB, text/plain)',
      },
      { type: 'text', text: 'And these?' },
    ],
  },
  { role: 'assistant', content: 'Nothing.' },
];

test('old histories with inlined bytes pass through unchanged beside new messages', async () => {
  const history = structuredClone(oldHistory);
  const alone = await requestFor(system, history);
  for (const [, options] of cases()) {
    const { message } = await prepare(options);
    const beside = await requestFor(system, [...history, message]);
    expect(beside.slice(0, -1)).toEqual(alone);
    expect(history).toEqual(oldHistory);
  }
});
