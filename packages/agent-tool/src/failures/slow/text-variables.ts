import { builtins, isBuiltinName } from '@mustard-sandbox/client';
import type { AnyNode } from 'acorn';
import { methodCall, type Program } from '../program.ts';

const keepsText = new Set(
  'trim trimStart trimEnd toLowerCase toUpperCase replace replaceAll padStart padEnd repeat slice substring concat'.split(
    ' ',
  ),
);

/**
 * The variables that hold only strings, judged by their assignments: a text read from a file, a literal, or the result
 * of a string method. Scopes are ignored: a name that also holds another value anywhere is left out.
 */
export function textVariables(program: Program): ReadonlySet<string> {
  const assigned = new Map<string, AnyNode[]>();
  for (const { node } of program.visits) {
    const [target, value] = assignment(node);
    if (target?.type === 'Identifier' && value)
      assigned.set(target.name, [...(assigned.get(target.name) ?? []), value]);
  }
  const texts = new Set<string>();
  // Each round follows one more step from variable to variable.
  for (let before = -1; texts.size !== before;) {
    before = texts.size;
    for (const [name, values] of assigned) {
      const own = new Set([...texts, name]);
      if (values.some((value) => isText(value, texts)) && values.every((value) => isText(value, own))) texts.add(name);
    }
  }
  return texts;
}

function assignment(node: AnyNode): [AnyNode?, (AnyNode | null)?] {
  if (node.type === 'VariableDeclarator') return [node.id, node.init as AnyNode | null];
  if (node.type === 'AssignmentExpression' && node.operator === '=') return [node.left, node.right];
  return [];
}

/** Whether an expression is a string for sure. */
export function isText(node: AnyNode, texts: ReadonlySet<string>): boolean {
  if (node.type === 'Literal') return typeof node.value === 'string';
  if (node.type === 'TemplateLiteral') return true;
  if (node.type === 'Identifier') return texts.has(node.name);
  if (node.type === 'AwaitExpression') return isText(node.argument, texts);
  if (node.type === 'ConditionalExpression') return isText(node.consequent, texts) && isText(node.alternate, texts);
  if (node.type === 'BinaryExpression') {
    return node.operator === '+' && (isText(node.left, texts) || isText(node.right, texts));
  }
  return node.type === 'CallExpression' && givesText(node, texts);
}

function givesText(node: AnyNode & { type: 'CallExpression' }, texts: ReadonlySet<string>): boolean {
  if (node.callee.type === 'Identifier') return node.callee.name === 'String' || isTextBuiltin(node.callee.name);
  const call = methodCall(node);
  if (call?.name === 'join' || call?.name === 'toString') return true;
  return call !== undefined && keepsText.has(call.name) && isText(call.object, texts);
}

function isTextBuiltin(name: string): boolean {
  return isBuiltinName(name) && builtins[name].declaration.endsWith('): string;');
}
