import fc from 'fast-check';

/** What makes a parser recurse: what is around, and what is in the middle. */
const around = fc.constantFrom(
  ...[
    ['(', ')'],
    ['[', ']'],
    ['{', '}'],
    ['({a:', '})'],
    ['[...', ']'],
    ['f(', ')'],
    ['!', ''],
    ['- ', ''],
    ['typeof ', ''],
    ['new ', ''],
    ['await ', ''],
    ['a?', ':b'],
    ['a=>', ''],
    ['a.', 'a'],
    ['`${', '}`'],
    ['if(a)', ''],
    ['if(a){', '}'],
    ['for(;;){', '}'],
    ['while(a)', ';'],
    ['do ', ' while(a)'],
    ['try{', '}catch{}'],
    ['switch(a){case ', ':}'],
    ['a:', ';'],
    ['function f(){', '}'],
    ['class A{m(){', '}}'],
    ['class A extends ', '{}'],
    ['(function*(){yield ', '})'],
    ['({get a(){return ', '}})'],
    ['a`${', '}`'],
    ['a??', 'b'],
    ['a+', 'a'],
    ['a,', 'a'],
    ['a=', 'a'],
    ['a**', 'a'],
    ['let {a:', '} = b;'],
    ['a as ', 'b'],
    ['let a: Array<', '> = 1'],
    ['<T>', 'a'],
  ],
);

const nested = fc
  .tuple(
    fc.array(around, { minLength: 1, maxLength: 2 }),
    fc.integer({ min: 1, max: 3_000 }),
    fc.constantFrom('1', 'a', ''),
    fc.boolean(),
  )
  .map(([pairs, depth, middle, ends]) => {
    const before = pairs.map(([left]) => left).join('');
    const after = pairs
      .map(([, right]) => right)
      .toReversed()
      .join('');
    return before.repeat(depth) + middle + (ends ? after.repeat(depth) : '');
  });

/** Many of something, side by side. */
const long = fc
  .tuple(
    fc.constantFrom(
      'a;',
      '1+',
      'x=>',
      '{}',
      'let a=1;',
      '"a"+',
      '/a/.',
      '//\n',
      '/*',
      '`',
      '`${',
      '"',
      "'",
      '\\',
      '\0',
      '\u2028',
      'é',
      '😀',
      '\ud800',
      '@',
      '#a',
      '...',
      '?.',
      '=>',
      'async ',
      'var a;',
      'class A{}',
      'case 1:',
      'return 1;',
      '\u200d',
      '\ufeff',
      '<!--',
      'import a;',
      'enum A{}',
      '0x',
      '1n',
      '1e',
      '/[',
      '/(',
    ),
    fc.integer({ min: 1, max: 5_000 }),
  )
  .map(([text, times]) => text.repeat(times));

const words = fc.constantFrom(
  ...[
    'let ',
    'const ',
    'var ',
    'class ',
    'function ',
    'function* ',
    'async ',
    'await ',
    'yield ',
    'return ',
    'throw ',
    'new ',
    'super',
    'this',
    'static ',
    'get ',
    'set ',
    'of ',
    'in ',
    'instanceof ',
    'typeof ',
    'delete ',
    'void ',
  ],
  ...[
    'if',
    'else ',
    'for',
    'while',
    'do ',
    'switch',
    'case ',
    'default:',
    'try',
    'catch',
    'finally',
    'break ',
    'continue ',
    'import ',
    'export ',
    'with',
    'debugger',
    'enum ',
    'interface ',
    'type ',
    'as ',
    'satisfies ',
    'declare ',
    'namespace ',
  ],
  ...[
    'a',
    'b',
    '__proto__',
    'constructor',
    'arguments',
    'eval',
    'undefined',
    '#p',
    '1',
    '0',
    '1n',
    '.5',
    '"s"',
    "'",
    '"',
    '`',
    '${',
    '}',
    '/',
    '/a/g',
    '/(?=a)/',
    '/(?<n>/',
    '\\u{61}',
    '\\u0061',
  ],
  ...[
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    ';',
    ',',
    '.',
    '?.',
    '?',
    ':',
    '=>',
    '=',
    '+=',
    '??=',
    '==',
    '===',
    '<',
    '>',
    '+',
    '++',
    '-',
    '**',
    '!',
    '~',
    '&&',
    '||',
    '??',
    '...',
    '\n',
    '\r\n',
    '\u2028',
    '//',
    '/*',
    '*/',
    '<!--',
    '-->',
    '#!',
  ],
);
const soup = fc.array(words, { maxLength: 40 }).map((all) => all.join(''));
const anyText = fc.string({ unit: 'binary', maxLength: 60 });

/** A good program with a piece cut out, doubled, or put in. */
const damaged = (/** @type {import('fast-check').Arbitrary<string>} */ program) =>
  fc.tuple(program, fc.nat(), fc.nat({ max: 12 }), fc.oneof(words, fc.constant(''))).map(([text, at, length, more]) => {
    const start = at % (text.length + 1);
    return text.slice(0, start) + more + text.slice(start + length);
  });

/**
 * Scripts that are to break the parser: deep, long, unterminated, of odd characters, almost right.
 *
 * @param {import('fast-check').Arbitrary<string>} program
 */
export function hostileScript(program) {
  return fc.oneof({ weight: 2, arbitrary: nested }, long, { weight: 2, arbitrary: soup }, anyText, {
    weight: 4,
    arbitrary: damaged(program),
  });
}
