import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { runs } from '../full.ts';
import { codeMode } from './support.ts';

const tools = {
  put: {
    inputSchema: z.object({ name: z.string(), size: z.number().optional(), kind: z.enum(['a', 'b']).optional() }),
    execute: (input: unknown) => input,
  },
  list: { inputSchema: z.object({ page: z.coerce.number().optional() }), execute: () => [{ name: 'x' }, {}] },
};

const value = fc.constantFrom(
  ...[`'a'`, '5', 'true', 'null', 'undefined', '[]', '{}', `['x']`, 'text', 'count', 'rows[0]?.name', 'rows.length'],
  ...['`t${count}`', 'String(count)', `'b'`, 'JSON.parse("1")', '/** @type {string} */ (5)'],
);
const field = fc
  .tuple(fc.constantFrom('name', 'size', 'kind', 'page', 'other'), value)
  .map(([name, of]) => `${name}: ${of}`);
const input = fc.oneof(
  fc.array(field, { maxLength: 3 }).map((fields) => `{ ${fields.join(', ')} }`),
  value,
  fc.constant(''),
);
const call = fc
  .tuple(fc.constantFrom('put', 'list', 'putt', 'list'), input)
  .map(([name, of]) => `tools.${name}(${of})`);
const awaited = call.map((each) => `await ${each};`);
const around = fc.constantFrom<(body: string) => string>(
  (body) => body,
  (body) => body,
  (body) => body,
  (body) => body,
  (body) => `try { ${body} } catch {}`,
  (body) => `if (rows.length > 5) { ${body} }`,
  (body) => `for (const row of rows) { if (row) break; ${body} }`,
  (body) => `for (const row of ['p', 'q']) { ${body} }`,
  (body) => `await Promise.all([1].map(async () => { ${body} }));`,
  (body) => `await Promise.allSettled([1].map(async () => { ${body} }));`,
  (body) => `async function f${body.length}() { if (count) return; ${body} } await f${body.length}();`,
  (body) => `await (async () => { ${body} })();`,
  (body) => `await (async () => { ${body} })().catch(() => {});`,
  (body) => `do { if (count) continue; ${body} } while (false);`,
  (body) => `switch (count) { case 1: ${body} }`,
  (body) => `count > 100 && (await (async () => { ${body} })());`,
  (body) => `try { ${body} } finally {}`,
);
const statement = fc.tuple(around, around, awaited).map(([outer, inner, body]) => outer(inner(body)));
const script = fc
  .array(statement, { minLength: 1, maxLength: 4 })
  .map((all) => `let text = 'text'; let count = 5; const rows = await tools.list({});\n${all.join('\n')}\n'end'`);

test('a script that runs is never refused, and one that is refused fails', async () => {
  const plain = await codeMode({ tools, check: 'off' });
  const checked = await codeMode({ tools });
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(script, async (source) => {
      const result = await checked.tool.execute({ script: source });
      if (result.status !== 'failed' || result.problem?.code !== 'check_failed') return;
      refused++;
      const ended = await plain.tool.execute({ script: source });
      expect(ended.status, `${source}\n${result.text}`).toBe('failed');
    }),
    runs(1500),
  );
  // It has looked at all: a checker that is not there refuses nothing.
  expect(refused).toBeGreaterThan(10);
}, 600_000);
