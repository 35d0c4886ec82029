import { Refusal } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { bindingNames, memberName, walk, type AnyNode } from '../syntax.ts';

/** Members that are read where nobody names them. */
const unnamed = ['toString', 'valueOf', 'toJSON'];

/**
 * Outside of functions `this` is the global object, which has the functions and the `var` variables of a script as members
 * in JavaScript, and here has not.
 *
 *     var size = 1; this.size             →   refused
 *     var size = 1; f(this); o.size       →   refused
 *     this.limit ?? 10                    →   this.limit ?? 10
 */
export const globalThisRule: Rule = {
  id: 'global-this',
  on: ['ThisExpression'],
  rewrite(node, { ancestors, facts }) {
    const program = ancestors[0];
    if (program?.type !== 'Program') return false;
    const { names, outside } = globalsOf(program);
    const parent = ancestors.at(-1);
    if (
      names.size === 0 ||
      !outside.has(node) ||
      parent?.type === 'UnaryExpression' ||
      parent?.type === 'BinaryExpression'
    )
      return false;
    let isRead = (name: string): boolean => facts.members.has(name) || unnamed.includes(name);
    if (parent?.type === 'MemberExpression') {
      const member = memberName(parent);
      isRead = (name) => member === undefined || member === name;
    }
    const name = [...names].find(isRead);
    if (name === undefined) return false;
    throw new Refusal(
      `a variable of the script is no member of this here: write ${name} in place of this.${name}`,
      node,
    );
  },
};

function hasOwnThis({ type }: AnyNode): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ClassBody';
}

/** One walk for every `this` of a script. */
const known = new WeakMap<AnyNode, Globals>();

interface Globals {
  /** The names that a script adds to the global object of JavaScript. */
  names: Set<string>;
  /** Where `this` is that object. */
  outside: Set<AnyNode>;
}

function globalsOf(program: AnyNode & { type: 'Program' }): Globals {
  let globals = known.get(program);
  if (globals !== undefined) return globals;
  known.set(program, (globals = { names: new Set(), outside: new Set() }));
  const { names, outside } = globals;
  for (const statement of program.body) if (statement.type === 'FunctionDeclaration') names.add(statement.id.name);
  const look = (node: AnyNode): void => {
    if (node.type === 'ThisExpression') outside.add(node);
    if (node.type !== 'VariableDeclaration' || node.kind !== 'var') return;
    for (const { id } of node.declarations) bindingNames(id, names);
  };
  walk(program, look, hasOwnThis);
  return globals;
}
