import type { Helper } from '../helper.ts';
import { Refusal, type Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { bindingNames, isPlainPattern, memberName, methodCall, unwrap, type AnyNode } from '../syntax.ts';

const constants = new Set(['NaN', 'Infinity', 'undefined']);
/** Objects of the library that have members which nobody can list in JavaScript, and the engine lists. */
const libraries = new Set([
  ...['Math', 'JSON', 'Intl', 'Reflect', 'console', 'globalThis', 'Object', 'Array', 'String', 'Number', 'Date'],
  ...['Promise', 'Map', 'Set', 'RegExp', 'Symbol', 'BigInt', 'Boolean'],
]);
/** Those that are no functions: the engine shows what is in them to whoever has one. */
const objects = new Set(['Math', 'JSON', 'Intl', 'Reflect', 'console', 'globalThis']);
/** What asks for one member, or for none. */
const asking = new Set(['hasOwn', 'is', 'isFrozen', 'freeze', 'get', 'has', 'set']);
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
 *     const m = Math; Object.keys(m)   →   const m = Math; Object.keys(__ms_listed(m))
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
    rewrite(node, rewriter) {
      const { ancestors, facts } = rewriter;
      const isLibrary = node.type === 'Identifier' && libraries.has(node.name) && !facts.declared.has(node.name);
      const isConstructor = node.type === 'MemberExpression' && memberName(node) === 'constructor';
      if (!(isLibrary || isConstructor) || !isListed(node, ancestors)) return false;
      const what = isLibrary ? node.name : 'a constructor';
      throw new Refusal(`what is in ${what} cannot be listed or copied: name the member`, node);
    },
  },
  {
    id: 'library-values',
    on: ['Identifier', 'MemberExpression', 'CallExpression'],
    rewrite(node, rewriter) {
      const { ancestors, facts } = rewriter;
      if (facts.libraryValues.size === 0 || rewriter.isInside(node) || !isListed(node, ancestors)) return false;
      rewriter.output.write(`${rewriter.helper('listed')}(`, node);
      rewriter.inside(node, () => rewriter.emit(node));
      rewriter.output.write(')', node);
      return true;
    },
  },
];

export const libraryHelpers: Helper[] = [
  {
    name: 'listed',
    code: ({ libraryValues }) => `function __ms_listed(value) {
  if (${[...libraryValues].map((name) => `value === ${name}`).join(' || ')}) __ms_refuse('what is in an object of the library cannot be listed or copied: name the member');
  return value;
}`,
  },
];

/** Whether this gives an object of the library away, by a variable or to a function. */
export function isLibraryValue(node: AnyNode & { type: 'Identifier' }, parent: AnyNode | undefined): boolean {
  if (!objects.has(node.name)) return false;
  switch (parent?.type) {
    case 'MemberExpression':
      return parent.object !== node;
    case 'VariableDeclarator':
      return parent.init === node && !isPlainPattern(parent.id);
    case 'UnaryExpression':
    case 'BinaryExpression':
      return false;
    default:
      return true;
  }
}

/** Whether this is something whose members are named one by one, by a loop or by `Object.keys` and its like. */
function isListed(node: AnyNode, ancestors: readonly AnyNode[]): boolean {
  let value = node;
  let depth = ancestors.length - 1;
  while (ancestors[depth]?.type === 'ParenthesizedExpression') value = ancestors[depth--] as AnyNode;
  const parent = ancestors[depth];
  if (parent?.type === 'ForInStatement') return parent.right === value;
  if (parent?.type === 'VariableDeclarator')
    return parent.init === value && parent.id.type === 'ObjectPattern' && !isPlainPattern(parent.id);
  if (parent?.type === 'SpreadElement') return ancestors[depth - 1]?.type === 'ObjectExpression';
  return parent?.type === 'CallExpression' && parent.arguments.some((other) => other === value) && lists(parent);
}

function lists(call: AnyNode): boolean {
  const method = methodCall(call);
  if (method?.object.type !== 'Identifier') return false;
  const { name } = method.object;
  if (name === 'JSON') return method.name === 'stringify';
  return (name === 'Object' || name === 'Reflect') && !asking.has(method.name);
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
