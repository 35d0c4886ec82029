import type { Rewriter } from '../../../rewriter.ts';
import { childrenOf, isFunction, type AnyNode } from '../../../syntax.ts';

/** What leads out of statements that become a function is given back by it. */
export function markExits(statement: AnyNode, rewriter: Rewriter): void {
  mark(statement, { isInLoop: false, isInSwitch: false, labels: [] }, rewriter);
}

interface Around {
  isInLoop: boolean;
  isInSwitch: boolean;
  /** Labels that stand in the statement itself. */
  labels: readonly string[];
}

function mark(node: AnyNode, around: Around, rewriter: Rewriter): void {
  if (isFunction(node)) return;
  if (node.type === 'ReturnStatement') rewriter.markReturn(node);
  if (node.type === 'BreakStatement' || node.type === 'ContinueStatement') {
    const isBreak = node.type === 'BreakStatement';
    const isInner = node.label
      ? around.labels.includes(node.label.name)
      : around.isInLoop || (isBreak && around.isInSwitch);
    if (!isInner) rewriter.substitute(node, `return ${exitOf(isBreak, node.label?.name)};`);
    return;
  }
  const within: Around = {
    isInLoop: around.isInLoop || /^(?:For|While|DoWhile)/.test(node.type),
    isInSwitch: around.isInSwitch || node.type === 'SwitchStatement',
    labels: node.type === 'LabeledStatement' ? [...around.labels, node.label.name] : around.labels,
  };
  for (const child of childrenOf(node)) mark(child, within, rewriter);
}

function exitOf(isBreak: boolean, label: string | undefined): string {
  const op = isBreak ? "op: 'break'" : "op: 'continue'";
  return label === undefined ? `{ ${op} }` : `{ ${op}, label: '${label}' }`;
}
