import type { ForOfStatement } from 'acorn';
import type { Rewriter } from '../../rewriter.ts';
import type { Rule } from '../../rule.ts';
import { bindingNames, isFunction, type AnyNode } from '../../syntax.ts';
import { mayGenerate } from './consumers.ts';

export const generatorLoop: Rule = {
  id: 'generator-loop',
  on: ['ForOfStatement'],
  rewrite(node, rewriter) {
    if (
      node.type !== 'ForOfStatement' ||
      !rewriter.facts.hasGenerators ||
      node.await ||
      !mayGenerate(node.right, rewriter.facts)
    )
      return false;
    // The value of a script may be that of its last loop.
    const around = rewriter.ancestors.at(-1);
    const isLast = around?.type === 'Program' && around.body.at(-1) === node;
    const ends = isLast ? undefined : endsOf(node, rewriter.scope.type !== 'Program' && rewriter.scope.async);
    if (ends === undefined) {
      // Its body cannot become a function: then all values are made before it begins.
      rewriter.output.copy(node.start, node.left.start);
      rewriter.write(node, node.left);
      rewriter.output.copy(node.left.end, node.right.start);
      rewriter.write(node, `${rewriter.helper('list')}(`, node.right, ')');
      rewriter.output.copy(node.right.end, node.body.start);
      rewriter.write(node, node.body);
      return true;
    }
    writeLoop(node, rewriter, ends);
    return true;
  },
};

/** What leaves the body of a loop; `undefined` for what no function body can do. */
interface Ends {
  breaks: Set<AnyNode>;
  continues: Set<AnyNode>;
  returns: Set<AnyNode>;
}

/** @param isAsync `yield` waits in the function around it */
function endsOf(loop: ForOfStatement, isAsync: boolean): Ends | undefined {
  const ends: Ends = { breaks: new Set(), continues: new Set(), returns: new Set() };
  let isPossible = loop.left.type === 'VariableDeclaration' && loop.left.kind !== 'var';
  const names = new Set<string>();
  if (loop.left.type === 'VariableDeclaration' && loop.left.kind === 'const') {
    for (const { id } of loop.left.declarations) bindingNames(id, names);
  }
  const visit = (node: AnyNode, inLoop: boolean, inSwitch: boolean): void => {
    if (isFunction(node)) return;
    if (node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await)) isPossible = false;
    if (isAsync && node.type === 'YieldExpression') isPossible = false;
    // The loop's constant becomes a parameter, which could be assigned without an error.
    if (node.type === 'AssignmentExpression' || node.type === 'UpdateExpression') {
      const target = node.type === 'AssignmentExpression' ? node.left : node.argument;
      if (target.type === 'Identifier' && names.has(target.name)) isPossible = false;
    }
    if (node.type === 'BreakStatement' || node.type === 'ContinueStatement') {
      if (node.label) isPossible = false;
      else if (node.type === 'BreakStatement' && !inLoop && !inSwitch) ends.breaks.add(node);
      else if (node.type === 'ContinueStatement' && !inLoop) ends.continues.add(node);
    }
    if (node.type === 'ReturnStatement') ends.returns.add(node);
    const loops = /^(?:For|While|DoWhile)/.test(node.type) || inLoop;
    const switches = node.type === 'SwitchStatement' || inSwitch;
    for (const value of Object.values(node) as unknown[]) {
      for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
        if (typeof child === 'object' && child !== null && 'type' in child) visit(child as AnyNode, loops, switches);
      }
    }
  };
  visit(loop.body, false, false);
  return isPossible ? ends : undefined;
}

function writeLoop(node: ForOfStatement, rewriter: Rewriter, { breaks, continues, returns }: Ends): void {
  if (node.left.type !== 'VariableDeclaration') return;
  const [declarator] = node.left.declarations;
  if (declarator === undefined) return;
  for (const one of breaks) rewriter.substitute(one, 'return __ms_break;');
  for (const one of continues) rewriter.substitute(one, 'return;');
  const isReturning = returns.size > 0;
  const left = isReturning ? rewriter.temporary() : '';
  // A loop around this one hands on what is returned, for the function around both to take out.
  const isInner = [...returns].some((one) => rewriter.isMarkedReturn(one));
  if (isReturning) rewriter.output.write(`${left} = `, node);
  for (const one of returns) rewriter.markReturn(one);
  rewriter.write(node, `${rewriter.helper('each')}(`, node.right, ', (', declarator.id, ') => ');
  if (node.body.type === 'BlockStatement') rewriter.write(node, node.body);
  else rewriter.write(node, '{ ', node.body, ' }');
  rewriter.output.write(');', node);
  if (isReturning)
    rewriter.output.write(` if (${left} !== undefined) return ${isInner ? left : `${left}.value`};`, node);
}

export const returnInLoop: Rule = {
  id: 'generator-return',
  on: ['ReturnStatement'],
  rewrite(node, rewriter) {
    if (node.type !== 'ReturnStatement' || !rewriter.isMarkedReturn(node)) return false;
    if (node.argument) rewriter.write(node, 'return { value: ', node.argument, ' };');
    else rewriter.output.write('return { value: undefined };', node);
    return true;
  },
};
