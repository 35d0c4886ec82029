import fc from 'fast-check';
import { calls, code, list, oneOf } from './code.mjs';

const table = `
str.at(int) any
str.charAt(int?) str
str.charCodeAt(int?) num
str.codePointAt(int?) any
str.concat(any, any?) str
str.endsWith(str, int?) bool
str.includes(str, int?) bool
str.indexOf(str, int?) num
str.lastIndexOf(str, int?) num
str.localeCompare(str) num
str.normalize() str
str.padEnd(small!, str?) str
str.padStart(small!, str?) str
str.repeat(small!) str
str.replace(str, str) str
str.replace(regex, str) str
str.replace(regex, textFunction) str
str.replace(str, textFunction) str
str.replaceAll(str, str) str
str.replaceAll(globalRegex, str) str
str.replaceAll(globalRegex, textFunction) str
str.replaceAll(str, textFunction) str
str.match(regex) any
str.search(regex) num
str.slice(int?, int?) str
str.split(str, small?) strs
str.split(regex) strs
str.startsWith(str, int?) bool
str.substr(int, int?) str
str.substring(int?, int?) str
str.toLowerCase() str
str.toUpperCase() str
str.trim() str
str.trimEnd() str
str.trimStart() str
str.toString() str
str.isWellFormed() bool
regex.test(str) bool
regex.exec(str) any
regex.toString() str
String.fromCharCode(letter, letter?) str
String.fromCodePoint(letter) str
encodeURIComponent(str) str
decodeURIComponent(encoded) str
encodeURI(str) str
btoa(str) str
`;

/** Pieces of patterns; what is between has no meaning of its own. */
const piece = oneOf(
  ...[
    'a',
    'b',
    '\\d',
    '\\w',
    '\\s',
    '\\S',
    '\\W',
    '\\D',
    '.',
    '[abc]',
    '[^,]',
    '[a-z]',
    '[A-Z]',
    '[\\w.-]',
    '[^\\s,]',
    '\\.',
    ',',
    ' ',
    '\\/',
  ],
  ...[
    '\\b',
    '\\B',
    '(\\d+)',
    '(a|b)',
    '(?:ab)',
    '(?<n>\\w)',
    '(x)?',
    '(?=b)',
    '(?!a)',
    '(?<=a)',
    '(?<!b)',
    '\\u0061',
    '\\x41',
    'é',
    '\\n',
    '\\r',
  ],
);
const quantifier = oneOf('', '', '', '', '*', '+', '?', '*?', '+?', '{2}', '{1,2}', '{2,}');
/** One that can repeat; assertions cannot, in the dialect with the flag `u`. */
const term = fc
  .tuple(piece, quantifier)
  .map(([text, times]) => (/^\\[bB]$|^\(\?[=!<]/.test(text) ? text : text + times));
const named = (source) => source.split('(?<n>').length > 2;
const body = fc
  .tuple(oneOf('', '', '^'), fc.array(term, { minLength: 1, maxLength: 4 }), oneOf('', '', '$', '|b', '|'))
  .map(([start, terms, end]) => start + terms.join('') + end)
  .filter((source) => !named(source));
const usual = oneOf(
  ...[
    '\\d+',
    '\\w+',
    '\\s+',
    '[,;]',
    '(\\w+)=(\\w*)',
    '^\\s*(.*?)\\s*$',
    '(?<year>\\d{4})-(?<month>\\d\\d)',
    '[aeiou]',
    '\\b\\w',
    '([A-Z])',
  ],
  ...[
    '(\\w)\\1',
    '^(?=.*\\d)',
    '(?<=\\$)\\d+',
    '(a)|(b)',
    '()',
    '\\r?\\n',
    '^.',
    '.$',
    '.*',
    '[^]',
    '(?<n>a)(?<m>b)?',
    '\\p{L}+',
    '"([^"]*)"',
  ],
);
/** @type {import('fast-check').Arbitrary<string>} */
const source = fc.oneof({ weight: 3, arbitrary: usual }, { weight: 2, arbitrary: body });

/** @param {import('fast-check').Arbitrary<string>} flags */
function pattern(flags) {
  return fc.tuple(source, flags).map(([text, letters]) => `/${text}/${letters}${text.includes('\\p') ? 'u' : ''}`);
}

const regex = pattern(oneOf('', '', 'g', 'i', 'gi', 'm', 'gm', 's', 'y'));
const globalRegex = pattern(oneOf('g', 'gi', 'gm', 'gs'));

/** Texts and regular expressions. @param {Record<string, import('fast-check').Arbitrary<string>>} g */
export function texts(g) {
  const kinds = {
    ...g,
    regex,
    globalRegex,
    small: oneOf('0', '1', '2', '3', '8', '-1', 'x', '2.7'),
    letter: oneOf('65', '97', '8364', '48', '10'),
    encoded: oneOf("'a%20b'", "'%E2%82%AC'", "'%'", "'a+b'", "'x%3D1'"),
    textFunction: fc.oneof(
      code`(s) => ${g.str}`,
      code`(s) => ${g.any}`,
      oneOf(
        '(m, a) => `<${m}|${a}>`',
        '(m, ...rest) => JSON.stringify(rest)',
        '(c) => c.toUpperCase()',
        '(m) => m.length',
        '(s) => x++',
      ),
    ),
  };
  const made = calls(table, kinds);
  made.str.push(code`(${g.strs}).join(${g.str})`, code`(${g.nums}).join(${oneOf('', "', '", "''")})`);
  made.num.push(code`(${g.str}).length`, code`[...(${g.str}).matchAll(${globalRegex})].length`);
  made.any.push(
    code`[...(${g.str}).matchAll(${globalRegex})].map((m) => [m[0], m[1], m.index])`,
    code`(${regex}.exec(${g.str}) ?? {})${oneOf('.index', '[1]', '.groups', '.input', '.length')}`,
    code`((r) => { const found = []; let m; while ((m = r.exec(${g.str})) && found.length < 5) { found.push([m[0], r.lastIndex]); if (m[0] === '') r.lastIndex++; } return found; })(${globalRegex})`,
    code`((s) => { const r = ${globalRegex}, found = []; for (const m of s.matchAll(r)) { if (found.length > 20) break; found.push([m[0], m.index, r.lastIndex]); } return found; })(${g.str})`,
    code`((s) => { const found = []; for (const [all, one = ${g.str}] of s.matchAll(/(?:${source})(x)?/g)) found.push(() => all + one); return found.map((f) => f()); })(${g.str})`,
    code`((s) => { const r = ${globalRegex}, text = s.repeat(300).slice(0, 3000), found = []; let m; while ((m = r.exec(text)) && found.length < 50) { found.push([m[0], m.index, r.lastIndex]); if (m[0] === '') r.lastIndex++; } return found; })(${g.str})`,
    code`[${regex}].map((r) => [r.source, r.flags, r.global, r.lastIndex])`,
    code`(${g.str}).split(${list(g.str, { min: 1, max: 1 })}).map((s) => ${g.any})`,
  );
  return made;
}
