import { describe, expect, test } from 'vitest';
import type { CodeModeOptions, RememberedRule } from '@mustard-sandbox/code-mode';
import { matches } from '../../packages/code-mode/src/policy.ts';
import { counting } from '../runs/support.ts';
import { codeMode, valueOf } from './support.ts';

/** Tools that keep what they were called with. */
function files(options: Partial<CodeModeOptions> = {}) {
  const write = counting('write');
  const any = { '~standard': { validate: (value: unknown) => ({ value }) } };
  const tool = (more: object = {}) => ({
    inputSchema: any,
    execute: (input: unknown) => write.execute?.(input, context),
    ...more,
  });
  const context = { key: '', signal: new AbortController().signal };
  const tools = { 'fs.write': tool({ needsApproval: true }), 'fs.read': tool(), 'net.get': tool() };
  return { made: write.made, options: { tools, ...options } satisfies Partial<CodeModeOptions> };
}

const codes = (calls: string[]): string =>
  `const seen = []; for (const call of [${calls.map((call) => `() => ${call}`).join()}])
     seen.push(await call().then(() => 'made', (error) => error.code)); seen`;

describe('rules', () => {
  test('the first that fits decides, by tool and by fields of the input', async () => {
    const { options } = files({
      policy: [
        { tool: 'fs.*', input: { path: '/etc/*' }, action: 'deny', why: 'system files' },
        { tool: 'fs.write', input: { path: '/tmp/*.txt', force: false }, action: 'allow' },
        { tool: 'net.*', action: 'deny' },
      ],
    });
    const { tool } = await codeMode(options);
    const calls = [
      `fs.read({ path: '/etc/passwd' })`,
      `fs.read({ path: '/home/x' })`,
      `fs.write({ path: '/tmp/a.txt', force: false })`,
      `net.get({ url: 'x' })`,
    ];
    expect(await valueOf(tool, codes(calls))).toEqual(['capability_denied', 'made', 'made', 'capability_denied']);
    const why = `await fs.read({ path: '/etc/x' }).catch((error) => error.message)`;
    expect(await valueOf(tool, why)).toBe('fs.read() is not allowed here: system files');
    const asked = await tool.execute({ script: `await fs.write({ path: '/tmp/a.txt', force: true })` });
    expect(asked.status).toBe('waiting');
    const audit = await tool.runs.audit(asked.run);
    expect(audit).toMatchObject([{ ruling: 'asked' }]);
  });

  test('a field that objects only seem to have is not there', async () => {
    const { options } = files({ policy: [{ tool: '*', input: { 'constructor.name': 'Object' }, action: 'deny' }] });
    const { tool } = await codeMode(options);
    expect(await valueOf(tool, codes(['fs.read({})', 'fs.read(1)', 'fs.read()']))).toEqual(['made', 'made', 'made']);
  });

  test.each([
    ['*', '', true],
    ['a*', 'ab', true],
    ['a*a', 'a', false],
    ['*a*b*', 'xaybz', true],
    ['a*b*c', 'ac', false],
    ['ab*ba', 'aba', false],
    ['a.c', 'abc', false],
    ['', 'a', false],
  ])('the pattern %j and the text %j: %s', (pattern, text, does) => {
    expect(matches(pattern, text)).toBe(does);
  });

  test('a pattern of a thousand stars takes no time', () => {
    expect(matches('*a'.repeat(1_000), 'a'.repeat(100_000))).toBe(true);
    expect(matches(`${'*a'.repeat(1_000)}b`, 'a'.repeat(100_000))).toBe(false);
  });
});

describe('what was remembered', () => {
  const ask = `[await fs.write({ repo: 'a', text: '*' }), await fs.write({ repo: 'a', text: 'other' })].length`;

  test('for a run is the same call and no wider, and a text is no pattern', async () => {
    const { options } = files();
    const { tool } = await codeMode(options);
    const first = await tool.execute({ script: ask });
    const rule = { tool: 'fs.write', input: { repo: 'a', text: '*' } };
    expect(first).toMatchObject({ calls: [{ rule }] });
    const second = await tool.resume(first.run, [{ id: 1, approve: true, remember: 'run' }]);
    expect(second).toMatchObject({ status: 'waiting', calls: [{ args: [{ text: 'other' }] }] });
  });

  test('is for the fields that the rule of the host keeps, also after a restart, and always is given to the host', async () => {
    const kept: RememberedRule[] = [];
    const policy = [{ tool: 'fs.write', action: 'ask', keep: ['repo'] }] as const;
    const { options, made } = files({ policy, onRemember: (rule) => void kept.push(rule) });
    const { tool, again } = await codeMode(options);
    const first = await tool.execute({ script: ask });
    expect(first).toMatchObject({ calls: [{ rule: { tool: 'fs.write', where: { repo: 'a' } } }] });
    const done = await (await again()).resume(first.run, [{ id: 1, approve: true, remember: 'always', by: 'ann' }]);
    expect(done).toMatchObject({ status: 'completed', value: 2 });
    expect(kept).toEqual([{ tool: 'fs.write', where: { repo: 'a' } }]);
    const later = await again({ remembered: kept });
    expect((await later.execute({ script: ask })).status).toBe('completed');
    expect((await later.execute({ script: `await fs.write({ repo: 'b' })` })).status).toBe('waiting');
    expect(made).toHaveLength(4);
    const denies = await again({ remembered: kept, policy: [{ tool: 'fs.*', action: 'deny' }] });
    expect((await denies.execute({ script: ask })).status).toBe('failed');
  });
});

describe('budgets', () => {
  test('of calls and of bytes are errors that the script can catch, by tool', async () => {
    const { options, made } = files({
      budgets: [
        { tool: 'fs.read', calls: 2 },
        { tool: 'net.*', bytes: 10 },
      ],
    });
    const { tool } = await codeMode(options);
    const calls = ['fs.read(1)', 'fs.read(2)', 'fs.read(3)', 'net.get("123456789")', 'net.get(1)', 'net.get(2)'];
    expect(await valueOf(tool, codes(calls))).toEqual([
      'made',
      'made',
      'limit_exceeded',
      'made',
      'limit_exceeded',
      'limit_exceeded',
    ]);
    expect(made).toHaveLength(3);
  });

  test('hold for calls that are begun at a time', async () => {
    const { options, made } = files({ budgets: [{ tool: '*', calls: 3 }] });
    const { tool } = await codeMode(options);
    const all = `(await Promise.allSettled(Array.from({ length: 20 }, (_, n) => fs.read(n)))).filter((each) => each.status === 'rejected').length`;
    expect(await valueOf(tool, all)).toBe(17);
    expect(made).toHaveLength(3);
  });

  test('go on after a restart of the host', async () => {
    const { options } = files({ budgets: [{ tool: 'fs.read', calls: 1 }] });
    const { tool, again } = await codeMode(options);
    const first = await tool.execute({
      script: `await fs.read(1); await fs.write(1); await fs.read(2).catch((error) => error.code)`,
    });
    expect(await (await again()).resume(first.run, [{ id: 2, approve: true }])).toMatchObject({
      value: 'limit_exceeded',
    });
  });
});
