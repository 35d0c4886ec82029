import { gzipSync } from 'node:zlib';
import fc from 'fast-check';

const chunk = 512 * 1024;

/** Ends of lines, of every kind, and what is taken for one elsewhere. */
const end = fc.constantFrom('\n', '\n', '\n', '\r\n', '\r\n', '\r', '\n\n', '\n\r\n', '\u2028', '\u0085', '\v', '\f');
const word = fc.constantFrom(
  ...[
    'a',
    'b',
    'ab',
    'aab',
    'é',
    '😀',
    'A,b',
    '1',
    ' ',
    '\t',
    '"a b"',
    '""',
    '", "',
    'ERROR 7',
    '.*',
    '\ufeff',
    'ﬀ',
    '\u0301',
  ],
);
/** One letter, so often that something ends right at a border, or just before or behind it. */
const filler = fc
  .tuple(
    fc.constantFrom('x', 'é', '😀'),
    fc.constantFrom(8 * 1024, 64 * 1024, chunk, 2 * chunk, chunk + 8 * 1024),
    fc.integer({ min: -5, max: 5 }),
  )
  .map(([letter, size, off]) => letter.repeat(Math.ceil((size + off) / Buffer.byteLength(letter))));
const piece = fc.oneof(
  { weight: 40, arbitrary: word },
  { weight: 20, arbitrary: end },
  { weight: 1, arbitrary: filler },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom('\n', 'ab\r\n', 'x,y\n'), fc.nat(3_000)).map(([one, n]) => one.repeat(n)),
  },
);
const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

/** Bytes that are no text in UTF-8, or make one look like something else. */
const noise = fc.constantFrom(
  ...[
    [0xff],
    [0xc3],
    [0xe2, 0x82],
    [0xf0, 0x9f, 0x98],
    [0x80],
    [0xed, 0xa0, 0x80],
    [0xc0, 0xaf],
    [0],
    [0xf4, 0x90, 0x80, 0x80],
  ],
);

const swapped = (bytes) => (bytes.length === 0 ? bytes : Buffer.from(bytes).swap16());

/** A text as a file: `options` are those that the built-ins need to read it as `text`. */
const encoded = fc.oneof(
  { weight: 4, arbitrary: text.map((one) => plain(one)) },
  { weight: 1, arbitrary: text.map((one) => ({ ...plain(one), bytes: Buffer.from(`\ufeff${one}`), text: one })) },
  { weight: 1, arbitrary: text.map((one) => marked(one, (utf16) => utf16)) },
  { weight: 1, arbitrary: text.map((one) => marked(one, swapped)) },
  {
    weight: 2,
    arbitrary: fc.tuple(text, fc.array(fc.tuple(fc.nat(), noise), { minLength: 1, maxLength: 8 })).map(broken),
  },
  { weight: 1, arbitrary: text.map((one) => inLatin1(one)) },
);

function plain(one) {
  // A mark of the order of bytes is none of the text.
  return { bytes: Buffer.from(one), text: one.replace(/^\ufeff/, ''), options: undefined };
}

function marked(one, order) {
  return { bytes: order(Buffer.from(`\ufeff${one}`, 'utf16le')), text: one, options: undefined };
}

function inLatin1(one) {
  const bytes = Buffer.from(one, 'latin1');
  return { bytes, text: bytes.toString('latin1'), options: { encoding: 'latin1' } };
}

function broken([one, faults]) {
  let bytes = Buffer.from(one);
  for (const [place, wrong] of faults) {
    const here = place % (bytes.length + 1);
    bytes = Buffer.concat([bytes.subarray(0, here), Buffer.from(wrong), bytes.subarray(here)]);
  }
  return { bytes, text: new TextDecoder().decode(bytes), options: { encoding: 'utf8' } };
}

/** Some of it as gzip, in one member or in several. */
const packing = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.array(fc.nat(), { maxLength: 3 }) },
);

function packed(file, cuts) {
  if (cuts === undefined) return { ...file, name: 'a.log' };
  const places = [0, ...cuts.map((cut) => cut % (file.bytes.length + 1)), file.bytes.length].toSorted((a, b) => a - b);
  const members = places.slice(1).map((to, index) => gzipSync(file.bytes.subarray(places[index], to), { level: 1 }));
  return { ...file, bytes: Buffer.concat(members), name: 'a.log.gz' };
}

