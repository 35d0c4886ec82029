import { few, kinds } from './kinds.mjs';

const binary = [
  ...['+', '-', '*', '/', '%', '**', '&', '|', '^', '<<', '>>', '>>>'],
  ...['<', '>', '<=', '>=', '==', '!=', '===', '!==', '&&', '||', '??'],
];
const assignments = ['+=', '-=', '*=', '/=', '%=', '**=', '&=', '<<=', '>>>=', '&&=', '||=', '??='];

/** What a program may do with a value of any kind; `A` stands for it. */
const alone = [
  ...['+A', '-A', '~A', '!A', 'typeof A', 'void A', '`<${A}>`', "'' + A", 'A ? 1 : 2', '[A].join()', '[[A, 1]] + 1'],
  ...[
    'Object.keys({ [A]: 1 })',
    'A?.length',
    'A?.[0]',
    'A?.a',
    'A?.name',
    'A.length',
    '[...A]',
    '({ ...A })',
    '[A].flat()',
  ],
  ...[
    'A instanceof Object',
    'A instanceof Array',
    'A instanceof Date',
    'A instanceof Error',
    "'a' in A",
    '1 in A',
    '[A, 1].includes(A)',
  ],
  ...[
    '((x = 5) => x)(A)',
    '(([x, y = 3]) => [x, y])(A)',
    '(({ a, length = 4 }) => [a, length])(A)',
    '((...all) => all.length)(...A)',
  ],
  ...[
    '(() => { for (const x of A) return [x]; })()',
    '(() => { const found = []; for (const k in A) found.push(k); return found; })()',
  ],
  ...[
    '(() => { try { throw A; } catch (e) { return typeof e; } })()',
    '(() => { let v = A; const r = v++; return [r, v]; })()',
  ],
  ...[
    '(() => { let v = A; const r = --v; return [r, v]; })()',
    '(() => { switch (A) { case 1: return 1; case null: return 2; case undefined: return 3; default: return 4; } })()',
  ],
  ...[
    'A.toString()',
    'String(A).length',
    'A()',
    'new A()',
    'A.call(null, 1)',
    '`${[A]}`',
    'JSON.stringify({ v: A })',
    'isNaN(A)',
    'Math.max(A, 1)',
  ],
];

/** What a key of any kind leads to. */
const holders = [
  "{ a: 1, b: 2, 1: 3, '-1': 4, undefined: 5, null: 6, true: 7, NaN: 8, '': 9, '1.5': 10 }",
  "['x', 'y', 'z']",
  "'xyz'",
  '(a, b) => 1',
  'new Map()',
];
const byKey = [
  'O[A]',
  'A in O',
  '(() => { const o = O; o[A] = 0; return [Object.keys(o), o[A]]; })()',
  '(() => { const o = O; return [delete o[A], Object.keys(o)]; })()',
  '(() => { const o = O; o[A] += 1; return o[A]; })()',
  'O?.[A]?.length',
  'Object.hasOwn(O, A)',
];

/** @returns {Generator<string>} expressions and operands: `A`, `B` and `O` stand for them */
export function* operatorCells() {
  for (const operator of binary) {
    for (const [one, other] of pairs()) yield* both(`A ${operator} B`, { A: one, B: other });
  }
  for (const operator of assignments) {
    for (const one of few)
      for (const other of few) yield* both(`(() => { let v = A; v ${operator} B; return v; })()`, { A: one, B: other });
  }
  for (const text of alone) for (const kind of kinds) yield* both(text, { A: kind });
  for (const text of byKey)
    for (const holder of holders) for (const kind of kinds) yield* both(text, { A: kind, O: holder });
}

/** Every kind with each of a few, on either side. */
export function* pairs(all = kinds) {
  for (const one of all) for (const other of few) yield [one, other];
  for (const one of few) for (const other of all) if (!few.includes(other)) yield [one, other];
}

/** Where what stands there can be seen, and where only the value tells what it is. */
function* both(text, operands) {
  const inPlace = text.replaceAll(/\b[ABO]\b/g, (name) => bracketed(operands[name]));
  yield `(${inPlace});`;
  const names = Object.keys(operands);
  const given = names.map((name) => operands[name]).join(', ');
  yield `const f = (${names.join(', ')}) => { try { return ${text}; } catch (e) { return e.name; } };\n(f(${given}));`;
}

export function bracketed(text) {
  return /^[{(]|=>|^new /.test(text) ? `(${text})` : text;
}
