import fc from 'fast-check';
import { code, oneOf } from './code.mjs';

/** What programs do with a text by its positions. @param {Record<string, import('fast-check').Arbitrary<string>>} g */
export function scanning(g) {
  // Long ones are read in pieces. What comes of them is a number or few.
  const text = fc.oneof(
    g.str,
    code`(${g.str}).repeat(${oneOf('3', '120', '700')})`,
    code`(${g.strs}).join(${oneOf("','", "'\\n'", "''")})`,
  );
  const letter = oneOf("','", "'a'", "' '", "'\\n'", "'1'", "''", 'undefined');
  const index = oneOf('i', 'i + 1', 'i - 1', 'i * 2', 'text.length - 1 - i', '-1 - i', 'i % 2', 'i / 2', 'String(i)');
  const read = fc.oneof(
    code`text[${index}]`,
    code`text.${oneOf('charAt', 'at', 'charCodeAt', 'codePointAt')}(${index})`,
    code`text.${oneOf('slice', 'substring', 'substr')}(${index}${oneOf('', ', i + 2', ', -1', ', i', ', undefined', ', 600')})`,
    code`text.${oneOf('indexOf', 'lastIndexOf', 'includes', 'startsWith', 'endsWith')}(${letter}, ${index})`,
  );
  const count = oneOf(
    '1',
    '2',
    'n',
    'n + 1',
    'n * 100',
    'at + 1',
    '-1',
    '0.5',
    '5000',
    'undefined',
    "'2'",
    'rest.length - 1',
  );
  const item = oneOf("','", "'a'", "'\\n'", "''", "'absent'", 'word');
  // What is done with a text between two cuts of its head.
  const headed = fc.oneof(
    code`rest.${oneOf('indexOf', 'includes', 'startsWith')}(${item})`,
    code`rest.${oneOf('slice', 'substring', 'substr')}(${oneOf('0', '1', 'n')}, ${count})`,
    code`rest.${oneOf('charAt', 'at', 'charCodeAt')}(${oneOf('0', '1', 'n', 'n * 90', '-1')})`,
    oneOf(
      'rest.length',
      'rest[0]',
      'rest[n]',
      'rest[n * 300]',
      "rest === ''",
      '!rest',
      'rest.slice(-3)',
      'rest.at(-1)',
    ),
  );
  const cut = code`rest = rest.${oneOf('slice', 'slice', 'substring', 'substr')}(${count});`;
  const other = oneOf('', '', '', 'rest += word;', "rest = rest + ',b';", 'rest = rest.trim();', 'keep(rest.length);');
  const start = 'const found = []; const keep = (v) => { if (found.length < 8) found.push(v); };';
  const any = [
    code`((text) => { ${fc.constant(start)} for (let i = 0; i < text.length; i++) keep(${read}); return found; })(${text})`,
    code`((text) => { ${fc.constant(start)} for (let i = text.length; i >= 0; i--) keep(${read}); return found; })(${text})`,
    code`((text) => { ${fc.constant(start)} for (let i = 0; i < 4; i++) { const part = ${read}; keep(part); keep(${read}); } return found; })(${text})`,
    code`((text) => { let sum = 0; for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) % 65521; return sum; })(${text})`,
    code`((text) => { let count = 0; for (let i = 0; i < text.length; i += ${oneOf('1', '2', '511', '512')}) if (text[i] === ${letter}) count++; return count; })(${text})`,
    code`((text) => { ${fc.constant(start)} let at = 0; while ((at = text.indexOf(${letter}, at)) !== -1 && found.length < 7) { keep(at); at += ${oneOf('1', '2', '600')}; } return found; })(${text})`,
    code`((text) => { ${fc.constant(start)} let i = 0; while (i < text.length) { const from = i; while (i < text.length && text[i] !== ${letter}) i++; keep(text.slice(from, i).length); i++; } return found; })(${text})`,
    code`((text) => { const counts = {}; for (const c of text) counts[c] = (counts[c] ?? 0) + 1; return Object.entries(counts).slice(0, 6); })(${text})`,
    code`((text) => { let i = 0; const next = () => text[i++]; const peek = () => text[i]; return [next(), peek(), next(), i, text.slice(i).length]; })(${text})`,
    code`((text) => [text.length, text[text.length - 1], text[-1], text['0'], text[0.5], text.at(-1)])(${text})`,
    code`((text) => { let rest = text; const parts = []; while (rest.length > 0 && parts.length < 4) { const cut = rest.search(${oneOf('/[,;\\s]/', '/\\d/', '/b|$/')}); parts.push(rest.slice(0, Math.max(cut, 1))); rest = rest.slice(Math.max(cut, 1)); } return parts.map((p) => p.length); })(${text})`,
    code`((text) => { ${fc.constant(start)} let rest = text; const word = ${letter}; let at = 3; for (let n = 0; n < 5; n++) { keep(${headed}); ${cut} keep(${headed}); ${other} } return [found, rest.length, rest.slice(0, 5)]; })(${text})`,
    code`((rest) => { ${fc.constant(start)} const word = 'b'; for (let n = 0; n < 3; n++) { let at; while ((at = rest.indexOf(${item})) !== -1 && found.length < 7) { keep(${headed}); rest = rest.slice(at + 1); } ${other} ${cut} } return [found, rest]; })(${text})`,
    code`((text) => { ${fc.constant(start)} let rest = text; const word = ','; const at = 1; const take = (n) => { const part = ${headed}; ${cut} return part; }; for (let n = 0; n < 6; n++) keep(take(n)); return [found, rest]; })(${text})`,
    code`((text) => { ${fc.constant(start)} const word = ''; const at = 9; let n = 0; for (let rest = text; rest${oneOf('', '.length > 2', " !== ''")} && n < 6; ${cut.map((it) => it.slice(0, -1))}) { n++; keep(${headed}); } return found; })(${text})`,
  ];
  return { any };
}

