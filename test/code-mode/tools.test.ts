import { dynamicTool, jsonSchema, tool as aiTool } from 'ai';
import { InMemorySpanExporter, BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { main } from '../cli/support.ts';
import { folder } from '../runs/support.ts';
import { codeMode, httpTracker, tracker, valueOf } from './support.ts';

describe('tools of the AI SDK', () => {
  const add = aiTool({
    description: 'Adds.',
    inputSchema: z.object({ a: z.number(), b: z.number().default(10) }),
    execute: ({ a, b }) => a + b,
  });
  const shout = aiTool({
    inputSchema: jsonSchema<{ text: string }>({
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
    }),
    execute: ({ text }) => ({ said: text.toUpperCase() }),
  });

  test('are functions of the namespace tools, or of their own', async () => {
    const { tool } = await codeMode({ tools: { add, 'voice.shout': shout } });
    expect(await valueOf(tool, '[await tools.add({ a: 1 }), await voice.shout({ text: "hi" })]')).toEqual([
      11,
      { said: 'HI' },
    ]);
    expect(tool.description).toContain('function add(input: { a: number; b?: number }): Promise<any>;');
    expect(tool.description).toContain('declare namespace voice {');
  });

  test('get only input that fits; the error names the field, and the script can catch it', async () => {
    const seen: unknown[] = [];
    const note = { ...shout, execute: (input: unknown) => void seen.push(input) };
    const { tool } = await codeMode({ tools: { add, note } });
    const script = `const errors = [];
      for (const call of [() => tools.add({ a: 'x' }), () => tools.note({ text: 1 }), () => tools.note(), () => tools.note({}, 1)])
        await call().catch((error) => errors.push(error.message));
      errors`;
    expect(await valueOf(tool, script)).toEqual([
      expect.stringMatching(/^tools\.add\(\): a: /),
      'tools.note(): text: must be a string, and is 1',
      'tools.note(): must be an object, and is missing',
      'tools.note() takes one argument, and got 2.',
    ]);
    expect(seen).toEqual([]);
  });

  test('ask where needsApproval says so, by a value or a function', async () => {
    const asked: unknown[] = [];
    const pay = aiTool({
      inputSchema: z.object({ total: z.number() }),
      needsApproval: ({ total }) => {
        asked.push(total);
        return total > 50;
      },
      execute: ({ total }) => total,
    });
    const wipe = aiTool({ inputSchema: z.object({}), needsApproval: true, execute: () => 'wiped' });
    const { tool, again } = await codeMode({ tools: { pay, wipe } });
    const script =
      'const paid = await Promise.all([tools.pay({ total: 5 }), tools.pay({ total: 70 })]); [paid, await tools.wipe({})]';
    const first = await tool.execute({ script });
    expect(first).toMatchObject({
      status: 'waiting',
      waitsFor: ['approvals'],
      calls: [{ id: 2, args: [{ total: 70 }] }],
    });
    expect(first.text).toContain('- tools.pay({"total":70})');
    const second = await (await again()).resume(first.run, [{ id: 2, approve: true }]);
    expect(second).toMatchObject({ status: 'waiting', calls: [{ tool: 'tools.wipe' }] });
    const last = await tool.resume(first.run, [{ id: 3, deny: 'not on Fridays' }]);
    expect(last).toMatchObject({ status: 'failed', problem: { code: 'capability_denied' } });
    expect(last.text).toContain('not on Fridays');
    expect(new Set(asked)).toEqual(new Set([5, 70]));
  });

  test('give the last of what they give bit by bit, and see a key and a signal', async () => {
    const steps = aiTool({
      inputSchema: z.object({}),
      async *execute(_, { toolCallId, abortSignal }) {
        yield 'begun';
        yield [toolCallId.endsWith(':1'), abortSignal instanceof AbortSignal];
      },
    });
    const dynamic = dynamicTool({ inputSchema: z.unknown(), execute: (input) => [input] });
    const { tool } = await codeMode({ tools: { steps, dynamic } });
    expect(await valueOf(tool, '[await tools.steps({}), await tools.dynamic(3)]')).toEqual([[true, true], [3]]);
  });

  test.each([
    ['one with the name of a member of every object', { toJSON: add }],
    ['one in a namespace that is a global', { 'JSON.parse': add }],
    ['one whose name is no identifier', { 'a-b': add }],
    ['what is no tool', { add: { execute: () => 1 } }],
  ])('%s is refused', async (_, tools) => {
    await expect(codeMode({ tools: tools as never })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('each call is a span', async () => {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const { tool } = await codeMode({ tools: { add }, tracer: provider.getTracer('test') });
    await valueOf(tool, 'await Promise.all([tools.add({ a: 1 }), tools.add({ a: 2 })])');
    const spans = exporter
      .getFinishedSpans()
      .map(({ name, attributes }) => [name, attributes['sandbox.host_function']]);
    expect(spans).toEqual([
      ['sandbox.host_call', 'tools.add'],
      ['sandbox.host_call', 'tools.add'],
    ]);
  });
});

describe('MCP servers', () => {
  const script = `const { issues } = await github.search_issues({ query: 'bug', limit: 3 });
    [issues.map((issue) => issue.title), await github.whoami()]`;

  test('over stdio and over HTTP at once are namespaces', async () => {
    const { tool } = await codeMode({ mcp: { github: tracker(), web: await httpTracker() } });
    const both = `const found = await Promise.all([github, web].map((server) => server.search_issues({ query: 'bug' })));
      found.map(({ issues }) => issues.length)`;
    expect(await valueOf(tool, both)).toEqual([2, 2]);
    expect(tool.description).toContain(
      'function search_issues(input: { /** One word. */ query: string; limit?: number }): Promise<{ issues: Array<{ id: number; title: string }> }>;',
    );
  });

  test('get no wrong arguments', async () => {
    const { tool } = await codeMode({ mcp: { github: tracker() } });
    const wrong = `const errors = [];
      for (const args of [{}, { query: 1 }, { query: 'a', limit: 0 }, { query: 'a', limt: 1 }])
        await github.search_issues(args).catch((error) => errors.push(error.message));
      errors`;
    expect(await valueOf(tool, wrong)).toEqual([
      'github.search_issues(): query: is missing',
      'github.search_issues(): query: must be a string, and is 1',
      'github.search_issues(): limit: must be at least 1',
      'github.search_issues(): limt: is not known; the fields are "query", "limit"',
    ]);
  });

  test('are asked about unless they only read, and unless they are not trusted', async () => {
    const made = `await github.create_issue({ repo: 'a', title: 'b' })`;
    const { tool } = await codeMode({ mcp: { github: tracker() } });
    const asked = await tool.execute({ script: made });
    expect(asked).toMatchObject({ status: 'waiting', waitsFor: ['approvals'] });
    expect(await tool.resume(asked.run, [{ id: 1, approve: true }])).toMatchObject({ value: { made: 'a: b' } });
    const { tool: wary } = await codeMode({ mcp: { github: tracker({ trustHints: false }) } });
    expect(await wary.execute({ script })).toMatchObject({ status: 'waiting', waitsFor: ['approvals'] });
  });

  test('tell no secret that they were given: neither in results nor in errors', async () => {
    const { tool } = await codeMode({ mcp: { github: tracker(), web: await httpTracker() } });
    const told =
      'await Promise.all([github.whoami(), web.whoami(), github.fail().catch((error) => [error.name, error.code, error.message])])';
    expect(await valueOf(tool, told)).toEqual([
      'token [secret]',
      'token [secret]',
      ['ToolError', 'tool_failed', 'no access with [secret]'],
    ]);
  });

  test('that stall are given up, and those that die are started again', async () => {
    const { tool } = await codeMode({ mcp: { github: tracker({ timeoutMs: 5_000 }) } });
    expect(await valueOf(tool, 'await github.stall().catch((error) => error.code)')).toBe('capability_timeout');
    expect(await valueOf(tool, 'await github.die().catch((error) => error.code)')).toEqual(expect.any(String));
    expect(await valueOf(tool, script)).toEqual([['bug 1', 'bug 2', 'bug 3'], 'token [secret]']);
  });

  test('that cannot be started are named', async () => {
    const broken = { gone: { command: '/nonexistent/server' } };
    await expect(codeMode({ mcp: broken })).rejects.toMatchObject({
      code: 'server_failed',
      message: expect.stringMatching(/^The MCP server 'gone' failed: /) as string,
    });
  });

  test('may be the one of this project', async () => {
    const own = { command: process.execPath, args: [main, 'mcp', '--root', folder(), '--consent', 'always'] };
    const { tool } = await codeMode({ mcp: { files: own }, policy: [{ tool: 'files.*', action: 'allow' }] });
    expect(tool.description).toContain('function execute_sandbox_script(');
    const nested = await valueOf(tool, `await files.execute_sandbox_script({ script: '6 * 7' })`);
    expect(JSON.stringify(nested)).toContain('42');
  });

  test('make large answers into files of the run', async () => {
    const { tool } = await codeMode({ mcp: { github: tracker() }, largeAnswers: { folder: folder() } });
    const read = `const { attachment, bytes } = await github.big({ bytes: 200000 });
      [attachment, bytes, read_file(attachment).length]`;
    expect(await valueOf(tool, read)).toEqual(['attachments:answer-1-github_big.txt', 200_000, 200_000]);
    expect(tool.description).toContain('search(');
  });
});
