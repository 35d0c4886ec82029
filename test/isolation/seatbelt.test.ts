import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seatbeltProfile } from '../../packages/sandbox-client/src/isolation/seatbelt.ts';

type Expression = string | { text: string } | Expression[];

/** Reads the profile's language as its interpreter does: lists, words, strings with \ before " and \, comments. */
function parse(profile: string): Expression[] {
  const tokens = profile.matchAll(/;.*|[()]|"((?:[^"\\]|\\["\\])*)"|[^\s()";]+|\s+|([^])/g);
  const stack: Expression[][] = [[]];
  for (const [token, text, wrong] of tokens) {
    if (wrong !== undefined) throw new Error(`not of the language: ${token}`);
    if (token === '(') stack.push([]);
    else if (token === ')') {
      const list = stack.pop() as Expression[];
      (stack.at(-1) as Expression[]).push(list);
    } else if (text !== undefined) stack.at(-1)?.push({ text: text.replace(/\\(["\\])/g, '$1') });
    else if (!/^[\s;]/.test(token)) stack.at(-1)?.push(token);
  }
  expect(stack).toHaveLength(1);
  return stack[0] as Expression[];
}

const node = '/opt/node/bin/node';
const rulesFor = (profile: string, operation: string): Expression[][] =>
  parse(profile).filter(
    (rule) => Array.isArray(rule) && rule[0] === 'allow' && rule[1] === operation,
  ) as Expression[][];

describe('the profile for macOS', () => {
  it('refuses everything first, and allows no network, no writing, no fork and no other program', () => {
    const rules = parse(seatbeltProfile({ node, readable: ['/Users/u/project'] }));
    expect(rules.slice(0, 2)).toEqual([
      ['version', '1'],
      ['deny', 'default'],
    ]);
    const allowed = rules.slice(2).map((rule) => [(rule as Expression[])[0], (rule as Expression[])[1]]);
    expect(allowed).toEqual([
      ['allow', 'process-exec'],
      ['allow', 'process-info*'],
      ['allow', 'signal'],
      ['allow', 'sysctl-read'],
      ['allow', 'file-read-metadata'],
      ['allow', 'file-read*'],
      ['allow', 'file-write-data'],
      ['allow', 'file-map-executable'],
    ]);
    const profile = seatbeltProfile({ node, readable: [] });
    expect(rulesFor(profile, 'process-exec')).toEqual([['allow', 'process-exec', ['literal', { text: node }]]]);
    expect(rulesFor(profile, 'signal')).toEqual([['allow', 'signal', ['target', 'self']]]);
    expect(rulesFor(profile, 'file-write-data')).toEqual([
      ['allow', 'file-write-data', ['literal', { text: '/dev/null' }]],
    ]);
  });

  it('names each path as one string, whatever is in it', () => {
    const segment = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0'));
    const awkward = fc.constantFrom('"', '\\', '\\"', '")(allow default)("', ';', '\n', ' ', '(', '#"');
    const path = fc.array(fc.oneof(segment, awkward), { minLength: 1 }).map((parts) => `/${parts.join('')}`);
    fc.assert(
      fc.property(path, fc.array(path), (executable, readable) => {
        const profile = seatbeltProfile({ node: executable, readable });
        const plain = seatbeltProfile({ node: '/n', readable: readable.map(() => '/r') });
        expect(shapeOf(parse(profile))).toEqual(shapeOf(parse(plain)));
        const [read] = rulesFor(profile, 'file-read*') as [Expression[]];
        for (const each of readable) expect(read).toContainEqual(['subpath', { text: each }]);
      }),
    );
  });
});

/** The same without what the strings say. */
function shapeOf(expression: Expression): unknown {
  if (Array.isArray(expression)) return expression.map(shapeOf);
  return typeof expression === 'string' ? expression : 'text';
}