/** Names that methods of texts and lists have too. */
const names = oneOf(
  ...[
    'map',
    'filter',
    'slice',
    'split',
    'match',
    'search',
    'replace',
    'replaceAll',
    'join',
    'sort',
    'indexOf',
    'lastIndexOf',
  ],
  ...[
    'includes',
    'concat',
    'at',
    'charAt',
    'trim',
    'repeat',
    'padStart',
    'toFixed',
    'get',
    'set',
    'has',
    'add',
    'push',
    'keys',
  ],
  ...[
    'values',
    'entries',
    'forEach',
    'find',
    'reduce',
    'test',
    'exec',
    'next',
    'then',
    'toJSON',
    'length',
    'size',
    'fill',
  ],
);

/**
 * Objects and classes of the script with members of such names, beside what has them of the language.
 *
 * @param {Record<string, import('fast-check').Arbitrary<string>>} g
 */
export function members(g) {
  const one = fc.tuple(names, g.any, g.any, fc.oneof(g.str, g.nums, g.strs), fc.nat({ max: 5 }));
  const texts = one.map(([name, first, second, other, form]) => {
    const use = `[box.${name}(${first}), box.${name}(${first}, ${second})]`;
    const both = `((box, other) => [${use}, typeof other.${name}])`;
    return [
      `((box) => ${use})({ ${name}(...all) { return all; } })`,
      `((box) => ${use})({ ${name}: (a, b) => [a, typeof b] })`,
      `((box) => ${use})(new (class { ${name}(a, b = 1) { return [a, b]; } })())`,
      `((box) => { box.${name} = (a) => [a]; return ${use}; })({})`,
      `${both}(new (class { ${name}(...all) { return all.length; } })(), ${other})`,
      `((Box) => [Box.${name}(${first}), new Box().${name}])(class { static ${name}(a) { return [a]; } })`,
    ][form];
  });
  return { any: [texts] };
}
