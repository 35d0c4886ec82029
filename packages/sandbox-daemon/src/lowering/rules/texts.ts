import type { Helper } from '../helper.ts';
import type { MethodCall, Methods } from '../methods.ts';
import type { AnyNode } from '../syntax.ts';

/** What is no text keeps its own method. */
const ofText = (name: string, parameters: string, body: string): Helper => ({
  name,
  code: `function __ms_${name}(text${parameters}) {
  if (typeof text !== 'string') return text.${name}(${parameters.slice(2)});
  ${body}
}`,
});

const trimmed = (name: string, sides: string): Helper =>
  ofText(
    name,
    '',
    `let rest = text.${name}();
  for (;;) {
    ${sides}
    else return rest;
  }`,
  );
const trimHead = `if (rest.startsWith('\\ufeff')) rest = rest.slice(1).trimStart();`;
const trimTail = `if (rest.endsWith('\\ufeff')) rest = rest.slice(0, -1).trimEnd();`;

export const textHelpers: Helper[] = [
  ofText(
    'charAt',
    ', at',
    `const index = Math.trunc(Number(at)) || 0;
  return index < 0 ? '' : text.charAt(index);`,
  ),
  ofText(
    'substr',
    ', start, length',
    `let from = Math.trunc(Number(start)) || 0;
  if (from < 0) from = from + text.length < 0 ? 0 : from + text.length;
  if (length === undefined) return text.slice(from);
  const count = Math.trunc(Number(length)) || 0;
  return count <= 0 ? '' : text.slice(from, from + count);`,
  ),
  ofText(
    'split',
    ', separator, limit',
    'return limit === undefined ? text.split(separator) : text.split(separator, limit >>> 0);',
  ),
  trimmed('trim', `${trimHead}\n    else ${trimTail}`),
  trimmed('trimStart', trimHead),
  trimmed('trimEnd', trimTail),
  {
    name: 'dollars',
    code: `function __ms_dollars(replacement, found, text, at) {
  const parts = replacement.split('$');
  let out = parts[0];
  for (let i = 1; i < parts.length; i++) {
    const part = parts[i];
    const first = part[0];
    if (first === '&') out += found + part.slice(1);
    else if (first === '\`') out += text.slice(0, at) + part.slice(1);
    else if (first === "'") out += text.slice(at + found.length) + part.slice(1);
    else if (part === '' && i + 1 < parts.length) { i++; out += '$' + parts[i]; }
    else out += '$' + part;
  }
  return out;
}`,
  },
  ofText(
    'replace',
    ', pattern, replacement',
    `if (typeof pattern !== 'string' || typeof replacement !== 'string' || !replacement.includes('$')) return text.replace(pattern, replacement);
  const at = text.indexOf(pattern);
  return at === -1 ? text : text.slice(0, at) + __ms_dollars(replacement, pattern, text, at) + text.slice(at + pattern.length);`,
  ),
  ofText(
    'replaceAll',
    ', pattern, replacement',
    `if (typeof pattern !== 'string' || typeof replacement !== 'string' || !replacement.includes('$')) return text.replaceAll(pattern, replacement);
  const out = [];
  let from = 0;
  let at = text.indexOf(pattern);
  while (at !== -1) {
    out.push(text.slice(from, at), __ms_dollars(replacement, pattern, text, at));
    from = at + pattern.length;
    at = pattern === '' ? (from < text.length ? from + 1 : -1) : text.indexOf(pattern, from);
  }
  return out.join('') + text.slice(from);`,
  ),
  {
    // Where two numbers are equally near, the engine takes the even one and JavaScript the larger one.
    name: 'toFixed',
    code: `function __ms_toFixed(number, digits) {
  const text = number.toFixed(digits);
  if (typeof number !== 'number' || text.includes('e') || text.includes('N') || text.includes('I')) return text;
  const places = Math.trunc(Number(digits)) || 0;
  if (places > 60) return text;
  const exact = number.toFixed(places + 40);
  const cut = exact.slice(exact.length - 40);
  if (cut[0] !== '5' || Number(cut.slice(1)) !== 0) return text;
  const kept = exact.slice(0, exact.length - 40 - (places === 0 ? 1 : 0));
  return text === kept || text === '-' + kept ? text.slice(0, -1) + (Number(text.slice(-1)) + 1) : text;
}`,
  },
];

/**
 * | script                        | engine    | V8         |
 * | ----------------------------- | --------- | ---------- |
 * | `'abc'.charAt(-1)`            | `'a'`     | `''`       |
 * | `'a,b'.split(',', -1)`        | `[]`      | `['a', 'b']` |
 * | `'a.b'.replace('.', '[$&]')`  | `a[$&]b`  | `a[.]b`    |
 * | `'\ufeffa'.trim()`            | `\ufeffa` | `a`        |
 * | `'abc'.substr(1, 1)`          | refused   | `'b'`      |
 * | `(2.5).toFixed(0)`            | `'2'`     | `'3'`      |
 */
export const texts: Methods = {
  id: 'texts',
  names: new Set(textHelpers.map(({ name }) => name).filter((name) => name !== 'dollars')),
  helperFor(call) {
    return isRight(call) ? undefined : call.name;
  },
};

/** Whether the source shows that the engine's own method does it right. */
function isRight({ name, args }: MethodCall): boolean {
  const [first, second] = args;
  switch (name) {
    case 'charAt':
      return first?.type === 'Literal' && typeof first.value === 'number';
    case 'split':
      return second === undefined;
    case 'replace':
    case 'replaceAll':
      return isRegex(first) || isFunctionText(second) || isPlainText(second);
    default:
      return args.some(({ type }) => type === 'SpreadElement');
  }
}

function isRegex(node: AnyNode | undefined): boolean {
  return node?.type === 'Literal' && 'regex' in node && node.regex !== undefined;
}

function isFunctionText(node: AnyNode | undefined): boolean {
  return node?.type === 'ArrowFunctionExpression' || node?.type === 'FunctionExpression';
}

function isPlainText(node: AnyNode | undefined): boolean {
  return node?.type === 'Literal' && typeof node.value === 'string' && !node.value.includes('$');
}
