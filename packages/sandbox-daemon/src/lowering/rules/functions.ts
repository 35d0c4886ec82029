import { Refusal, type Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import {
  assigned,
  bindingNames,
  isFunction,
  isReference,
  memberName,
  methodCall,
  walk,
  type AnyNode,
  type FunctionNode,
} from '../syntax.ts';

/**
 * A function expression is not known by its own name inside of it.
 *
 *     function self(n) { … self(n - 1) … }   →   (() => { const self = function self(n) { … }; return self; })()
 */
export const ownName: Rule = {
  id: 'own-name',
  on: ['FunctionExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'FunctionExpression' || !node.id || rewriter.isInside(node)) return false;
    const { name } = node.id;
    if (!mentions(node.body, name)) return false;
    rewriter.output.write(`(() => { const ${name} = `, node);
    rewriter.inside(node, () => rewriter.emit(node));
    rewriter.output.write(`; return ${name}; })()`, node);
    return true;
  },
};

/**
 * There is no `arguments`: it becomes the rest of all parameters, which are taken from it.
 *
 *     function f(a, b = 1) { return arguments.length; }
 *     function f(...__ms_args) { let [a, b = 1] = __ms_args; return __ms_args.length; }
 */
export const argumentsObject: Rule[] = [
  {
    id: 'arguments',
    on: ['FunctionDeclaration', 'FunctionExpression'],
    rewrite(node, rewriter) {
      if (!isFunction(node) || !usesArguments(node) || node.body.type !== 'BlockStatement') return false;
      refuseAssignedParameters(node);
      const { params, body } = node;
      const [first] = params;
      const open = first === undefined ? rewriter.source.indexOf('(', node.id?.end ?? node.start) + 1 : first.start;
      const close = params.at(-1)?.end ?? open;
      rewriter.functions.copyWith(node, {
        from: open,
        head: () => rewriter.output.write('...__ms_args', node),
        to: close,
        start: () => {
          if (params.length === 0) return;
          rewriter.output.write('let [', node);
          let at = open;
          for (const param of params) {
            rewriter.output.copy(at, param.start);
            rewriter.write(node, param);
            at = param.end;
          }
          rewriter.output.write('] = __ms_args;', body);
        },
      });
      return true;
    },
  },
  {
    id: 'arguments',
    on: ['Identifier'],
    rewrite(node, rewriter) {
      if (node.type !== 'Identifier' || node.name !== 'arguments') return false;
      if (!isReference(node, rewriter.ancestors.at(-1)) || !rewriter.ancestors.some(isOwnFunction)) return false;
      refuseAsList(node, rewriter);
      rewriter.output.write('__ms_args', node);
      return true;
    },
  },
];

/** Functions of the library that take a list and anything like one for the same. */
const takesBoth = new Set(['apply', 'from', 'keys', 'values', 'entries']);

/** It is a list here, and none in JavaScript: what can tell the two apart is refused. */
function refuseAsList(node: AnyNode, { ancestors, facts }: Rewriter): void {
  const parent = ancestors.at(-1);
  if (isListOrNot(node, parent)) return;
  const refused = new Refusal('arguments would be a list here, and is none in JavaScript: write ...args', node);
  const target =
    parent?.type === 'VariableDeclarator'
      ? parent.id
      : parent?.type === 'AssignmentExpression'
        ? parent.left
        : undefined;
  if (target?.type === 'ArrayPattern' || target?.type === 'ObjectPattern') return;
  if (target?.type !== 'Identifier' || !isStatement(parent as AnyNode, ancestors)) throw refused;
  // What is declared is known up to the end of the function, what is assigned anywhere.
  const isLocal = parent?.type === 'VariableDeclarator' && !facts.topLevel.has(target.name);
  walk((isLocal ? ancestors.findLast(isFunction) : ancestors[0]) as AnyNode, (inner, outer) => {
    if (inner.type !== 'Identifier' || inner.name !== target.name || !isReference(inner, outer)) return;
    const isGiven =
      (outer?.type === 'VariableDeclarator' && outer.id === inner) ||
      (outer?.type === 'AssignmentExpression' && outer.left === inner && outer.operator === '=');
    if (!isGiven && !isListOrNot(inner, outer)) throw refused;
  });
}

function isStatement(node: AnyNode, ancestors: readonly AnyNode[]): boolean {
  return node.type === 'VariableDeclarator' || ancestors.at(-2)?.type === 'ExpressionStatement';
}

/** Whether a list and anything like one are the same there: `arguments[0]`, `f.apply(this, arguments)`, `[...arguments]`. */
function isListOrNot(node: AnyNode, parent: AnyNode | undefined): boolean {
  switch (parent?.type) {
    case 'MemberExpression':
      return parent.object === node && (parent.computed || memberName(parent) === 'length');
    case 'SpreadElement':
    case 'ForOfStatement':
    case 'ForInStatement':
    case 'ExpressionStatement':
      return true;
    case 'UnaryExpression':
      return parent.operator === 'typeof' || parent.operator === '!';
    case 'CallExpression': {
      const call = methodCall(parent);
      if (call === undefined || parent.callee === node) return false;
      if (call.name !== 'call') return takesBoth.has(call.name);
      const borrowed = call.object.type === 'MemberExpression' ? memberName(call.object) : undefined;
      return borrowed !== undefined && borrowed !== 'toString' && borrowed !== 'concat' && parent.arguments[0] === node;
    }
    default:
      return false;
  }
}

/** `arguments` changes with them in JavaScript. */
export function refuseAssignedParameters(node: FunctionNode): void {
  const names = new Set<string>();
  for (const param of node.params) bindingNames(param, names);
  walk(node.body, (inner) => {
    const target = assigned(inner);
    if (target?.type === 'Identifier' && names.has(target.name)) {
      throw new Refusal(
        'a parameter is assigned in a function that uses arguments: write ...args instead of arguments',
        inner,
      );
    }
  });
}

function isOwnFunction(node: AnyNode): boolean {
  return isFunction(node) && node.type !== 'ArrowFunctionExpression';
}

export function usesArguments(node: FunctionNode): boolean {
  let found = false;
  const look = (inner: AnyNode, parent: AnyNode | undefined): void => {
    if (found || isOwnFunction(inner)) return;
    if (inner.type === 'Identifier' && inner.name === 'arguments' && isReference(inner, parent)) found = true;
  };
  for (const part of [...node.params, node.body]) walkOwn(part, look);
  return found;
}

/** Like `walk`, but not into functions that have their own `arguments` and `this`. */
function walkOwn(node: AnyNode, visit: (node: AnyNode, parent: AnyNode | undefined) => void): void {
  walk(node, visit, isOwnFunction);
}

function mentions(body: AnyNode, name: string): boolean {
  let found = false;
  walk(body, (node, parent) => {
    found ||= node.type === 'Identifier' && node.name === name && isReference(node, parent);
  });
  return found;
}
