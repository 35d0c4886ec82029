import type { Rewriter } from '../../../rewriter.ts';
import type { AnyNode } from '../../../syntax.ts';
import { writeStops } from './expressions.ts';
import { hasYield } from './yields.ts';

/** Whether the generator may stop before a statement begins with what it does. */
export function stopsFirst(statement: AnyNode): boolean {
  return headsOf(statement).some(hasYield);
}

/** Writes the steps that are over then. */
export function writeStopsBefore(statement: AnyNode, rewriter: Rewriter): void {
  for (const head of headsOf(statement)) writeStops(head, rewriter);
}

/** What is evaluated once, and first. */
function headsOf(statement: AnyNode): AnyNode[] {
  switch (statement.type) {
    case 'ExpressionStatement': {
      const { expression } = statement;
      if (expression.type !== 'YieldExpression') return [expression];
      return expression.argument ? [expression.argument] : [];
    }
    case 'VariableDeclaration':
      return statement.declarations.flatMap(({ init }) => init ?? []);
    case 'ReturnStatement':
    case 'ThrowStatement':
      return statement.argument ? [statement.argument] : [];
    case 'IfStatement':
      return [statement.test];
    case 'SwitchStatement':
      return [statement.discriminant];
    case 'ForStatement':
      return statement.init ? headsOfInit(statement.init) : [];
    case 'ForOfStatement':
    case 'ForInStatement':
      return [statement.right];
    case 'LabeledStatement':
      return headsOf(statement.body);
    default:
      return [];
  }
}

function headsOfInit(init: AnyNode): AnyNode[] {
  return init.type === 'VariableDeclaration' ? headsOf(init) : [init];
}
