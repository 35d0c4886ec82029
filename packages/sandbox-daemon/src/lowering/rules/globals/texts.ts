import { member, variable, type Replacement } from './replacement.ts';

/** These take texts, which the engine makes of objects in a way of its own. */
const ofText = (name: string): Replacement => ({
  name,
  isNeeded: (facts) => (facts.hasOwnCoercion || facts.hasNamedObjects) && variable(name)(facts),
  code: `const __ms_native_${name} = ${name};
globalThis.${name} = function ${name}(value) { return __ms_native_${name}(__ms_string(value)); };`,
});

/** What makes texts of texts. */
export const textGlobals: Replacement[] = [
  ...['encodeURIComponent', 'encodeURI', 'decodeURIComponent', 'decodeURI'].map(ofText),
  {
    name: 'String.raw',
    isNeeded: member('String', 'raw'),
    code: `String.raw = function raw(strings, ...values) {
  return strings.raw.map((text, at) => (at < values.length && at < strings.raw.length - 1 ? text + __ms_string(values[at]) : text)).join('');
};`,
  },
  {
    name: 'base64',
    isNeeded: ({ references }) => references.has('atob') || references.has('btoa'),
    code: `const __ms_base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
globalThis.btoa = function btoa(...given) {
  const [value] = given;
  if (given.length === 0) throw new TypeError('The "data" argument must be specified');
  const codes = __ms_string(value).split('').map((letter) => letter.codePointAt(0));
  if (codes.some((code) => code > 255)) __ms_refuse('btoa takes characters up to U+00FF only');
  const parts = [];
  for (let at = 0; at < codes.length; at += 3) {
    const bits = codes[at] * 65536 + (codes[at + 1] ?? 0) * 256 + (codes[at + 2] ?? 0);
    const left = codes.length - at;
    parts.push(__ms_base64[bits >> 18], __ms_base64[(bits >> 12) & 63], left > 1 ? __ms_base64[(bits >> 6) & 63] : '=', left > 2 ? __ms_base64[bits & 63] : '=');
  }
  return parts.join('');
};
const __ms_sextets = new Map(__ms_base64.split('').map((letter, at) => [letter, at]));
globalThis.atob = function atob(...given) {
  const [value] = given;
  if (given.length === 0) throw new TypeError('The "input" argument must be specified');
  const text = __ms_string(value).replace(/[\\t\\n\\f\\r ]/g, '');
  const plain = text.length % 4 === 0 ? text.replace(/={1,2}$/, '') : text;
  if (plain.length % 4 === 1 || /[^A-Za-z0-9+\\/]/.test(plain)) __ms_refuse('atob takes base64 only');
  if (__ms_hasV8 && plain.length > 200) return __ms_inV8('latin1', plain);
  const parts = [];
  let bits = 0;
  let count = 0;
  for (const letter of plain.split('')) {
    bits = (bits << 6) | __ms_sextets.get(letter);
    count += 6;
    if (count >= 8) { count -= 8; parts.push(String.fromCharCode((bits >> count) & 255)); bits &= (1 << count) - 1; }
  }
  return parts.join('');
};`,
  },
];
