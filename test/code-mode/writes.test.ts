import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { codeMode, tracker, valueOf } from './support.ts';

const inputSchema = z.object({ text: z.string() });

function notes() {
  const written: string[] = [];
  const note = {
    inputSchema,
    standIn: ({ text }: { text: string }) => ({ id: `new-${text}` }),
    execute: ({ text }: { text: string }) => ({ id: written.push(text) }),
  };
  return { written, note };
}

describe('writes: propose', () => {
  const script = `const all = []; for (const text of ['a', 'b']) all.push((await tools.note({ text })).id); all`;

  test('shows all writes at the end, makes them at one yes, and tells the model of it', async () => {
    const { written, note } = notes();
    const { tool, again } = await codeMode({ tools: { note }, writes: 'propose' });
    expect(tool.description).toContain('stand-in');
    const waiting = await tool.execute({ script });
    expect(waiting).toMatchObject({ status: 'waiting', waitsFor: ['proposal'], value: ['new-a', 'new-b'] });
    expect(waiting.text).toContain('tools.note({"text":"b"})');
    expect(written).toEqual([]);
    const other = await again();
    const done = await other.resume(waiting.run, [{ proposal: 'approve', by: 'ann' }]);
    expect(done).toMatchObject({ status: 'completed', value: ['new-a', 'new-b'] });
    expect(written).toEqual(['a', 'b']);
  });

  test('a denial reaches the model with its reason', async () => {
    const { written, note } = notes();
    const { tool } = await codeMode({ tools: { note }, writes: 'propose' });
    const { run } = await tool.execute({ script });
    const denied = await tool.resume(run, [{ proposal: 'deny', why: 'too many' }]);
    expect(denied).toMatchObject({ status: 'failed', problem: { code: 'proposal_denied' } });
    expect(denied.text).toContain('too many');
    expect(written).toEqual([]);
  });

  test('a tool of a server has its stand-in from the host; one for no tool is refused', async () => {
    const server = tracker({ tools: { create_issue: { standIn: { number: 0 } } } });
    const { tool } = await codeMode({ mcp: { github: server }, writes: 'propose' });
    const made = await tool.execute({ script: `await github.create_issue({ title: 'x', repo: 'r' })` });
    expect(made).toMatchObject({ status: 'waiting', waitsFor: ['proposal'], value: { number: 0 } });
    const wrong = codeMode({ mcp: { github: tracker({ tools: { create_isue: { cost: 1 } } }) } });
    await expect(wrong).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/create_isue/),
    });
  });

  test('a fork gives its result like any other script', async () => {
    const { note } = notes();
    const { tool } = await codeMode({ tools: { note } });
    const first = await tool.execute({ script });
    const fork = await tool.fork(first.run, { call: 1, answer: { value: { id: 'other' } } });
    expect(fork).toMatchObject({ status: 'completed', value: ['other', 3] });
  });
});

describe('a budget of cost', () => {
  const ask = {
    inputSchema: z.object({ words: z.number() }),
    cost: ({ words }: { words: number }) => words / 10,
    execute: ({ words }: { words: number }) => words,
  };
  const caught = (words: number) => `await tools.ask({ words: ${words} }).catch((error) => error.code)`;

  test('is counted before calls are made, side by side too, and refused calls cost nothing', async () => {
    const { tool } = await codeMode({ tools: { ask }, budgets: [{ tool: 'tools.*', cost: 5 }] });
    expect(await valueOf(tool, `[${[20, 90, 20, 20, 10].map(caught).join()}]`)).toEqual([
      20,
      'limit_exceeded',
      20,
      'limit_exceeded',
      10,
    ]);
    const beside = `await Promise.all([${[30, 30, 20].map((words) => caught(words).slice(6)).join()}])`;
    expect(await valueOf(tool, beside)).toEqual([30, 'limit_exceeded', 20]);
  });

  test('a cost that is none refuses the call', async () => {
    for (const cost of [() => NaN, () => -1, () => Infinity, () => 'x' as unknown as number]) {
      const { tool } = await codeMode({ tools: { ask: { ...ask, cost } } });
      const message = `await tools.ask({ words: 1 }).catch((error) => error.message)`;
      expect(await valueOf(tool, message)).toMatch(/its cost is not a number/);
    }
  });

  test('the audit has it', async () => {
    const { tool } = await codeMode({ tools: { ask } });
    const { run } = await tool.execute({ script: 'await tools.ask({ words: 20 })' });
    expect(await tool.runs.audit(run)).toMatchObject([{ cost: 2 }]);
  });
});
