import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { CodeModeOptions, CodeModeResult } from '@mustard-sandbox/code-mode';
import { codeMode, tracker } from './support.ts';

const made: unknown[] = [];
const issue = {
  description: 'Makes an issue.',
  inputSchema: z.object({
    title: z.string(),
    state: z.enum(['open', 'closed']).optional(),
    labels: z.array(z.string()).optional(),
    limit: z.coerce.number().optional(),
    owner: z.object({ name: z.string() }).optional(),
  }),
  execute: (input: unknown) => (made.push(input), input),
};
const list = { inputSchema: z.strictObject({ page: z.number().optional() }), execute: () => [{ title: 'a' }] };

async function run(script: string, options: Partial<CodeModeOptions> = {}): Promise<CodeModeResult> {
  made.length = 0;
  const { tool } = await codeMode({ tools: { issue, list }, ...options });
  return await tool.execute({ script });
}

/** The findings for which a script was refused; `undefined` where it was run. */
function refusalOf(result: CodeModeResult): { line: number; message: string }[] | undefined {
  const problem = 'problem' in result ? result.problem : undefined;
  return problem?.code === 'check_failed'
    ? (problem.details['findings'] as { line: number; message: string }[])
    : undefined;
}

describe('what is refused before anything is called', () => {
  test.each([
    [
      'an unknown tool',
      `await tools.list();\nawait tools.isue({ title: 'a' })`,
      2,
      /no tool tools\.isue.*tools\.issue/,
    ],
    ['an unknown namespace', `await tools.list();\nawait tool.issue({ title: 'a' })`, 2, /no tool tool\.issue.*tools/],
    [
      'a missing field',
      `const title = String(await tools.list());\nawait tools.issue({ labels: [title] })`,
      2,
      /title/,
    ],
    ['a missing field of a literal', `await tools.issue({ labels: [] })`, 1, /title/],
    ['a missing argument', `await tools.list(); await tools.issue()`, 1, /1 argument|title|object/],
    [
      'a wrong type',
      `const n = (await tools.list()).length;\nawait tools.issue({ title: \`x\${n}\`, labels: 5 })`,
      2,
      /labels|string\[\]|any\[\]/,
    ],
    ['a wrong type inside', `await tools.issue({ title: 'a', owner: { name: 5 } })`, 1, /owner\.name/],
    ['a text that is none of its texts', `await tools.issue({ title: 'a', state: 'opne' })`, 1, /state/],
    ['an unknown field of a tool that takes no others', `await tools.list({ pge: 1 })`, 1, /pge/],
    ['a second argument', `await tools.list({}, 2)`, 1, /argument/],
    ['in a loop over a list', `for (const title of ['a', 'b']) {\n await tools.issue({ titel: title }) }`, 2, /title/],
    [
      'for each of a list',
      `await Promise.all(['a'].map(async (title) => {\n await tools.isue({ title }) }))`,
      2,
      /issue/,
    ],
    ['in a function that is called', `async function main() {\n await tools.isue({}) }\nawait main()`, 2, /issue/],
  ])('%s', async (_, script, line, message) => {
    const result = await run(script);
    const [finding] = refusalOf(result) ?? [];
    expect(finding, result.text).toMatchObject({ line, message: expect.stringMatching(message) });
    expect(result.text).toContain('nothing was called');
    expect(made).toEqual([]);
  });

  test('with the signature of the tool that was meant', async () => {
    const { text } = await run(`await tools.isue({ title: 'a' })`);
    expect(text).toContain('Line 1:13');
    expect(text).toContain('function issue(input: { title: string; state?: "open" | "closed"');
  });

  test('tools of servers, by their schemas', async () => {
    const { tool } = await codeMode({ mcp: { github: tracker() } });
    const result = await tool.execute({ script: `await github.create_isue({ title: 'x', repo: 'r' })` });
    expect(refusalOf(result)).toMatchObject([
      { message: 'There is no tool github.create_isue(). Did you mean github.create_issue?' },
    ]);
  });
});