export const contentFile = fc.tuple(encoded, packing).map(([file, cuts]) => ({
  ...packed(file, cuts),
  // Of these not the whole line is given.
  hasLongLines: file.text.split('\n').some((line) => line.length > 10_000),
}));

/** JSON with blanks anywhere, keys that need escapes, and long texts; and the same with a fault. */
const key = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.constantFrom('a', 'b', '', '/', '~', '~1', '"', '\\', '__proto__x', '0', 'é'),
);
const { value: jsonValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string(),
      filler,
    ),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(key, tie('value'), { maxKeys: 6 }),
  ),
}));

const fault = fc.tuple(
  fc.constantFrom('cut', 'insert', 'delete', 'twice'),
  fc.nat(),
  fc.constantFrom(...'{}[],:"\\1e-.n tu\n'),
);

export const jsonFile = fc
  .tuple(
    jsonValue,
    fc.constantFrom(undefined, 1, '\t', '\r\n'),
    fc.option(fault, { nil: undefined, freq: 3 }),
    fc.nat(3),
  )
  .map(([value, indent, wrong, kind]) => {
    const sound = JSON.stringify(value, null, indent === '\r\n' ? '' : indent) ?? 'null';
    // Half a pair is no text that a file can hold.
    const one = (wrong === undefined ? sound : withFault(sound, wrong)).toWellFormed();
    const bytes = [
      Buffer.from(one),
      Buffer.from(`\ufeff${one}`),
      Buffer.from(`\ufeff${one}`, 'utf16le'),
      gzipSync(one),
    ][kind];
    return { bytes, text: one, isSound: wrong === undefined };
  });

function withFault(sound, [what, place, character]) {
  const here = place % (sound.length + 1);
  if (what === 'cut') return sound.slice(0, here);
  if (what === 'insert') return sound.slice(0, here) + character + sound.slice(here);
  return what === 'delete' ? sound.slice(0, here) + sound.slice(here + 1) : `${sound}\n${sound}`;
}

const plainLine = fc.array(
  fc.constantFrom('a', 'é', ',', '"', '""', '\t', ' ', "'", '\\', ';', '|', '😀', '1', 'ERROR', '\u0001', '\u2028'),
  { maxLength: 12 },
);
/** DuckDB reads lines with ends of one kind: a file of several must be refused. */
const linesFile = fc
  .tuple(
    fc.array(plainLine, { maxLength: 60 }),
    fc.constantFrom('\n', '\n', '\r\n', '\r'),
    fc.boolean(),
    fc.nat(300),
    fc.nat(3),
  )
  .map(([lines, ending, isEnded, odd, kind]) => {
    const texts = lines.map((parts) => parts.join(''));
    const other = ending === '\n' ? '\r\n' : '\n';
    const one = texts
      .map((line, index) => (index === texts.length - 1 && !isEnded ? line : line + (index === odd ? other : ending)))
      .join('');
    const utf16 = Buffer.from(`\ufeff${one}`, 'utf16le');
    const bytes = [Buffer.from(one), utf16, swapped(utf16), gzipSync(one)][kind];
    return { bytes, text: one, format: 'lines', name: kind === 3 ? 'a.log.gz' : 'a.log' };
  });

/** Each value is a text that cannot be taken for a number or a date, and quoted; a quote in it is doubled. */
const field = fc.array(fc.constantFrom('a', 'é', ',', '"', '\n', '\r\n', ' ', "'", ';', '\t', '😀', '1'), {
  maxLength: 6,
});
const csvFile = fc
  .tuple(
    fc.integer({ min: 2, max: 4 }),
    fc.array(fc.array(field, { minLength: 4, maxLength: 4 }), { minLength: 3, maxLength: 30 }),
    fc.boolean(),
  )
  .map(([width, rows, isPacked]) => {
    const names = ['k', 'l', 'm', 'n'].slice(0, width);
    const fields = [names, ...rows.map((row) => row.slice(0, width).map((parts) => `v${parts.join('')}`))];
    const quoted = (one) => `"${one.replaceAll('"', '""')}"`;
    const one = fields.map((row) => row.map(quoted).join(',')).join('\n');
    const bytes = Buffer.from(`${one}\n`);
    return {
      bytes: isPacked ? gzipSync(bytes) : bytes,
      text: one,
      format: 'csv',
      fields,
      name: isPacked ? 'a.csv.gz' : 'a.csv',
    };
  });

export const tableFile = fc.oneof(linesFile, csvFile);
