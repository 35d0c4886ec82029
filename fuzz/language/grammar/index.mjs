import fc from 'fast-check';
import { arrays } from './arrays.mjs';
import { binary } from './binary.mjs';
import { code, merge } from './code.mjs';
import { collections } from './collections.mjs';
import { dates } from './dates.mjs';
import { functions } from './functions.mjs';
import { iterating } from './iterating.mjs';
import {
  boolean,
  nothing,
  number,
  numbers as numberList,
  object,
  rows,
  smallWhole,
  string,
  strings,
} from './literals.mjs';
import { numbers } from './numbers.mjs';
import { operators } from './operators.mjs';
import { members, scanning } from './scanning.mjs';
import { asynchronous, statements } from './statements.mjs';
import { texts } from './texts.mjs';

/** Every kind: what stands for it when the program is deep enough, a variable among it. */
const leaves = {
  num: fc.oneof(number, fc.constant('x')),
  int: smallWhole,
  str: fc.oneof(string, fc.constant('s')),
  bool: boolean,
  nums: fc.oneof(numberList, fc.constant('xs')),
  strs: fc.oneof(strings, fc.constant('ss')),
  rows: fc.oneof(rows, fc.constant('rows')),
  obj: fc.oneof(object(fc.oneof(number, string)), fc.constant('o')),
  map: fc.constant('m'),
  set: fc.constant('t'),
  date: fc.constant('d'),
  bytes: fc.oneof(fc.constant('bytes'), code`new Uint8Array(${numberList})`),
  any: fc.oneof(
    number,
    string,
    boolean,
    nothing,
    fc.constantFrom('x', 's', '[]', '{}', '[1]', 'o', 'xs', 'd').map(bracketed),
  ),
  dateLike: number,
  statement: code`out.push(${number});`,
};

function bracketed(text) {
  return text === '{}' ? '({})' : text;
}

/** What the variables begin with. A name that a program does not use is not declared. */
const variables = {
  x: number,
  s: string,
  xs: numberList,
  ss: strings,
  o: code`{ a: ${number}, b: ${string}, n: ${number} }`,
  rows,
  m: code`new Map([['a', ${number}], [${number}, ${string}]])`,
  t: code`new Set([${number}, ${string}, 1])`,
  bytes: code`new ${fc.constantFrom('Uint8', 'Int16', 'Float64')}Array(${numberList})`,
  d: code`new Date(${fc.constantFrom("'2024-03-10T12:30:45.678Z'", '0', '951827696000', 'NaN', '2024, 0, 31')})`,
};

const grammar = fc.letrec((tie) => {
  const g = Object.fromEntries(Object.keys(leaves).map((kind) => [kind, tie(kind)]));
  const topics = [operators(g), texts(g), numbers(g), ...arrays(g), collections(g), dates(g), functions(g)];
  topics.push(binary(g), scanning(g), members(g), iterating(g));
  const productions = merge(...topics, {
    any: [g.num, g.str, g.bool, g.nums, g.strs, code`(${g.obj})`],
    statement: statements(g),
    obj: [object(g.any)],
  });
  return Object.fromEntries(
    Object.entries(leaves).map(([kind, leaf]) => [kind, fc.oneof(limits(kind), leaf, ...(productions[kind] ?? []))]),
  );
});

function limits(kind) {
  return {
    maxDepth: kind === 'statement' ? 3 : 4,
    depthIdentifier: 'program',
    depthSize: 'small',
    withCrossShrink: true,
  };
}

/** One value, which is most of what a model writes. */
const expression = fc.oneof(...['any', 'num', 'str', 'bool', 'strs', 'nums'].map((kind) => grammar[kind]));
const body = fc.array(grammar.statement, { minLength: 1, maxLength: 4 });
const awaiting = fc.tuple(body, fc.array(fc.oneof(...asynchronous(grammar)), { minLength: 1, maxLength: 3 }));

/**
 * A program of the language, which ends and gives a value.
 *
 * @type {import('fast-check').Arbitrary<string>}
 */
export const program = fc
  .tuple(
    fc.record(variables),
    fc.oneof(
      { weight: 6, arbitrary: expression.map((value) => `(${value});`) },
      { weight: 4, arbitrary: body.map((lines) => [...lines, 'out;'].join('\n')) },
      { weight: 1, arbitrary: awaiting.map(([lines, waits]) => [...lines, ...waits, 'out;'].join('\n')) },
    ),
  )
  .map(([initial, text]) => declarations(initial, text) + text);

function declarations(initial, text) {
  const lines = /\bout\b/.test(text) ? ['const out = [];'] : [];
  for (const [name, value] of Object.entries(initial)) {
    if (new RegExp(`(?<![.\\w\\\\])${name}\\b`).test(text)) lines.push(`let ${name} = ${value};`);
  }
  return lines.map((line) => `${line}\n`).join('');
}