describe('what would run is not refused', () => {
  test.each([
    `await tools.list().then((all) => all.length)`,
    `const { a } = JSON.parse('{"a":"x"}'); await tools.issue({ title: a, anything: 1 })`,
    `await tools.issue({ title: 'a', limit: '5' })`,
    `let x = 5; x = 'text'; await tools.issue({ title: x })`,
    `const o = { title: 5 }; o.title = 'x'; await tools.issue(o)`,
    `const o = { title: 5 }; Object.assign(o, JSON.parse('{"title":"x"}')); await tools.issue({ title: o.title })`,
    `const options = { title: 'a', state: 'open' }; await tools.issue(options)`,
    `try { await tools.isue({ title: 'a' }) } catch { 'no such tool' }`,
    `await tools.issue({}).catch((error) => 'refused')`,
    `(await Promise.allSettled([tools.issue({})])).length`,
    `if (typeof tools.isue === 'function') await tools.isue({})`,
    `tools.isue?.({ title: 'a' })`,
    `for (const all of await tools.list()) if (all.title === 'z') await tools.isue(all)`,
    `for (const all of []) await tools.isue(all)`,
    `const isDry = true; isDry || await tools.isue({})`,
    `async function never() { await tools.isue({}) } await tools.list()`,
    `const rows = [1]; rows.pop(); for (const row of rows) await tools.isue(row)`,
    `for (const n of [1, 2]) { if (n) continue; await tools.isue(n) }`,
    `async function main() { return 1; await tools.isue({}) } await main()`,
    `const tools = { isue: () => 7 }; tools.isue()`,
    `const all = { tools }; const name = 'list'; await all.tools[name]()`,
    `await tools['list']()`,
    `await tools.issue({ title: ['a', 'b'].at(0), labels: [...'ab'] })`,
    `await tools.list({ page: undefined })`,
    `await tools.issue({ title: 'a', labels: undefined, state: undefined })`,
    `await tools.issue({ ...{ title: 'a' } })`,
    `const f = async (title) => await tools.issue({ title }); await f('a')`,
    `await tools.issue(await tools.list().then(([first]) => first))`,
    `do { break; await tools.isue({}) } while (true)`,
    `switch (1) { case 2: await tools.isue({}) }`,
    `label: { break label; await tools.isue({}) }`,
    `class Unused { async go() { await tools.isue({}) } } 1`,
    `const title = null ?? 'x'; await tools.issue({ title })`,
    `await tools.issue({ get title() { return 'a' } })`,
    `const read = search; typeof read`,
    `await tools.issue({ title: /** @type {number} */ ('a') })`,
    `/** @type {{ issue(input: number): void }} */ const other = tools; await tools.issue({ title: 'a' })`,
  ])('%s', async (script) => {
    const result = await run(script);
    expect(result.text).not.toContain('nothing was called');
    expect(result, result.text).toMatchObject({ status: 'completed' });
  });

  test('any passes: what a tool gives, and a schema that says nothing', async () => {
    const loose = { inputSchema: z.any(), execute: (input: unknown) => input ?? 'none' };
    const script = `const [first] = await tools.list(); await tools.issue(first); await tools.loose(first.title); await tools.loose()`;
    expect(await run(script, { tools: { issue, list, loose } })).toMatchObject({ status: 'completed', value: 'none' });
  });

  test('a schema that takes more than it says is taken at what it does', async () => {
    const odd = {
      inputSchema: z.object({
        at: z.coerce.date(),
        text: z.preprocess(String, z.string()),
        any: z.string().catch('none'),
        id: z.union([z.number(), z.string()]),
        on: z.stringbool().or(z.boolean()),
      }),
      execute: () => 'done',
    };
    const script = `await tools.odd({ at: 5, text: 7, any: [], id: 'x', on: 'yes' })`;
    expect(await run(script, { tools: { odd } })).toMatchObject({ status: 'completed', value: 'done' });
  });

  test('check: off looks at nothing, and all refuses what is not sure', async () => {
    const unsure = `for (const all of await tools.list()) await tools.isue(all)`;
    expect(refusalOf(await run(unsure))).toBeUndefined();
    expect(refusalOf(await run(unsure, { check: 'all' }))).toHaveLength(1);
    const sure = await run(`await tools.isue({})`, { check: 'off' });
    expect(refusalOf(sure)).toBeUndefined();
  });

  test('what was not sure is told when the script fails', async () => {
    const { status, text } = await run(`for (const all of await tools.list()) {\n  await tools.isue(all)\n}`);
    expect(status).toBe('failed');
    expect(text).toContain(
      'TypeScript also says:\n- Line 2:15: There is no tool tools.isue(). Did you mean tools.issue?',
    );
  });
});
