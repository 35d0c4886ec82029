import { Refusal, type Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { bindingNames, memberName, methodCall, unwrap, type AnyNode } from '../syntax.ts';

const constants = new Set(['NaN', 'Infinity', 'undefined']);
/** Objects of the library that have members which nobody can list in JavaScript, and the engine lists. */
const libraries = new Set([
  ...['Math', 'JSON', 'Intl', 'Reflect', 'console', 'globalThis', 'Object', 'Array', 'String', 'Number', 'Date'],
  ...['Promise', 'Map', 'Set', 'RegExp', 'Symbol', 'BigInt', 'Boolean'],
]);
const fixedMembers: Record<string, RegExp> = {
  Math: /^(?:E|LN2|LN10|LOG2E|LOG10E|PI|SQRT2|SQRT1_2)$/,
  Number: /^(?:EPSILON|MAX_SAFE_INTEGER|MIN_SAFE_INTEGER|MAX_VALUE|MIN_VALUE|NaN|NEGATIVE_INFINITY|POSITIVE_INFINITY)$/,
};

/**
 * The engine lets a script change the constants of the library, and shows what is in `Math` to whoever asks.
 *
 *     NaN = 1             →   refused
 *     Math.PI = 3         →   refused
 *     Object.keys(Math)   →   refused
 */
export const libraryNames: Rule[] = [
  {
    id: 'library-constants',
    on: ['AssignmentExpression', 'UpdateExpression', 'ForOfStatement', 'ForInStatement'],
    rewrite(node, rewriter) {
      if (node.type === 'UpdateExpression') refuseTarget(unwrap(node.argument), rewriter);
      else if ('left' in node) refuseTarget(unwrap(node.left), rewriter);
      return false;
    },
  },
  {
    id: 'library-objects',
    on: ['Identifier', 'MemberExpression'],
    rewrite(node, { ancestors, facts }) {
      const isLibrary = node.type === 'Identifier' && libraries.has(node.name) && !facts.declared.has(node.name);
      const isConstructor = node.type === 'MemberExpression' && memberName(node) === 'constructor';
      if (!(isLibrary || isConstructor) || !isListed(node, ancestors)) return false;
      const what = isLibrary ? node.name : 'a constructor';
      throw new Refusal(`what is in ${what} cannot be listed or copied: name the member`, node);
    },
  },
];

function isListed(node: AnyNode, ancestors: readonly AnyNode[]): boolean {
  let value = node;
  let depth = ancestors.length - 1;
  while (ancestors[depth]?.type === 'ParenthesizedExpression') value = ancestors[depth--] as AnyNode;
  const parent = ancestors[depth];
  if (parent?.type === 'ForInStatement') return parent.right === value;
  if (parent?.type === 'SpreadElement') return ancestors[depth - 1]?.type === 'ObjectExpression';
  return parent?.type === 'CallExpression' && parent.arguments.some((other) => other === value) && lists(parent);
}

function lists(call: AnyNode): boolean {
  const method = methodCall(call);
  if (method?.object.type !== 'Identifier') return false;
  const { name } = method.object;
  return name === 'Object' || name === 'Reflect' || (name === 'JSON' && method.name === 'stringify');
}

function refuseTarget(target: AnyNode, { facts }: Rewriter): void {
  if (target.type === 'VariableDeclaration') return;
  if (target.type === 'MemberExpression') {
    const { object } = target;
    const name = memberName(target) ?? '';
    if (object.type !== 'Identifier' || facts.declared.has(object.name)) return;
    if (fixedMembers[object.name]?.test(name) === true)
      throw new Refusal(`${object.name}.${name} cannot be assigned`, target);
    return;
  }
  const names = new Set<string>();
  bindingNames(target, names);
  for (const name of names)
    if (constants.has(name) && !facts.declared.has(name)) throw new Refusal(`${name} cannot be assigned`, target);
}
