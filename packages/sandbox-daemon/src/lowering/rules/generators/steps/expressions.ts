import type { Rewriter } from '../../../rewriter.ts';
import { isFunction, type AnyNode } from '../../../syntax.ts';
import { hasYield } from './yields.ts';

/**
 * Writes the steps that come before `node` can be evaluated without a stop: one for each `yield` in it, whose value is in
 * a variable after it, and one for each operand that is evaluated before a `yield`.
 *
 *     log.push(a, yield b)   →   () => { t = log; }, () => { u = a; }, () => ({ op: 'yield', value: b, set: … }), …
 *                                and t.push(u, v)
 */
export function writeStops(node: AnyNode, rewriter: Rewriter): void {
  if (!hasYield(node)) return;
  switch (node.type) {
    case 'YieldExpression':
      return writeYield(node, rewriter);
    case 'LogicalExpression':
    case 'ConditionalExpression':
      return writeChoice(node, rewriter);
    case 'AssignmentExpression':
      return writeAssigned(node, rewriter);
    default:
      writeOperands(operandsOf(node), rewriter);
  }
}

function writeYield(node: Yield, rewriter: Rewriter): void {
  if (node.argument) writeStops(node.argument, rewriter);
  rewriter.output.write('() => (', node);
  const name = rewriter.temporary();
  writeStop(node, rewriter, name);
  rewriter.substitute(node, name);
  rewriter.output.write('), ', node);
}

type Yield = AnyNode & { type: 'YieldExpression' };

/** Writes what a step gives for the generator to stop; `name` is the variable for what it is given then. */
export function writeStop(node: Yield, rewriter: Rewriter, name?: string): void {
  const { argument, delegate } = node;
  rewriter.write(node, delegate ? "{ op: 'all', values: " : "{ op: 'yield', value: ", argument ?? 'undefined');
  rewriter.output.write(name === undefined ? ' }' : `, set: (value) => { ${name} = value; } }`, node);
}

/** What is behind the operator is evaluated only if the rest of it says so. */
function writeChoice(
  node: AnyNode & { type: 'LogicalExpression' | 'ConditionalExpression' },
  rewriter: Rewriter,
): void {
  const name = rewriter.temporary();
  const first = node.type === 'ConditionalExpression' ? node.test : node.left;
  writeStops(first, rewriter);
  rewriter.write(node, `() => { ${name} = `, first, '; ');
  if (node.type === 'LogicalExpression') {
    const goesOn = { '&&': name, '||': `!${name}`, '??': `${name} === null || ${name} === undefined` }[node.operator];
    rewriter.output.write(`if (${goesOn}) `, node);
    writeBranch(node.right, name, rewriter);
  } else {
    rewriter.output.write(`if (${name}) `, node);
    writeBranch(node.consequent, name, rewriter);
    writeBranch(node.alternate, name, rewriter);
  }
  rewriter.output.write('}, ', node);
  rewriter.substitute(node, name);
}

function writeBranch(node: AnyNode, name: string, rewriter: Rewriter): void {
  rewriter.output.write('return [', node);
  writeStops(node, rewriter);
  rewriter.write(node, `() => { ${name} = `, node, '; }]; ');
}

/** `total += yield` adds to what `total` was before. */
function writeAssigned(node: AnyNode & { type: 'AssignmentExpression' }, rewriter: Rewriter): void {
  if (node.operator === '=') return writeOperands(operandsOf(node), rewriter);
  const before = rewriter.temporary();
  rewriter.write(node, `() => { ${before} = `, node.left, '; }, ');
  writeStops(node.right, rewriter);
  rewriter.write(node, '() => { ', node.left, ` = ${before}; }, `);
}

/** What is evaluated for `node`, in its order. */
function operandsOf(node: AnyNode): AnyNode[] {
  switch (node.type) {
    case 'BinaryExpression':
      return [node.left, node.right];
    case 'CallExpression':
      return [
        ...(node.callee.type === 'MemberExpression' ? operandsOf(node.callee) : [node.callee]),
        ...node.arguments,
      ];
    case 'NewExpression':
      return [node.callee, ...node.arguments];
    case 'MemberExpression':
      return node.computed ? [node.object, node.property] : [node.object];
    case 'AssignmentExpression':
      return [...(node.left.type === 'MemberExpression' ? operandsOf(node.left) : []), node.right];
    case 'ArrayExpression':
      return node.elements.filter((element) => element !== null);
    case 'ObjectExpression':
      return node.properties.flatMap((property) => {
        if (property.type === 'SpreadElement') return [property.argument];
        return property.computed ? [property.key, property.value] : [property.value];
      });
    case 'TemplateLiteral':
    case 'SequenceExpression':
      return [...node.expressions];
    case 'ParenthesizedExpression':
      return [node.expression];
    case 'UnaryExpression':
    case 'SpreadElement':
      return [node.argument];
    default:
      return [];
  }
}

function writeOperands(operands: readonly AnyNode[], rewriter: Rewriter): void {
  const last = operands.findLastIndex(hasYield);
  for (const [at, operand] of operands.slice(0, last + 1).entries()) {
    writeStops(operand, rewriter);
    if (at < last && !staysTheSame(operand, rewriter)) save(operand, rewriter);
  }
}

function staysTheSame(node: AnyNode, rewriter: Rewriter): boolean {
  if (node.type === 'Identifier') return !rewriter.facts.declared.has(node.name);
  // Its value is in a variable that nothing else changes.
  if (node.type === 'YieldExpression') return true;
  return ['Literal', 'ThisExpression', 'Super'].includes(node.type) || isFunction(node);
}

function save(node: AnyNode, rewriter: Rewriter): void {
  const name = rewriter.temporary();
  const isSpread = node.type === 'SpreadElement';
  const items = isSpread ? `${rewriter.helper('items')}(` : '';
  rewriter.write(node, `() => { ${name} = ${items}`, isSpread ? node.argument : node, isSpread ? '); }, ' : '; }, ');
  rewriter.substitute(node, isSpread ? `...${name}` : name);
}
