import fc from 'fast-check';
import { code, list, mostly, oneOf } from './code.mjs';

/** A negative number in brackets: `-1 ** 2` is no JavaScript, `-1..toFixed()` another number. */
const numberText = (value) => (Object.is(value, -0) ? '(-0)' : value < 0 ? `(${value})` : String(value));

const edgeNumbers = [
  ...[0, 1, 2, 3, 5, 7, 10, 12, 100, 255, 1000, 1024, 12345, 1234567.891, 1e6, 1e9],
  ...[-0, -1, -2, -3, -10, -2.5, -0.5, -1.5, -1234.5, -1e-7],
  ...[0.1, 0.2, 0.3, 0.5, 1.5, 2.5, 3.5, 1.005, 1.45, 8.345, 0.000001, 1e-7, 123.456, 99.995, 0.615],
  ...[2 ** 31, 2 ** 31 - 1, -(2 ** 31), 2 ** 32, 2 ** 32 - 1, 2 ** 53, 2 ** 53 - 1, -(2 ** 53), 1e15, 1e16],
  ...[1e20, 1e21, 1e22, 123456789012345680000, 1e100, 1.7976931348623157e308, 5e-324, NaN, Infinity, -Infinity],
];

export const smallWhole = fc.integer({ min: -4, max: 9 }).map(numberText);

export const number = fc.oneof(
  { weight: 4, arbitrary: smallWhole },
  { weight: 4, arbitrary: fc.constantFrom(...edgeNumbers).map(numberText) },
  { weight: 1, arbitrary: fc.integer({ min: -100_000, max: 100_000 }).map(numberText) },
  { weight: 1, arbitrary: fc.integer({ min: -999_999, max: 999_999 }).map((n) => numberText(n / 1000)) },
  { weight: 1, arbitrary: fc.double().map(numberText) },
  { weight: 1, arbitrary: oneOf('0x1f', '0b101', '0o17', '1_000', '.5', '5.', '1e3') },
);

const usualTexts = [
  ...[
    'a',
    'b',
    'abc',
    'ab',
    '',
    ' ',
    'Hello, World',
    'the quick brown fox',
    '  padded\t\n',
    'a,b;c',
    'a,b,,c',
    'x=1&y=2',
  ],
  ...[
    '12',
    ' 12 ',
    '3.50',
    '-7',
    '+5',
    '0x1f',
    '1e3',
    '1,234',
    '12px',
    '007',
    '.5',
    '5.',
    'Infinity',
    'NaN',
    '-0',
    '1_000',
  ],
  ...['true', 'null', 'undefined', '[object Object]', '0', 'length', 'constructor', '__proto__', 'toString'],
  ...[
    '2024-01-02',
    '2024-02-30T10:00:00Z',
    '{"b":1,"a":[2]}',
    '[1,2',
    '"q"',
    "it's",
    '$&',
    '$1',
    '$$',
    '$<n>',
    'a.b',
    'a|b',
    '(x)',
  ],
  ...[
    'line one\nline two\r\nthree',
    'ß',
    'é',
    'e\u0301',
    'İ',
    'ÄÖÜ',
    'Straße',
    'naïve café',
    '\u00a0x\ufeff',
    '日本語',
    'ﬁ',
  ],
  ...[
    'ERROR 500 /api/x?y=1',
    '10.0.0.1 - - [02/Jan/2024:03:04:05 +0000]',
    'aaa',
    'abcabc',
    'A1b2C3',
    'camelCaseWord',
    'snake_case',
  ],
];

/** Quotes of each kind, and characters as they stand. */
const quoted = fc.tuple(fc.constantFrom('"', "'", '`'), fc.boolean()).map(([quote, escape]) => (text) => {
  const json = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  const plain = escape ? json : json.replaceAll(/\\t/g, '\t');
  const body = plain.replaceAll(quote, `\\${quote}`);
  return `${quote}${quote === '`' ? body.replaceAll('${', '\\${') : body}${quote}`;
});

const usualText = fc.tuple(quoted, fc.constantFrom(...usualTexts)).map(([quote, text]) => quote(text));
const anyText = fc
  .tuple(quoted, fc.string({ unit: 'grapheme-ascii', maxLength: 6 }))
  .map(([quote, text]) => quote(text));
/** Outside of the first plane a text has other lengths here: rare, since that is a known difference. */
const widerText = fc.tuple(quoted, fc.constantFrom('😀b', 'a😀', '👍🏽', '𝒳y')).map(([quote, text]) => quote(text));

export const string = mostly(mostly(usualText, anyText, 4), widerText, 200);

export const boolean = oneOf('true', 'false');
export const numbers = code`[${list(number, { max: 6 })}]`;
export const strings = code`[${list(string)}]`;
export const nothing = oneOf('null', 'undefined');

const key = oneOf(
  'a',
  'b',
  'c',
  'id',
  'name',
  'n',
  '0',
  '1',
  '10',
  '"x y"',
  '"b-c"',
  'constructor',
  'toString',
  'length',
);

/** @param {import('fast-check').Arbitrary<string>} value */
export const object = (value) => code`({ ${list(code`${key}: ${value}`)} })`;

/** A row of a table, as scripts have them most. */
const row = code`{ id: ${smallWhole}, name: ${string}, n: ${number} }`;
export const rows = code`[${list(row, { max: 5 })}]`;
