/** What may stand for an argument: a value of each kind, and of each kind of value those that conversions tell apart. */
export const kinds = [
  ...['undefined', 'null', 'NaN', '(-0)', '0', '1', '(-1)', '2', '(-Infinity)', 'Infinity', '1.5', '(-2.5)'],
  ...['4294967296', '1e21', '5e-324', "''", "'2'", "' 1 '", "'b'", "'-1'", "'a,b'", 'true', 'false', '3n'],
  ...['[]', '[1]', "['b', 'a']", '{}', '{ a: 1 }', '{ valueOf() { return 1; } }', "{ toString() { return 'b'; } }"],
  ...['(x) => x', 'new Date(5)', '/b/', "new Map([['a', 1]])", "new Set(['b'])", "new TypeError('t')"],
];

/** Where every kind with every other would be too many. */
export const few = ['undefined', 'null', 'NaN', '1', '(-1)', "'2'", "'b'", '{ valueOf() { return 1; } }'];

/** Of which a method would make a text or a list that fills the memory, which proves nothing. */
export const huge = new Set(['Infinity', '4294967296', '1e21']);

/** Functions as lists take them. */
export const functions = [
  ...[
    '(x) => x',
    '(x, i) => i',
    '(x, i, all) => all.length',
    '() => {}',
    '(a, b) => a + b',
    'function () { return typeof this; }',
  ],
  ...[
    'Number',
    'String',
    'Boolean',
    'parseInt',
    'isNaN',
    'Math.max',
    'JSON.stringify',
    'Array.isArray',
    '(a, b) => b - a',
  ],
  ...[
    '(a, b) => (a < b ? -1 : 1)',
    '(x) => [x, x]',
    '(...all) => all.length',
    "(x) => { if (x === 1) throw new RangeError('r'); return x; }",
  ],
];
