import type { Program } from 'acorn';
import { isFunction, isReference, memberName, walk, type AnyNode } from './syntax.ts';

/** What the rules ask about a script as a whole, gathered in one pass. */
export interface Facts {
  /** Names that stand for variables somewhere. */
  references: ReadonlySet<string>;
  /** Names that stand after a dot, or as a text in brackets. */
  members: ReadonlySet<string>;
  /** Names that the script declares, in any scope. */
  declared: ReadonlySet<string>;
  /** Names that the script declares outside of all functions and blocks. */
  topLevel: ReadonlySet<string>;
  /** There is `object[expression]`, which may name anything. */
  hasComputedMembers: boolean;
  /** Some function mentions a capability, or one is passed on: a callback may suspend the engine. */
  suspendsInCallback: boolean;
  /** There is a `return` outside of all functions that is not the last statement. */
  hasEarlyReturn: boolean;
  /** There is `await` or an `async` function, so a capability call may give a promise. */
  isAsync: boolean;
  /** Some object says by itself how it becomes a text or a number. */
  hasOwnCoercion: boolean;
}

const coercionNames = new Set(['toString', 'valueOf', 'toPrimitive']);

export function factsOf(program: Program, capabilities: ReadonlySet<string>): Facts {
  const references = new Set<string>();
  const members = new Set<string>();
  const declared = new Set<string>();
  const topLevel = new Set<string>();
  const facts: Facts = {
    references,
    members,
    declared,
    topLevel,
    hasComputedMembers: false,
    suspendsInCallback: false,
    hasEarlyReturn: false,
    isAsync: false,
    hasOwnCoercion: false,
  };
  let functionEnd = -1;
  walk(program, (node, parent) => {
    if (isFunction(node)) {
      functionEnd = Math.max(functionEnd, node.end);
      facts.isAsync ||= node.async;
      for (const param of node.params) bindingNames(param, declared);
    }
    switch (node.type) {
      case 'AwaitExpression':
        facts.isAsync = true;
        break;
      case 'ForOfStatement':
        facts.isAsync ||= node.await;
        break;
      case 'Identifier':
        if (!isReference(node, parent)) break;
        references.add(node.name);
        facts.suspendsInCallback ||=
          capabilities.has(node.name) &&
          (node.start < functionEnd || !(parent?.type === 'CallExpression' && parent.callee === node));
        break;
      case 'MemberExpression': {
        const name = memberName(node);
        if (name !== undefined) members.add(name);
        else facts.hasComputedMembers = true;
        // `console.log` is a capability as well.
        facts.suspendsInCallback ||=
          node.object.type === 'Identifier' &&
          capabilities.has(`${node.object.name}.${name}`) &&
          (node.start < functionEnd || !(parent?.type === 'CallExpression' && parent.callee === node));
        break;
      }
      case 'ReturnStatement':
        facts.hasEarlyReturn ||= node.start >= functionEnd && !(parent === program && program.body.at(-1) === node);
        break;
      case 'Property':
        if (node.key.type === 'Identifier' && !node.computed) members.add(node.key.name);
        if (node.key.type === 'Identifier' && coercionNames.has(node.key.name)) facts.hasOwnCoercion = true;
        break;
      case 'MethodDefinition':
        if (node.key.type === 'Identifier' && coercionNames.has(node.key.name)) facts.hasOwnCoercion = true;
        break;
      case 'AssignmentExpression': {
        const { left } = node;
        if (left.type === 'MemberExpression' && coercionNames.has(memberName(left) ?? '')) facts.hasOwnCoercion = true;
        break;
      }
      case 'VariableDeclaration':
        for (const { id } of node.declarations) bindingNames(id, declared);
        if (parent?.type === 'Program') for (const { id } of node.declarations) bindingNames(id, topLevel);
        break;
      case 'FunctionDeclaration':
      case 'ClassDeclaration':
        if (node.id !== null) declared.add(node.id.name);
        if (node.id !== null && parent?.type === 'Program') topLevel.add(node.id.name);
        break;
      case 'CatchClause':
        if (node.param) bindingNames(node.param, declared);
        break;
      default:
    }
  });
  return facts;
}

/** Adds the names that a pattern binds. */
export function bindingNames(pattern: AnyNode, names: Set<string>): void {
  switch (pattern.type) {
    case 'Identifier':
      names.add(pattern.name);
      break;
    case 'ObjectPattern':
      for (const property of pattern.properties) {
        bindingNames(property.type === 'RestElement' ? property.argument : property.value, names);
      }
      break;
    case 'ArrayPattern':
      for (const element of pattern.elements) if (element !== null) bindingNames(element, names);
      break;
    case 'AssignmentPattern':
      bindingNames(pattern.left, names);
      break;
    case 'RestElement':
      bindingNames(pattern.argument, names);
      break;
    default:
  }
}
