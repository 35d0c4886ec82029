import type { Helper } from '../helper.ts';
import type { Methods } from '../rule.ts';
import type { AnyNode } from '../syntax.ts';

const walking = (name: string, before: string, step: string, after: string): Helper => ({
  name,
  code: `function __ms_${name}(list, call, self) {
  if (!Array.isArray(list)) return self === undefined ? list.${name}(call) : list.${name}(call, self);
  __ms_callable(call);
  const length = list.length;
  ${before}
  for (let at = 0; at < length; at++) {
    ${step}
  }
  ${after}
}`,
});

const result = 'self === undefined ? call(value, at, list) : call.call(self, value, at, list)';
const skipHoles = 'if (!(at in list)) continue; const value = list[at];';
const folding = (name: string, start: string, step: string): Helper => ({
  name,
  code: `function __ms_${name}(list, call, ...first) {
  if (!Array.isArray(list)) return list.${name}(call, ...first);
  __ms_callable(call);
  const length = list.length;
  let at = ${start};
  let sum = first[0];
  if (first.length === 0) {
    while (at >= 0 && at < length && !(at in list)) at ${step};
    if (at < 0 || at >= length) throw new TypeError('Reduce of empty array with no initial value');
    sum = list[at];
    at ${step};
  }
  for (; at >= 0 && at < length; at ${step}) if (at in list) sum = call(sum, list[at], at, list);
  return sum;
}`,
});
const finding = (name: string, head: string, found: string, none: string): Helper => ({
  name,
  code: `function __ms_${name}(list, call, self) {
  if (!Array.isArray(list)) return self === undefined ? list.${name}(call) : list.${name}(call, self);
  __ms_callable(call);
  const length = list.length;
  for (${head}) {
    const value = list[at];
    if (${result}) return ${found};
  }
  return ${none};
}`,
});
const up = 'let at = 0; at < length; at++';
const down = 'let at = length - 1; at >= 0; at--';

export const callbackHelpers: Helper[] = [
  {
    name: 'callable',
    code: `function __ms_callable(call) {
  if (typeof call !== 'function') throw new TypeError(\`\${typeof call === 'object' ? 'The value' : String(call)} is not a function\`);
}`,
  },
  walking('map', 'const found = new Array(length);', `${skipHoles} found[at] = ${result};`, 'return found;'),
  walking('filter', 'const found = [];', `${skipHoles} if (${result}) found.push(value);`, 'return found;'),
  walking('some', '', `${skipHoles} if (${result}) return true;`, 'return false;'),
  walking('every', '', `${skipHoles} if (!(${result})) return false;`, 'return true;'),
  walking(
    'flatMap',
    'const found = [];',
    `${skipHoles} const part = ${result}; if (Array.isArray(part)) { for (let i = 0; i < part.length; i++) if (i in part) found.push(part[i]); } else found.push(part);`,
    'return found;',
  ),
  {
    name: 'forEach',
    code: `function __ms_forEach(list, call, self) {
  if (Array.isArray(list)) {
    __ms_callable(call);
    const length = list.length;
    for (let at = 0; at < length; at++) {
      if (!(at in list)) continue;
      if (self === undefined) call(list[at], at, list);
      else call.call(self, list[at], at, list);
    }
  } else if (list instanceof Map) {
    __ms_callable(call);
    for (const [key, value] of list) call.call(self, value, key, list);
  } else if (list instanceof Set) {
    __ms_callable(call);
    for (const value of list) call.call(self, value, value, list);
  } else return self === undefined ? list.forEach(call) : list.forEach(call, self);
}`,
  },
  finding('find', up, 'value', 'undefined'),
  finding('findIndex', up, 'at', '-1'),
  finding('findLast', down, 'value', 'undefined'),
  finding('findLastIndex', down, 'at', '-1'),
  folding('reduce', '0', '+= 1'),
  folding('reduceRight', 'length - 1', '-= 1'),
];

/**
 * The engine's own methods cannot be suspended while they call back, so a capability cannot be called there; and they
 * begin `async` callbacks from the last to the first. Helpers in the script language do both right. What is no array
 * keeps its own method.
 *
 *     paths.map((path) => file_stats(path).size)   →   __ms_map(paths, (path) => file_stats(path).size)
 */
export const callbacks: Methods = {
  id: 'callbacks',
  names: new Set(callbackHelpers.map(({ name }) => name)),
  helperFor: ({ name, args: [callback] }, { suspendsInCallback, isAsync }) =>
    callback !== undefined && (suspendsInCallback || (isAsync && !isSynchronous(callback))) ? name : undefined,
};

/** Whether the source shows it. */
function isSynchronous(node: AnyNode): boolean {
  return (node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression') && !node.async;
}
