import type { AnyNode } from 'acorn';
import { isFunction, isLoop, methodCall, nodesIn, type Visit } from '../program.ts';

/**
 * Whether a loop seems to have no end. It has no `break`, `return` or `throw`, and its condition is always true or
 * depends only on variables that the loop never changes.
 */
export function isEndless({ node }: Visit): boolean {
  if (node.type !== 'WhileStatement' && node.type !== 'ForStatement' && node.type !== 'DoWhileStatement') return false;
  const body = node.body as AnyNode;
  if (canLeave(body, false)) return false;
  const test = node.test as AnyNode | null | undefined;
  if (!test || (test.type === 'Literal' && Boolean(test.value))) return true;
  const update = node.type === 'ForStatement' ? (node.update as AnyNode | null | undefined) : undefined;
  return isFixed(test, [body, test, ...(update ? [update] : [])]);
}

function canLeave(node: AnyNode, nested: boolean): boolean {
  if (node.type === 'ReturnStatement' || node.type === 'ThrowStatement') return true;
  if (node.type === 'BreakStatement') return !nested || Boolean(node.label);
  if (isFunction(node)) return false;
  const inside = nested || isLoop(node) || node.type === 'SwitchStatement';
  return nodesIn(node).some((child) => canLeave(child, inside));
}

/** Whether no name in `test` can change in `parts`. A call may change what is declared outside of its function. */
function isFixed(test: AnyNode, parts: AnyNode[]): boolean {
  const names = new Set(deep(test).flatMap((node) => (node.type === 'Identifier' ? [node.name] : [])));
  return parts.flatMap(deep).every((node) => !mayChange(node, names));
}

function mayChange(node: AnyNode, names: ReadonlySet<string>): boolean {
  if (node.type === 'AssignmentExpression') return touches(node.left, names);
  if (node.type === 'UpdateExpression') return touches(node.argument, names);
  if (node.type === 'AwaitExpression' || node.type === 'NewExpression') return true;
  if (node.type !== 'CallExpression') return false;
  const call = methodCall(node);
  // A method may change its object, and its callbacks may change more. A function of the script may change anything.
  return call === undefined || touches(call.object, names) || node.arguments.some((argument) => isFunction(argument));
}

function touches(node: AnyNode, names: ReadonlySet<string>): boolean {
  return deep(node).some((part) => part.type === 'Identifier' && names.has(part.name));
}

function deep(node: AnyNode): AnyNode[] {
  return [node, ...nodesIn(node).flatMap(deep)];
}
