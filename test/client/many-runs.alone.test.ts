import { expect, it, onTestFinished } from 'vitest';
import { createExecuteSandboxScriptTool } from '@mustard-sandbox/agent-tool';
import { failureOf, fake, recorded, sandbox } from './support.ts';

function warnings(): string[] {
  const seen: string[] = [];
  const note = ({ message }: Error): void => void seen.push(message);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  return seen;
}

it('one AbortSignal serves any number of runs, in silence, and ends them all', async () => {
  const seen = warnings();
  const box = sandbox({ maxProcesses: 2 });
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 40 }, () => box.run({ script: '1', signal })));
  const controller = new AbortController();
  const hostFunctions = { ask: () => new Promise(() => {}) };
  const runs = Array.from({ length: 40 }, () =>
    failureOf(box.run({ script: 'ask()', hostFunctions, signal: controller.signal })),
  );
  controller.abort();
  expect((await Promise.all(runs)).map(({ code }) => code)).toEqual(Array(40).fill('cancelled'));
  await new Promise(setImmediate);
  expect(seen).toEqual([]);
});

it('so it does for the calls of a tool', async () => {
  const seen = warnings();
  await using tool = createExecuteSandboxScriptTool({ settings: { consent: 'always' } });
  const { signal } = new AbortController();
  const args = { script: '1 + 1', description: 'Add.' };
  const results = await Promise.all(Array.from({ length: 30 }, () => tool.execute(args, { signal })));
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['completed']));
  await new Promise(setImmediate);
  expect(seen).toEqual([]);
});

it('a sidecar that never answers costs its callers one start timeout, not several', async () => {
  const box = fake('hang-in-initialize', { startTimeoutMs: 300, maxProcesses: 2 });
  const events = recorded(box);
  const errors = await Promise.all([1, 2, 3].map(() => failureOf(box.run({ script: '1' }))));
  for (const error of errors) {
    expect(error).toMatchObject({ code: 'sidecar_unavailable', message: expect.stringContaining('300 ms') as string });
  }
  expect(events.filter(({ event }) => event === 'killed').length).toBeLessThanOrEqual(2);
});
