import type { Helper } from '../helper.ts';
import type { MethodCall, Methods } from '../methods.ts';

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
    'split',
    ', separator, limit',
    'return limit === undefined ? text.split(separator) : text.split(separator, limit >>> 0);',
  ),
  trimmed('trim', `${trimHead}\n    else ${trimTail}`),
  trimmed('trimStart', trimHead),
  trimmed('trimEnd', trimTail),
];

/**
 * | script                | engine    | V8           |
 * | --------------------- | --------- | ------------ |
 * | `'abc'.charAt(-1)`    | `'a'`     | `''`         |
 * | `'a,b'.split(',', -1)` | `[]`     | `['a', 'b']` |
 * | `'\ufeffa'.trim()`    | `\ufeffa` | `a`          |
 */
export const texts: Methods = {
  id: 'texts',
  names: new Set(textHelpers.map(({ name }) => name)),
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
    default:
      return args.some(({ type }) => type === 'SpreadElement');
  }
}
