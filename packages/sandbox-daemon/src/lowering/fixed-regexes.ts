import type { Literal, Program } from 'acorn';
import { bindingNames, isFunction, walk } from './syntax.ts';

/** Regular expressions by the names of the constants that are given them. A name that is declared twice is left out. */
export function findFixedRegexes(program: Program): ReadonlyMap<string, Literal> {
  const found = new Map<string, Literal>();
  const declared = new Set<string>();
  const twice = new Set<string>();
  walk(program, (node, parent) => {
    const names = new Set<string>();
    if (isFunction(node)) for (const param of node.params) bindingNames(param, names);
    if (node.type === 'CatchClause' && node.param) bindingNames(node.param, names);
    if ('id' in node && node.id) bindingNames(node.id, names);
    for (const name of names) (declared.has(name) ? twice : declared).add(name);
    if (node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier') return;
    if (parent?.type !== 'VariableDeclaration' || parent.kind !== 'const') return;
    if (node.init?.type === 'Literal' && 'regex' in node.init) found.set(node.id.name, node.init);
  });
  for (const name of twice) found.delete(name);
  return found;
}
