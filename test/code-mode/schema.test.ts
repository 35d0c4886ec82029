import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { issuesOf } from '../../packages/code-mode/src/schema/check.ts';
import { comment, typeOf } from '../../packages/code-mode/src/schema/declare.ts';
import { plainSchema, resolveRef } from '../../packages/code-mode/src/schema/schema.ts';
import { root } from '../docs/blocks.ts';
import { runs } from '../full.ts';

test.each([
  [{ type: 'string' }, 'string'],
  [{ type: ['integer', 'null'] }, 'number | null'],
  [{ enum: ['a', 1, null] }, '"a" | 1 | null'],
  [{ const: 'x' }, '"x"'],
  [{ type: 'array', items: { type: 'number' } }, 'Array<number>'],
  [{ type: 'array', prefixItems: [{ type: 'string' }], items: false }, '[string]'],
  [{ type: 'object' }, 'Record<string, unknown>'],
  [{ type: 'object', additionalProperties: { type: 'boolean' } }, 'Record<string, boolean>'],
  [{ properties: { a: { type: 'string' }, 'b-c': true }, required: ['a'] }, '{ a: string; "b-c"?: unknown }'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
  [
    { allOf: [{ properties: { a: {} } }, { anyOf: [{ type: 'string' }, { type: 'null' }] }] },
    '{ a?: unknown } & (string | null)',
  ],
  [{ type: 'string', nullable: true }, 'string | null'],
  [{ $ref: '#/$defs/t', $defs: { t: { type: 'boolean' } } }, 'boolean'],
  [{ properties: { next: { $ref: '#' } } }, '{ next?: unknown }'],
  [{ $ref: 'https://example.com/x.json' }, 'unknown'],
  [{ $ref: '#/__proto__/x' }, 'unknown'],
  [false, 'never'],
  [true, 'unknown'],
  [7, 'unknown'],
])('%j is %s', (schema, type) => {
  expect(typeOf(schema)).toBe(type);
});

/** Any schema, right or wrong, with names that are no identifiers. */
const anySchema = fc.letrec<{ schema: unknown; name: string }>((tie) => ({
  name: fc.oneof(fc.constantFrom('a', 'b', '__proto__', 'a b', '*/', '```', '"', '\u2028', 'then'), fc.string()),
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(
      {},
      true,
      false,
      { type: 'string' },
      { type: 'integer' },
      { $ref: '#' },
      { $ref: '#/$defs/x' },
      { type: 'zz' },
    ),
    fc.record({ enum: fc.array(fc.oneof(tie('name'), fc.integer(), fc.constant(null))) }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({ anyOf: fc.array(tie('schema'), { maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie('schema'), { maxLength: 3 }) }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(tie('name'), tie('schema'), { maxKeys: 4 }),
      required: fc.array(tie('name'), { maxLength: 2 }),
      description: tie('name'),
      additionalProperties: tie('schema'),
    }),
  ),
}));

test('of any schema a type is made that the compiler takes', async () => {
  const schemas = fc.sample(anySchema.schema, runs(300).numRuns ?? 300);
  const folder = mkdtempSync(join(tmpdir(), 'code-mode-types-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const lines = schemas.map(
    (schema, n) => `${comment(JSON.stringify(schema))}declare function f${n}(input: ${typeOf(schema)}): void;`,
  );
  writeFileSync(join(folder, 'types.d.ts'), lines.join('\n'));
  const { stdout } = await execa(
    join(root, 'node_modules/.bin/tsc'),
    ['--noEmit', '--strict', '--ignoreConfig', join(folder, 'types.d.ts')],
    { reject: false },
  );
  expect(stdout).toBe('');
});

test('the type of a value takes that value, by the compiler', async () => {
  const cases: [schema: unknown, good: unknown, bad: unknown][] = [
    [{ type: 'object', properties: { q: { type: 'string' } }, required: ['q'] }, { q: 'a' }, {}],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, ['a'], ['c']],
    [
      { anyOf: [{ type: 'number' }, { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }] },
      { n: 1 },
      { n: 'x' },
    ],
    [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false }, ['a', 1], [1, 'a']],
  ];
  const folder = mkdtempSync(join(tmpdir(), 'code-mode-types-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const lines = cases.flatMap(([schema, good, bad], n) => [
    `const good${n}: ${typeOf(schema)} = ${JSON.stringify(good)};`,
    '// @ts-expect-error',
    `const bad${n}: ${typeOf(schema)} = ${JSON.stringify(bad)};`,
  ]);
  writeFileSync(join(folder, 'values.ts'), lines.join('\n'));
  const args = ['--noEmit', '--strict', '--ignoreConfig', join(folder, 'values.ts')];
  expect((await execa(join(root, 'node_modules/.bin/tsc'), args, { reject: false })).stdout).toBe('');
  for (const [schema, good, bad] of cases) {
    expect(issuesOf(schema, good)).toEqual([]);
    expect(issuesOf(schema, bad)).not.toEqual([]);
  }
});

