import type { Program as Tree } from 'acorn';
import type { Construct } from '@mustard-sandbox/protocol';
import { declaredNames, isReference, memberName, walk, type AnyNode } from './syntax.ts';

/** Something in a script that no engine runs. */
export class Refusal extends Error {
  readonly node: { start: number; end: number };
  readonly about: { construct?: Construct; subject?: string };

  constructor(message: string, node: { start: number; end: number }, about: Refusal['about'] = {}) {
    super(message);
    this.node = node;
    this.about = about;
  }
}

const noModules = 'is not supported: scripts have no modules, and read files with the functions of the sandbox';
const makers = new Set(['eval', 'Function']);

/** @throws {Refusal} for modules, and for code that is made from text */
export function refuse(tree: Tree, source: string): void {
  let declared: Set<string> | undefined;
  const mayMake = /\b(?:eval|Function)\b/.test(source);
  walk(tree, (node, parent) => {
    if (/^(?:Import|Export)\w*Declaration$/.test(node.type)) {
      throw new Refusal(`module syntax ${noModules}`, node, { construct: 'module' });
    }
    if (node.type === 'ImportExpression') {
      throw new Refusal(`dynamic import() ${noModules}`, node, { construct: 'module' });
    }
    if (node.type === 'MetaProperty' && node.meta.name === 'import') {
      throw new Refusal(`module syntax ${noModules}`, node, { construct: 'module' });
    }
    if (!mayMake || node.type !== 'Identifier' || !makers.has(node.name) || !isReference(node, parent)) return;
    if (isAsked(node, parent)) return;
    declared ??= declaredNames(tree);
    if (declared.has(node.name)) return;
    const message = `\`${node.name}\` is not supported: a script cannot make code out of text`;
    throw new Refusal(message, node, { construct: 'forbidden_global', subject: node.name });
  });
}

/** Uses that make no code: `f instanceof Function`, `typeof eval` and `Function.prototype`. */
function isAsked(node: AnyNode, parent: AnyNode | undefined): boolean {
  if (parent?.type === 'MemberExpression') return parent.object === node && memberName(parent) === 'prototype';
  if (parent?.type === 'BinaryExpression') return parent.operator === 'instanceof' && parent.right === node;
  return parent?.type === 'UnaryExpression' && parent.operator === 'typeof';
}
