import { execFileSync } from 'node:child_process';
import { expect, describe, test } from 'vitest';
import { childrenOf, isLinux, isRunning } from '../cli/support.ts';
import { folder } from '../runs/support.ts';
import { codeMode, liar, tracker, valueOf } from './support.ts';

const allow = [{ tool: '*', action: 'allow' }] as const;

describe('a server that lies', () => {
  test('about names: each tool has one that a script can use, and none hides another', async () => {
    const { tool } = await codeMode({ mcp: { evil: liar('names') }, policy: allow });
    const all = `const answers = {};
      for (const name of Object.keys(evil)) answers[name] = (await evil[name]()).called;
      answers`;
    const called = (await valueOf(tool, all)) as Record<string, string>;
    expect(Object.keys(called)).toHaveLength(15);
    for (const name of Object.keys(called)) expect(name).toMatch(/^[A-Za-z_$][\w$]*$/);
    expect(new Set(Object.values(called)).size).toBe(15);
    expect(called).toMatchObject({ a_b: 'a-b', a_b_2: 'a.b', a_b_3: 'a_b', _then: 'then', ___proto__: '__proto__' });
  });

  test('in its descriptions: nothing gets out of its comment, or out of the block of code', async () => {
    const { tool } = await codeMode({ mcp: { evil: liar('injection') } });
    const { description } = tool;
    expect(description.match(/^```/gm)).toHaveLength(2);
    expect(description).not.toMatch(/^#+ (?:System|Do as I say)/m);
    for (const character of ['\u001b', '\u202e']) expect(description).not.toContain(character);
    const line = description.split('\n').find((each) => each.includes('function evil(')) as string;
    expect(line.match(/\*\//g)).toHaveLength(2);
  });

  test('with five thousand tools: the description stays small, and tools are looked up', async () => {
    const { tool } = await codeMode({ mcp: { evil: liar('many') }, descriptionTokens: 1_000, policy: allow });
    expect(tool.description.length).toBeLessThan(8_000);
    expect(tool.description).toContain('which search_tools finds');
    const found = `const [first] = await search_tools('tool_77'); [first.name, await describe_tool(first.name),
      await describe_tool('evil.none').catch((error) => error.message), (await evil.tool_77()).called]`;
    const [name, declaration, missing, called] = (await valueOf(tool, found)) as string[];
    expect(name).toMatch(/^evil\.tool_77/);
    expect(declaration).toContain('Promise<any>;');
    expect([missing, called]).toEqual(['There is no tool evil.none. Use search_tools(query).', 'tool_77']);
  });

  test('with schemas that explode, turn in circles or lead elsewhere: its tools can be called, at once', async () => {
    const { tool } = await codeMode({ mcp: { evil: liar('schemas') }, policy: allow });
    const attempts = `const bad = { x: 1, a: 'a'.repeat(50) + '!', 'a b*/': 'z' };
      const seen = {};
      for (const name of Object.keys(evil)) seen[name] = await evil[name](bad).then(() => 'called', (error) => error.message);
      seen`;
    const before = process.cpuUsage();
    expect(await valueOf(tool, attempts)).toEqual({
      explosive: 'called',
      cyclic: 'called',
      foreign: 'called',
      deep: expect.stringContaining('must be an object'),
      large: 'called',
      pattern: 'called',
      odd: expect.stringContaining('must be one of'),
    });
    expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
    expect(tool.description.length).toBeLessThan(40_000);
  });

  test.each(['pages', 'broken', 'abyss'])('in its list (%s): it is named, and nothing of it stays', async (how) => {
    await expect(codeMode({ mcp: { evil: liar(how) } })).rejects.toMatchObject({ code: 'server_failed' });
    if (isLinux) expect(childrenOf(process.pid).filter((pid) => isLyingServer(pid))).toEqual([]);
  });

  test('with 100 MB in one answer: the call fails, and the next one is made', async () => {
    const { tool } = await codeMode({ mcp: { evil: liar('huge') } });
    const script = `[await evil.huge().catch((error) => typeof error.message), (await evil.after()).called]`;
    expect(await valueOf(tool, script)).toEqual(['string', 'after']);
  });

  test('with noise among its answers', async () => {
    const { tool } = await codeMode({ mcp: { evil: liar('noise') } });
    expect(await valueOf(tool, 'await evil.noise()')).toBe('after noise');
  });
});

function isLyingServer(pid: number): boolean {
  try {
    return isRunning(pid) && execFileSync('ps', ['-o', 'args=', '-p', String(pid)]).includes('lying-server');
  } catch {
    return false;
  }
}

describe('a script that attacks', () => {
  test('with 20,000 calls comes to its budget, and each refused call is an error that it can catch', async () => {
    let made = 0;
    const once = { inputSchema: { '~standard': { validate: (value: unknown) => ({ value }) } }, execute: () => ++made };
    const { tool } = await codeMode({
      tools: { once },
      budgets: [{ tool: '*', calls: 20 }],
      limits: { hostCalls: 30, timeoutMs: 10_000 },
    });
    const script = `let done = 0; const codes = new Set();
      for (let n = 0; n < 20000; n++) await tools.once(n).then(() => done++, (error) => codes.add(error.code));
      [done, [...codes]]`;
    expect(await valueOf(tool, script)).toEqual([20, ['limit_exceeded']]);
    expect(made).toBe(20);
  });

  test('with values that cannot leave, a namespace that it changes, and names that are put together', async () => {
    const seen: unknown[] = [];
    const note = {
      inputSchema: { '~standard': { validate: (value: unknown) => ({ value }) } },
      execute: (input: unknown) => void seen.push(input),
    };
    const { tool } = await codeMode({ tools: { note }, mcp: { github: tracker() } });
    const script = `const circle = {}; circle.self = circle;
      const names = [];
      for (const value of [circle, () => 1, Symbol('x'), new Promise(() => {})])
        await Promise.resolve().then(() => tools.note(value)).catch((error) => names.push(error.name));
      try { tools.note = () => 'mine'; } catch {}
      try { Object.assign(github, { create_issue: () => 'mine' }); } catch (error) { names.push(error.name); }
      await tools.note(JSON.parse('{"__proto__":{"polluted":1},"constructor":1}'));
      const server = globalThis['git' + 'hub'];
      [names.length, (await server.search_issues({ query: 'x' })).issues.length]`;
    expect(await valueOf(tool, script)).toEqual([5, 2]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(seen).toHaveLength(1);
  });

  test('never sees another run, or what the host knows', async () => {
    const { tool } = await codeMode({ mcp: { github: tracker() }, largeAnswers: { folder: folder() } });
    const first = await tool.execute({
      script:
        'const { attachment } = await github.big({ bytes: 100000 }); await github.create_issue({ repo: "a", title: "b" }); attachment',
    });
    expect(first.status).toBe('waiting');
    const other = `try { read_file('attachments:answer-1-github_big.txt') ; 'read' } catch { 'refused' }`;
    expect(await valueOf(tool, other)).toBe('refused');
    expect(await valueOf(tool, '[typeof process, typeof require, Object.keys(github).length]')).toEqual([
      'undefined',
      'undefined',
      7,
    ]);
  });
});
