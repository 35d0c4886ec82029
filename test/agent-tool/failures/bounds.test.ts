import { explainFailure } from '@mustard-sandbox/agent-tool';
import { constructs, SandboxError, type ErrorCode, type ErrorDetails } from '@mustard-sandbox/client';
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { runs } from '../../full.ts';
import { maxAnswerLength } from '../../../packages/agent-tool/src/failures/explain.ts';
import { errorNumbers } from '@mustard-sandbox/protocol';
import { explain } from './support.ts';

const codes = Object.keys(errorNumbers) as ErrorCode[];
const long = fc.oneof(fc.string({ maxLength: 50 }), fc.string({ unit: 'grapheme', minLength: 2000, maxLength: 3000 }));
const line = fc.integer({ min: 1, max: 60 });
const details = fc.record(
  {
    limit: fc.constantFrom('timeout_ms', 'heap_bytes', 'read_bytes', 'call_depth', 'engine', 'unheard_of'),
    value: fc.nat(),
    unit: fc.constantFrom('ms', 'bytes', 'calls'),
    actual: fc.nat(),
    construct: fc.constantFrom(...constructs),
    subject: long,
    problem: long,
    name: long,
    thrownMessage: long,
    thrownCode: fc.constantFrom('invalid_request', 'script_error'),
    capability: fc.constantFrom('read_file', 'look_up'),
    path: long,
    reason: fc.constantFrom('out_of_memory', 'stack_overflow', 'abort', 'killed', 'exit', 'unheard_of'),
    frame: fc.string({ maxLength: 400 }),
    location: fc.record({
      line,
      column: line,
      endLine: line,
      endColumn: line,
      precision: fc.constantFrom('statement' as const, 'function' as const),
      functionName: fc.option(long, { nil: undefined }),
    }),
  },
  { requiredKeys: [] },
);
const context = fc.record({
  script: fc.oneof(long, fc.constantFrom('while (true) {}', 'x.sort()', 'let s = "";\nfor (;;) s += "a"', '```js\n1')),
  hostFunctions: fc.array(long),
  attachments: fc.array(long),
  hasRoot: fc.boolean(),
});

test('whatever the error, there is an answer, and a short one', () => {
  fc.assert(
    fc.property(fc.constantFrom(...codes), long, details, context, (code, message, facts, about) => {
      const text = explainFailure(new SandboxError(code, message, { details: facts as ErrorDetails }), about);
      expect(text.length).toBeLessThanOrEqual(maxAnswerLength);
      expect(text.startsWith(code)).toBe(true);
      expect(text.split('\n').filter((row) => row.startsWith('```js')).length).toBeLessThanOrEqual(1);
    }),
    runs(200),
  );
});

it.each([
  ['a long name', `${'n'.repeat(20_000)}()`],
  ['a long method', `'a'.${'m'.repeat(20_000)}()`],
  ['a long path', `read_file('${'p/'.repeat(2000)}')`],
  ['a long line', `const a = [${'1, '.repeat(5000)}];\na.b.c`],
  ['a long pattern', `/${'a'.repeat(10_000)}(/.test('a')`],
  ['a long sum', `${'1 + '.repeat(3000)}null.x`],
  ['deep nesting', `${'['.repeat(100)}null.x${']'.repeat(100)}`],
  ['many objections', 'var a = 1; class A {}; require("fs"); eval("1");\n'.repeat(100)],
])('%s', async (_, script) => {
  const { text } = await explain(script, {}, { attachments: Array.from({ length: 500 }, (__, n) => `file-${n}.log`) });
  expect(text.length).toBeLessThanOrEqual(maxAnswerLength);
});

/** Each took tens of seconds in the process of the host, where its whole event loop stands still meanwhile. */
it.each([
  ['names that are each other', `${Array.from({ length: 1_500 }, (_, n) => `q${n}=q${n + 1};`).join('')}for(;;);`],
  ['calls that are not closed', 'read_json('.repeat(3_000)],
  ['blanks', `a${' '.repeat(30_000)}b`],
  ['words that may be TypeScript', 'a : '.repeat(8_000)],
])('no failed script keeps the host busy: %s', (_, script) => {
  const location = { line: 1, column: 1, endLine: 1, endColumn: script.length, precision: 'function' as const };
  const startedAt = performance.now();
  for (const code of codes) {
    for (const construct of constructs) {
      const details = { construct, location, subject: script, problem: script, thrownMessage: script, value: 1 };
      explainFailure(new SandboxError(code, script, { details }), { script });
    }
  }
  expect((performance.now() - startedAt) / (codes.length * constructs.length)).toBeLessThan(50);
});

it.each([
  ['another error', new TypeError('x'), { script: '1' }, 'must be a SandboxError'],
  ['nothing', undefined, { script: '1' }, 'must be a SandboxError'],
  ['no script', new SandboxError('timeout', 'late'), undefined, 'must be { script }'],
])('there is no answer to %s', (_, error, context, message) => {
  const explained = (): string => explainFailure(error as SandboxError, context as { script: string });
  expect(explained).toThrow(SandboxError);
  expect(explained).toThrow(message);
});
