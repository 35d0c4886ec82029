import type { VariableDeclaration } from 'acorn';
import type { Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { bindingNames, isFunction, type AnyNode } from '../syntax.ts';

/**
 * The engine has no `var`. The variable is declared where its function begins, and assigned where it stands. At the top
 * level the assignment hides in a declaration: a script whose last statement is a `var` has no value.
 *
 *     function f() { if (a) { var b = 1; } return b; }   →   function f() { let b; if (a) { b = 1; } return b; }
 *     for (var i = 0; i < 3; i++) …                      →   let i; … for (i = 0; i < 3; i++) …
 */
export const varDeclarations: Rule = {
  id: 'var',
  on: ['VariableDeclaration'],
  rewrite(node, rewriter) {
    if (node.type !== 'VariableDeclaration' || node.kind !== 'var') return false;
    declareNames(node, rewriter);
    const parent = rewriter.ancestors.at(-1);
    if ((parent?.type === 'ForOfStatement' || parent?.type === 'ForInStatement') && parent.left === node) {
      rewriter.write(node, node.declarations[0]?.id as AnyNode);
    } else if (parent?.type === 'ForStatement' && parent.init === node) {
      rewriter.write(node, ...assignments(node));
    } else {
      writeStatement(node, rewriter);
    }
    return true;
  },
};

/** A parameter of the name is the variable. */
function declareNames(node: VariableDeclaration, rewriter: Rewriter): void {
  const names = new Set<string>();
  for (const { id } of node.declarations) bindingNames(id, names);
  const { scope } = rewriter;
  const taken = new Set<string>();
  if (isFunction(scope)) for (const param of scope.params) bindingNames(param, taken);
  const body = scope.type === 'Program' ? scope.body : scope.body.type === 'BlockStatement' ? scope.body.body : [];
  for (const statement of body) if (statement.type === 'FunctionDeclaration') taken.add(statement.id.name);
  for (const name of names) if (!taken.has(name)) rewriter.declare(name);
}

function assignments({ declarations }: VariableDeclaration): (string | AnyNode)[] {
  return declarations
    .filter(({ init }) => init)
    .flatMap(({ id, init }, index) => [index === 0 ? '(' : ', (', id, ' = ', init as AnyNode, ')']);
}

function writeStatement(node: VariableDeclaration, rewriter: Rewriter): void {
  const parts = assignments(node);
  if (parts.length === 0) return rewriter.write(node, ';');
  if (rewriter.scope.type !== 'Program') return rewriter.write(node, ...parts, ';');
  const statement = [`const ${rewriter.name()} = (`, ...parts, ');'];
  const isAlone = !['Program', 'BlockStatement', 'SwitchCase'].includes(rewriter.ancestors.at(-1)?.type ?? '');
  rewriter.write(node, ...(isAlone ? ['{', ...statement, '}'] : statement));
}
