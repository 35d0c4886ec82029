import type { Rewriter } from '../../../rewriter.ts';
import type { AnyNode } from '../../../syntax.ts';
import { markExits } from './exits.ts';
import { writeStop } from './expressions.ts';
import { stopsFirst, writeStopsBefore } from './heads.ts';
import { writeLoop } from './loops.ts';
import { hasYield } from './yields.ts';

/**
 * Writes statements as what stands between the braces of a function: it runs those up to the first `yield`, and gives the
 * steps that follow. What comes after a `yield` is a function in them, so that variables are where they were.
 *
 *     a(); yield b; c();   →   a(); return [() => ({ op: 'yield', value: b }), () => { c(); }];
 */
export function writeSteps(statements: readonly AnyNode[], around: AnyNode, rewriter: Rewriter): void {
  for (const statement of statements) {
    if (statement.type === 'FunctionDeclaration') rewriter.write(around, statement, ' ');
  }
  writeRest(
    statements.filter(({ type }) => type !== 'FunctionDeclaration'),
    around,
    rewriter,
  );
}

function writeRest(statements: readonly AnyNode[], around: AnyNode, rewriter: Rewriter): void {
  const first = statements.findIndex(hasYield);
  for (const statement of first === -1 ? statements : statements.slice(0, first)) {
    markExits(statement, rewriter);
    rewriter.write(around, statement, ' ');
  }
  if (first === -1) return;
  const rest = statements.slice(first);
  const [only] = rest as [AnyNode];
  // The engine takes 128 brackets in each other, and a step less is some less.
  if (rest.length === 1 && only.type !== 'VariableDeclaration' && !stopsFirst(only)) {
    return writeAction(only, [], rewriter);
  }
  rewriter.output.write('return [', around);
  for (const [at, statement] of rest.entries()) {
    const isPlain = !hasYield(statement);
    if (!isPlain) writeStopsBefore(statement, rewriter);
    rewriter.output.write('() => { ', around);
    if (isPlain || statement.type === 'VariableDeclaration') {
      // What follows can see what it declares.
      if (!isPlain) rewriter.write(around, statement, ' ');
      writeRest(rest.slice(isPlain ? at : at + 1), around, rewriter);
      rewriter.output.write('}', around);
      break;
    }
    writeAction(statement, [], rewriter);
    rewriter.output.write('}, ', around);
  }
  rewriter.output.write('];', around);
}

/** Writes the function that does a statement, which may be a block. */
export function writeBody(statement: AnyNode, rewriter: Rewriter): void {
  rewriter.output.write('() => ', statement);
  writeBlock(statement, rewriter);
}

/** Writes what a step does when the stops in the head of its statement are over. */
function writeAction(statement: AnyNode, labels: readonly string[], rewriter: Rewriter): void {
  switch (statement.type) {
    case 'BlockStatement':
      return writeBlock(statement, rewriter);
    case 'ExpressionStatement':
      if (statement.expression.type !== 'YieldExpression') {
        return rewriter.write(statement, '(', statement.expression, '); ');
      }
      rewriter.output.write('return ', statement);
      writeStop(statement.expression, rewriter);
      return rewriter.output.write(';', statement);
    case 'ReturnStatement':
      return rewriter.write(statement, 'return { value: ', statement.argument ?? 'undefined', ' };');
    case 'ThrowStatement':
      return rewriter.write(statement, 'throw ', statement.argument, ';');
    case 'IfStatement':
      rewriter.write(statement, 'if (', statement.test, ') ');
      writeBlock(statement.consequent, rewriter);
      if (!statement.alternate) return;
      rewriter.output.write(' else ', statement);
      return writeBlock(statement.alternate, rewriter);
    case 'SwitchStatement':
      return writeSwitch(statement, rewriter);
    case 'TryStatement':
      return writeTry(statement, rewriter);
    case 'LabeledStatement':
      return writeLabeled(statement, labels, rewriter);
    default:
      writeLoop(statement, labels, rewriter);
  }
}

export function writeBlock(statement: AnyNode, rewriter: Rewriter): void {
  rewriter.output.write('{ ', statement);
  writeSteps(statement.type === 'BlockStatement' ? statement.body : [statement], statement, rewriter);
  rewriter.output.write(' }', statement);
}

/** Which case it is says a switch of the same shape. */
function writeSwitch(node: AnyNode & { type: 'SwitchStatement' }, rewriter: Rewriter): void {
  rewriter.write(node, "return { op: 'switch', from: (() => { switch (", node.discriminant, ') { ');
  for (const [at, { test }] of node.cases.entries()) {
    if (test) rewriter.write(node, 'case ', test, `: return ${at}; `);
    else rewriter.output.write(`default: return ${at}; `, node);
  }
  rewriter.output.write(`} return ${node.cases.length}; })(), cases: [`, node);
  for (const one of node.cases) {
    rewriter.output.write('() => { ', one);
    writeSteps(one.consequent, one, rewriter);
    rewriter.output.write(' }, ', one);
  }
  rewriter.output.write('] };', node);
}

function writeTry(node: AnyNode & { type: 'TryStatement' }, rewriter: Rewriter): void {
  rewriter.output.write("return { op: 'try', block: ", node);
  writeBody(node.block, rewriter);
  if (node.handler) {
    const { param, body } = node.handler;
    rewriter.output.write(', handler: (error) => { ', node);
    if (param) rewriter.write(node, 'let ', param, ` = ${rewriter.helper('caught')}(error); `);
    else rewriter.output.write(`${rewriter.helper('caught')}(error); `, node);
    writeSteps(body.body, body, rewriter);
    rewriter.output.write(' }', node);
  }
  if (node.finalizer) {
    rewriter.output.write(', finalizer: ', node);
    writeBody(node.finalizer, rewriter);
  }
  rewriter.output.write(' };', node);
}

function writeLabeled(
  node: AnyNode & { type: 'LabeledStatement' },
  labels: readonly string[],
  rewriter: Rewriter,
): void {
  const names = [...labels, node.label.name];
  const isLoop = /^(?:For|While|DoWhile)/.test(node.body.type);
  if (isLoop || node.body.type === 'LabeledStatement') return writeAction(node.body, names, rewriter);
  rewriter.output.write(`return { op: 'label', labels: ${JSON.stringify(names)}, body: `, node);
  writeBody(node.body, rewriter);
  rewriter.output.write(' };', node);
}