test.each([
  [{ type: 'integer' }, 1.5, 'must be a whole number, and is 1.5'],
  [{ type: ['string', 'null'] }, 1, 'must be a string or null, and is 1'],
  [{ enum: ['a', 'b'] }, 'c', 'must be one of "a", "b", and is "c"'],
  [{ const: 1 }, 2, 'must be 1'],
  [{ minLength: 2 }, 'a', 'must have at least 2 characters, and has 1'],
  [{ maxItems: 1 }, [1, 2], 'must have at most 1 items, and has 2'],
  [{ exclusiveMinimum: 0 }, 0, 'must be more than 0'],
  [false, 1, 'is not allowed here'],
  [
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
    1,
    'fits none of its 2 forms; for one of them it must be a string, and is 1',
  ],
])('%j says of %j that it %s', (schema, value, message) => {
  expect(issuesOf(schema, value)).toEqual([{ message, path: [] }]);
});

test('what is wrong inside is told with its place', () => {
  const item = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  expect(
    issuesOf({ type: 'object', properties: { list: { type: 'array', items: item } } }, { list: [{ n: 1 }, {}] }),
  ).toEqual([{ message: 'is missing', path: ['list', 1, 'n'] }]);
});

test('no schema keeps the host busy, and what is too much to check passes', () => {
  const doubling: Record<string, unknown> = { a40: { type: 'string' } };
  for (let n = 0; n < 40; n++) {
    const next = { $ref: `#/$defs/a${n + 1}` };
    doubling[`a${n}`] = { anyOf: [next, next] };
  }
  const schemas: unknown[] = [
    { $ref: '#/$defs/a0', $defs: doubling },
    { $ref: '#' },
    { allOf: [{ $ref: '#' }, { $ref: '#' }] },
    { properties: { a: { $ref: '#/properties/a' } } },
    { pattern: '^(a+)+$' },
  ];
  const started = process.cpuUsage();
  for (const schema of schemas) {
    for (const value of [1, { a: 1 }, `${'a'.repeat(50)}!`]) expect(issuesOf(schema, value)).toEqual([]);
    expect(typeOf(schema).length).toBeLessThan(20_000);
  }
  expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
});

test('no schema and no value make the check throw', () => {
  fc.assert(
    fc.property(anySchema.schema, fc.jsonValue(), (schema, value) => {
      expect(Array.isArray(issuesOf(schema, value))).toBe(true);
    }),
    runs(300),
  );
});

test('a schema that is none, too long or a circle is nothing', () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  for (const schema of [undefined, 1, 'x', [], circle, { description: 'x'.repeat(100_000) }]) {
    expect(plainSchema(schema)).toBeUndefined();
  }
  expect(resolveRef({ a: { 'b/c': 1 } }, '#/a/b~1c')).toBe(1);
  expect(resolveRef({}, '#/%zz')).toBeUndefined();
});
