import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAttachmentTurn, type AgentEvent } from '@mustard-sandbox/agent-tool';
import { makeFolder } from '../../files/support.ts';
import { completed, crashing, failed, recorder, toolFor } from './support.ts';

test('a run that completes tells its beginning and its end, with what it took', async () => {
  const { events, listen } = recorder();
  const folder = makeFolder({ 'a.txt': 'abc' });
  const script = 'read_file("attachments:a.txt")';
  const result = await completed(toolFor({ attachments: [join(folder, 'a.txt')], events: listen }).execute({ script }));
  const identity = {
    runId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    scriptHash: createHash('sha256').update(script).digest('hex'),
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
  };
  const { executionMs, instructionsUsed, heapBytesUsed, hostCalls, bytesRead, durationMs } = result;
  expect(events).toEqual([
    { type: 'sandbox.script.run', ...identity, scriptBytes: script.length, attachments: 1 },
    {
      type: 'sandbox.script.completed',
      ...identity,
      durationMs,
      resultBytes: 3,
      engine: 'mustardscript',
      ...{ executionMs, instructionsUsed, heapBytesUsed, hostCalls, bytesRead },
    },
  ]);
  expect(new Set(events.map((event) => 'runId' in event && event.runId)).size).toBe(1);
});

test.each<[string, { type: AgentEvent['type']; timeoutMs?: number; code?: string; engine?: string }]>([
  ['throw new Error("x")', { type: 'sandbox.script.failed', code: 'script_error', engine: 'quickjs' }],
  ['import("x")', { type: 'sandbox.script.failed', code: 'unsupported_syntax' }],
  ['while (true) {}', { type: 'sandbox.script.timeout', timeoutMs: 150, engine: 'quickjs' }],
  ["'a'.repeat(500000000).length", { type: 'sandbox.script.crashed' }],
])('a run that fails tells how: %s', async (script, expected) => {
  const { events, listen } = recorder();
  // Under load a crash can take longer than that.
  const limits = { timeoutMs: expected.timeoutMs ?? 10_000 };
  const crashes = expected.type === 'sandbox.script.crashed' && crashing();
  await failed(toolFor({ events: listen, limits, ...crashes }).execute({ script }));
  expect(events).toHaveLength(2);
  expect(events[1]).toMatchObject({ ...expected, durationMs: expect.any(Number) as number });
});

test('a result that is cut tells how much of it was shown, after the run has completed', async () => {
  const { events, listen, types } = recorder();
  const appPath = makeFolder();
  const { text } = await completed(toolFor({ appPath, events: listen }).execute({ script: '"a".repeat(100000)' }));
  expect(types()).toEqual(['sandbox.script.run', 'sandbox.script.completed', 'sandbox.script.truncated']);
  const shownBytes = (text.match(/a{100,}/g) as string[]).join('').length;
  expect(events[2]).toMatchObject({ totalBytes: 100_000, shownBytes, spilled: true });
});

test('no event holds anything of a file, a script, a result, an error or the console', async () => {
  const { events, listen, types } = recorder();
  const appPath = makeFolder({ 'data.txt': 'canary-7f3a' });
  const tool = toolFor({
    appPath,
    attachments: [join(appPath, 'data.txt')],
    events: listen,
    limits: { timeoutMs: 500, instructions: 2e9 },
    settings: { consent: 'ask' },
    consent: async ({ script, hostFunction }) => {
      if (script.includes('refused') || hostFunction !== undefined) throw new Error('canary-7f3a');
      return 'allow-once';
    },
    hostFunctions: {
      ask_user: { handler: () => 'canary-7f3a', declaration: 'declare function ask_user(): string;', consent: 'ask' },
    },
  });
  const read = `const canary = read_file('attachments:data.txt') + read_file('data.txt'); console.log(canary);`;
  const ends = [
    'canary',
    'canary.repeat(10000)',
    'throw new Error(canary)',
    'read_file(canary)',
    'while (true) {}',
    'try { ask_user(canary) } catch (e) { canary }',
    'canary + "refused"',
    'class canary {}',
  ];
  for (const end of ends) await tool.execute({ script: `${read}\n${end}`, description: 'canary-7f3a' });
  await tool.execute({ script: '', description: 'canary-7f3a' });
  const crash = toolFor({ events: listen, ...crashing() });
  await crash.execute({ script: "const canary = 'a'.repeat(500000000);\ncanary.length", description: 'canary-7f3a' });
  expect(new Set(types())).toEqual(
    new Set([
      'sandbox.script.asked',
      'sandbox.script.run',
      'sandbox.script.completed',
      'sandbox.script.truncated',
      'sandbox.script.failed',
      'sandbox.script.timeout',
      'sandbox.script.crashed',
      'sandbox.script.denied',
    ]),
  );
  expect(JSON.stringify(events)).not.toContain('canary');
});

test.each([
  [
    'throws',
    (): unknown => {
      throw new Error('a bug of the host');
    },
  ],
  ['rejects', (): unknown => Promise.reject(new Error('a bug of the host'))],
])('a listener that %s changes nothing', async (_, events) => {
  const tool = toolFor({ events });
  expect((await completed(tool.execute({ script: '1' }))).value).toBe(1);
  expect((await failed(tool.execute({ script: 'none' }))).error.code).toBe('script_error');
  createAttachmentTurn({ attachments: ['a.txt'], events }).end();
});
