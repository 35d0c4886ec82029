import { describe, expect, test } from 'vitest';
import { inSegments, taking } from './segments/support.ts';

const search = (...args: unknown[]): unknown => args;
const names = ['github.search', 'github.get_issue', 'files.read', 'plain'];
const functions = Object.fromEntries(names.map((name) => [name, search]));

const valueOf = async (script: string): Promise<unknown> =>
  (await taking().run({ script, hostFunctions: functions })).value;
const errorOf = (options: object): Promise<unknown> =>
  taking()
    .run({ script: '1', ...options })
    .then(
      () => undefined,
      (error: unknown) => error,
    );

describe('a function in a namespace', () => {
  test('is called as a member, beside plain ones, with and without await', async () => {
    expect(await valueOf('[github.search(1), files.read(2), plain(3)]')).toEqual([[1], [2], [3]]);
    expect(await valueOf('[await github.search(1), await files.read(2), await plain(3)]')).toEqual([[1], [2], [3]]);
    expect(await valueOf('[github.search.name, Object.keys(github), typeof github]')).toEqual([
      'github.search',
      ['search', 'get_issue'],
      'object',
    ]);
  });

  test('runs in QuickJS, also where the script alone would be one for MustardScript', async () => {
    // A method of texts: what is chosen by the text of the script alone would be the other engine.
    const { value, engine } = await taking().run({
      script: 'text.includes("x")',
      hostFunctions: { 'text.includes': () => 'ours' },
    });
    expect([value, engine]).toEqual(['ours', 'quickjs']);
    expect(await errorOf({ hostFunctions: functions, engine: 'mustardscript' })).toMatchObject({
      code: 'invalid_request',
      details: { name: 'github.search' },
    });
  });

  test('waits in segments, with its name and place', async () => {
    const script =
      'const f = async (n) =>\n  (await github .search({ n }))[0].n;\n(await Promise.all([1, 2].map(f))).concat(await plain(3))';
    const { result, calls, waits } = await inSegments(taking(), script, functions);
    expect(result.value).toEqual([1, 2, 3]);
    expect(calls).toEqual([
      ['github.search', { n: 1 }],
      ['github.search', { n: 2 }],
      ['plain', 3],
    ]);
    expect(waits[0]?.calls[0]).toMatchObject({ name: 'github.search', line: 2, column: 10 });
  });

  test('stays what it is, whatever the script does to the namespace', async () => {
    const tampering = `'use strict';
      const tries = [
        () => { github.search = () => 'mine'; },
        () => { delete github.search; },
        () => { github.more = 1; },
        () => { Object.defineProperty(github, 'search', { value: 1 }); },
        () => { Object.setPrototypeOf(github, { more: 1 }); },
        () => { github.__proto__.polluted = 1; },
      ];
      const failed = tries.map((attempt) => { try { attempt(); return 'done'; } catch (error) { return error.name; } });
      [failed, await github.search(1), Object.isFrozen(github), ({}).polluted]`;
    expect(await valueOf(tampering)).toEqual([Array(6).fill('TypeError'), [1], true, null]);
  });

  test('is nothing that the language calls by itself, or that objects have', async () => {
    expect(await valueOf('(await github) === github')).toBe(true);
    for (const member of ['then', 'toJSON', 'constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty']) {
      expect(await errorOf({ hostFunctions: { [`github.${member}`]: search } })).toMatchObject({
        code: 'invalid_request',
      });
    }
  });
});

test.each([
  ['a namespace that is a global', 'JSON.parse', /'JSON' is taken/],
  ['a namespace that is built in', 'console.log', /'console' is taken/],
  ['a namespace in a namespace', 'a.b.c', /is not an identifier/],
  ['no name after the dot', 'a.', /is not an identifier/],
  ['no name before the dot', '.a', /is not an identifier/],
  ['a number as its name', 'a.1', /is not an identifier/],
])('%s is refused', async (_, name, message) => {
  const error = await errorOf({ hostFunctions: { [name]: search } });
  expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(message) as string });
});

test('a namespace that is a function or an input is refused', async () => {
  const both = { github: search, 'github.search': search };
  expect(await errorOf({ hostFunctions: both })).toMatchObject({ details: { name: 'github' } });
  expect(await errorOf({ hostFunctions: functions, inputs: { github: 1 } })).toMatchObject({
    message: "The input name 'github' is taken: it is a host function. Choose another.",
  });
});

test('a thousand functions fit into a run', async () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`server${n % 7}.tool_${n}`, () => n]));
  expect((await taking().run({ script: 'server6.tool_6() + server0.tool_700()', hostFunctions: many })).value).toBe(
    706,
  );
});
