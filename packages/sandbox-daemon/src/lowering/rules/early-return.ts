import type { Program } from 'acorn';
import { prefix } from '../helper.ts';
import type { Rule } from '../rule.ts';
import type { Rewriter } from '../rewriter.ts';
import type { AnyNode } from '../syntax.ts';

/**
 * The engine takes a `return` at the top level only as the last statement. Anywhere else, the script becomes a
 * function; its last expression is still the result of a script that ends without a `return`.
 *
 *     if (done) return 1;       return (function () { if (done) return 1;
 *     2                     →   return 2; })()
 */
export const earlyReturn: Rule = {
  id: 'early-return',
  on: ['Program'],
  rewrite(node, rewriter) {
    if (node.type !== 'Program' || !(rewriter.facts.hasEarlyReturn || rewriter.facts.mayLeaveCalls)) return false;
    writeAsFunction(node, rewriter);
    return true;
  },
};

function writeAsFunction(program: Program, rewriter: Rewriter): void {
  const { isAsync } = rewriter.facts;
  // The engine waits for a promise that is the result.
  const open = isAsync ? '(async function' : '(function';
  rewriter.output.write(`return ${open} ${prefix}main() {`, { start: 0, end: program.end });
  rewriter.program(program, () => {
    let at = program.start;
    for (const statement of program.body) {
      rewriter.output.copy(at, statement.start);
      if (statement === program.body.at(-1)) writeLast(statement, rewriter);
      else rewriter.write(program, statement);
      at = statement.end;
    }
    rewriter.output.copy(at, program.end);
  });
  const end = rewriter.facts.mayLeaveCalls ? `\n})().finally(() => { ${rewriter.helper('over')}(); });` : '\n})();';
  rewriter.output.write(end, { start: program.end, end: program.end });
}

/** The value of a script is that of its last statement. */
function writeLast(statement: AnyNode, rewriter: Rewriter): void {
  switch (statement.type) {
    case 'ExpressionStatement':
      rewriter.write(statement, 'return (', statement.expression, ');');
      break;
    case 'IfStatement': {
      const { test, consequent, alternate } = statement;
      rewriter.write(statement, 'if (', test, ') {');
      writeLast(consequent, rewriter);
      rewriter.output.write('}', statement);
      if (!alternate) break;
      rewriter.output.write(' else {', statement);
      writeLast(alternate, rewriter);
      rewriter.output.write('}', statement);
      break;
    }
    case 'BlockStatement': {
      let at = statement.start;
      for (const inner of statement.body) {
        rewriter.output.copy(at, inner.start);
        if (inner === statement.body.at(-1)) writeLast(inner, rewriter);
        else rewriter.write(statement, inner);
        at = inner.end;
      }
      rewriter.output.copy(at, statement.end);
      break;
    }
    default:
      rewriter.emit(statement);
  }
}
