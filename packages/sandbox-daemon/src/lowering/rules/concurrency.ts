import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';
import { isReference } from '../syntax.ts';

/** The names of the capabilities by which a program begins a call of a host function, and waits for any that is over. */
export const beginCapability = '__ms_begin';
export const nextCapability = '__ms_next';

/**
 * The engine answers one call of a host function after the other, each when it is over. In a script with promises a call
 * is begun instead, and the promises are settled in the order in which the calls end.
 *
 *     await Promise.all([f(1), f(2)])   →   await Promise.all([__ms_host("f", 1), __ms_host("f", 2)])
 */
export const concurrency: Rule = {
  id: 'concurrency',
  on: ['CallExpression', 'Identifier'],
  rewrite(node, rewriter) {
    const { isAsync, hostFunctions, declared } = rewriter.facts;
    if (!isAsync || hostFunctions.size === 0) return false;
    if (node.type === 'CallExpression') {
      const { callee } = node;
      if (callee.type !== 'Identifier' || !hostFunctions.has(callee.name) || declared.has(callee.name)) return false;
      rewriter.write(node, `${rewriter.helper('host')}(${JSON.stringify(callee.name)}`);
      for (const argument of node.arguments) rewriter.write(node, ', ', argument);
      rewriter.output.write(')', node);
      return true;
    }
    if (node.type !== 'Identifier' || !hostFunctions.has(node.name) || declared.has(node.name)) return false;
    const parent = rewriter.ancestors.at(-1);
    if (!isReference(node, parent) || parent?.type === 'Property' || parent?.type === 'UnaryExpression') return false;
    rewriter.output.write(`((...args) => ${rewriter.helper('host')}(${JSON.stringify(node.name)}, ...args))`, node);
    return true;
  },
};

export const concurrencyHelpers: Helper[] = [
  {
    name: 'host',
    // Whoever waited for a call goes on before the next is waited for: a script that is over by then waits for no more.
    code: `const __ms_calls = new Map();
let __ms_isWaiting = false;
let __ms_isOver = false;
function __ms_over() { __ms_isOver = true; }
async function __ms_settle() {
  if (__ms_isWaiting) return;
  __ms_isWaiting = true;
  while (__ms_calls.size > 0) {
    const { id, value, error } = await ${nextCapability}();
    const { resolve, reject } = __ms_calls.get(id);
    __ms_calls.delete(id);
    if (error === undefined) resolve(value);
    else {
      const thrown = new (error.name === 'TypeError' ? TypeError : error.name === 'RangeError' ? RangeError : Error)(error.message);
      thrown.name = error.name;
      if (error.code !== undefined) thrown.code = error.code;
      reject(thrown);
    }
    for (let turn = 0; turn < 50 && !__ms_isOver; turn++) await undefined;
    if (__ms_isOver) return;
  }
  __ms_isWaiting = false;
}
function __ms_host(name, ...args) {
  const { promise, resolve, reject } = Promise.withResolvers();
  (async () => {
    let id;
    try {
      id = await ${beginCapability}(name, args);
    } catch (error) {
      reject(error);
      return;
    }
    __ms_calls.set(id, { resolve, reject });
    __ms_settle();
  })();
  return promise;
}`,
  },
];
