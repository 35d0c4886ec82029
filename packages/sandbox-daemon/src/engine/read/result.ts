import type { Program as Tree } from 'acorn';
import type { Insertion } from './positions.ts';
import { Positions } from './positions.ts';
import type { Program } from './program.ts';
import { isFunction, walk, type AnyNode } from './syntax.ts';

type Return = Extract<AnyNode, { type: 'ReturnStatement' }>;

/**
 * Makes a `return` at the top level work, although the value of a program is that of its last statement. If `return` is
 * the last statement, its value takes its place. Otherwise the script becomes a function, which also returns its last
 * value.
 *
 *     return 1 → ;(1)
 *
 *     if (done) return 1; (() => {
 *     2 → if (done) return 1;
 *                            return (2)
 *                            })()
 *
 * @param text the script without types
 */
export function withResult(source: string, text: string, tree: Tree, waits: boolean): Program {
  const returns = topLevelReturns(tree);
  if (returns.length === 0) return { source, code: text, waits };
  const last = lastValue(tree.body);
  if (returns.length === 1 && returns[0] === last) return lastReturn(source, text, last as Return, waits);
  const insertions: Insertion[] = [{ at: 0, text: waits ? '(async () => {\n' : '(() => {\n' }];
  if (last !== undefined) returnValue(last, insertions);
  insertions.push({ at: text.length, text: '\n})()' });
  // A line that begins with `#!` may only be the first line.
  return programOf(source, text.replace(/^#!/, '//'), insertions, waits);
}

function lastReturn(source: string, text: string, { start, argument }: Return, waits: boolean): Program {
  const before = text.slice(0, start);
  const after = text.slice(start + 'return'.length);
  if (!argument) return { source, code: `${before}void 0${after}`, waits };
  // A semicolon is added, because the line before may have none.
  return programOf(source, `${before}    ;(${after}`, [{ at: argument.end, text: ')' }], waits);
}

function programOf(source: string, text: string, insertions: Insertion[], waits: boolean): Program {
  let code = '';
  let from = 0;
  for (const { at, text: inserted } of insertions) {
    code += text.slice(from, at) + inserted;
    from = at;
  }
  code += text.slice(from);
  return { source, code, positions: new Positions(source, code, insertions), waits };
}

function topLevelReturns(tree: Tree): Return[] {
  const found: Return[] = [];
  const isInside = (node: AnyNode): boolean => isFunction(node) || node.type === 'ClassBody';
  walk(tree, (node) => void (node.type === 'ReturnStatement' && found.push(node)), isInside);
  return found;
}

/** The last statement that may have a value. Functions that are declared after it have none. */
function lastValue(statements: readonly AnyNode[]): AnyNode | undefined {
  return statements.findLast(({ type }) => type !== 'FunctionDeclaration' && type !== 'EmptyStatement');
}

/** Makes a statement return its value. */
function returnValue(statement: AnyNode, insertions: Insertion[]): void {
  switch (statement.type) {
    case 'ExpressionStatement':
      insertions.push({ at: statement.start, text: 'return (' }, { at: statement.expression.end, text: ')' });
      break;
    case 'IfStatement':
      returnValue(statement.consequent, insertions);
      if (statement.alternate) returnValue(statement.alternate, insertions);
      break;
    case 'BlockStatement': {
      const last = lastValue(statement.body);
      if (last !== undefined) returnValue(last, insertions);
      break;
    }
    case 'TryStatement':
      returnValue(statement.block, insertions);
      if (statement.handler) returnValue(statement.handler.body, insertions);
      break;
    default:
  }
}
