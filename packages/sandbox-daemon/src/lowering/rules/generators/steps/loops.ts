import { bindingNames } from '../../../syntax.ts';
import type { Rewriter } from '../../../rewriter.ts';
import type { AnyNode } from '../../../syntax.ts';
import { declarationOf } from '../../destructuring.ts';
import { writeStops } from './expressions.ts';
import { hasFunction } from './possible.ts';
import { writeBlock, writeBody } from './statements.ts';
import { hasYield } from './yields.ts';

type Loop<Type extends AnyNode['type']> = AnyNode & { type: Type };

/** Writes a loop with a `yield` in it: what asks whether it goes on, what leads to the next turn, and what a turn does. */
export function writeLoop(node: AnyNode, labels: readonly string[], rewriter: Rewriter): void {
  switch (node.type) {
    case 'WhileStatement':
      return writeWhile(node, labels, rewriter);
    case 'DoWhileStatement':
      open(node, 'loop', labels, rewriter);
      rewriter.write(node, 'isLate: true, test: () => (', node.test, '), body: ');
      writeBody(node.body, rewriter);
      return rewriter.output.write(' };', node);
    case 'ForStatement':
      return writeFor(node, labels, rewriter);
    case 'ForOfStatement':
    case 'ForInStatement':
      return writeEach(node, labels, rewriter);
    default:
      throw new Error(`yield in a ${node.type}`);
  }
}

function open(node: AnyNode, op: string, labels: readonly string[], rewriter: Rewriter): void {
  rewriter.output.write(`return { op: '${op}', labels: ${JSON.stringify(labels)}, `, node);
}

function writeWhile(node: Loop<'WhileStatement'>, labels: readonly string[], rewriter: Rewriter): void {
  open(node, 'loop', labels, rewriter);
  if (hasYield(node.test)) {
    rewriter.output.write('body: () => [', node);
    writeStops(node.test, rewriter);
    rewriter.write(node, '() => { if (!(', node.test, ")) return { op: 'break' }; }, ");
    writeBody(node.body, rewriter);
    return rewriter.output.write('] };', node);
  }
  rewriter.write(node, 'test: () => (', node.test, '), body: ');
  writeBody(node.body, rewriter);
  rewriter.output.write(' };', node);
}

function writeFor(node: Loop<'ForStatement'>, labels: readonly string[], rewriter: Rewriter): void {
  const { init, test, update, body } = node;
  if (init?.type === 'VariableDeclaration') rewriter.write(node, '{ ', init, '; ');
  else if (init) rewriter.write(node, '{ (', init, '); ');
  open(node, 'loop', labels, rewriter);
  const names = turnNames(node).join(', ');
  if (names !== '') rewriter.output.write(`init: [${names}], turn: (${names}) => ({ names: () => [${names}], `, node);
  if (test) rewriter.write(node, 'test: () => (', test, '), ');
  if (update) rewriter.write(node, 'update: () => { (', update, '); }, ');
  rewriter.output.write('body: ', node);
  writeBody(body, rewriter);
  rewriter.output.write(`${names === '' ? '' : ' })'} };${init ? ' }' : ''}`, node);
}

/** Each turn has variables of its own, which a function may keep. */
function turnNames({ init, test, update, body }: Loop<'ForStatement'>): string[] {
  if (init?.type !== 'VariableDeclaration' || init.kind !== 'let' || !hasFunction(test, update, body)) return [];
  const names = new Set<string>();
  for (const { id } of init.declarations) bindingNames(id, names);
  return [...names];
}

function writeEach(
  node: Loop<'ForOfStatement'> | Loop<'ForInStatement'>,
  labels: readonly string[],
  rewriter: Rewriter,
): void {
  open(node, 'each', labels, rewriter);
  if (node.type === 'ForOfStatement') rewriter.write(node, 'values: ', node.right);
  else {
    rewriter.write(node, 'values: (() => { const names = []; for (const name in ', node.right);
    rewriter.output.write(') names.push(name); return names; })()', node);
  }
  const value = rewriter.name();
  rewriter.output.write(`, body: (${value}) => { `, node);
  const { left } = node;
  if (left.type === 'VariableDeclaration') {
    const [declarator] = left.declarations;
    const target = declarator?.id as AnyNode;
    rewriter.write(node, left.kind === 'var' ? '(' : `${left.kind} `);
    if (left.kind === 'var') rewriter.write(node, left, ` = ${value}); `);
    else rewriter.write(node, ...declarationOf(target, value, rewriter), '; ');
  } else rewriter.write(node, '(', left, ` = ${value}); `);
  // A block of its own may declare the name of the loop's variable again.
  writeBlock(node.body, rewriter);
  rewriter.output.write(' } };', node);
}
