import { isBuiltinName } from '@mustard-sandbox/client';
import type { AnyNode } from 'acorn';
import type { Failure } from './failure.ts';
import { lineOf, methodCall, type Program } from './program.ts';

const mayGiveNothing = new Set(['match', 'exec', 'find', 'findLast', 'pop', 'shift', 'at', 'get']);
const maxLines = 3;

/** When the engine names no line: the lines of the failing function that can cause this kind of failure. */
export function suspicionOf({ error, program, context }: Failure): string {
  const { construct, location } = error.details;
  if (program === undefined || location?.precision !== 'function' || location.line === location.endLine) return '';
  const suspects = suspectsOf(String(construct), program).filter(
    (line) => line >= location.line && line <= location.endLine,
  );
  const lines = [...new Set(suspects)].slice(0, maxLines);
  if (lines.length === 0) return '';
  const texts = context.script.split('\n');
  const shown = lines.map((line) => `line ${line}, \`${(texts[line - 1] ?? '').trim().slice(0, 80)}\``);
  return ` It may be ${shown.join('; or ')}.`;
}

function suspectsOf(construct: string, program: Program): number[] {
  switch (construct) {
    case 'nullish_access':
      return nullishSuspects(program);
    case 'user_constructor':
      return linesOf(
        program,
        (node) =>
          node.type === 'NewExpression' && node.callee.type === 'Identifier' && declares(program, node.callee.name),
      );
    case 'not_callable':
      return linesOf(program, (node) => ['length', 'size'].includes(methodCall(node)?.name ?? ''));
    case 'call_in_callback':
      return linesOf(program, isSandboxCall);
    default:
      return [];
  }
}

function linesOf(program: Program, accepts: (node: AnyNode) => boolean): number[] {
  return program.visits.filter(({ node }) => accepts(node)).map(({ node }) => lineOf(node));
}

/** A property read directly of what `match` and the like gave, in place or through a constant. */
function nullishSuspects(program: Program): number[] {
  const unsure = new Set<string>();
  for (const { node } of program.visits) {
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init && givesNothing(node.init))
      unsure.add(node.id.name);
  }
  return linesOf(program, (node) => {
    if (node.type !== 'MemberExpression' || node.optional) return false;
    const object = node.object as AnyNode;
    return givesNothing(object) || (object.type === 'Identifier' && unsure.has(object.name)) || isPart(object);
  });
}

function givesNothing(node: AnyNode): boolean {
  return mayGiveNothing.has(methodCall(node)?.name ?? '');
}

/** `line.split(' ')[2]`: there may be fewer parts. */
function isPart(node: AnyNode): boolean {
  return node.type === 'MemberExpression' && node.computed && methodCall(node.object)?.name === 'split';
}

function declares(program: Program, name: string): boolean {
  return program.some(
    (node) =>
      (node.type === 'FunctionDeclaration' && node.id?.name === name) ||
      (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.id.name === name),
  );
}

function isSandboxCall(node: AnyNode): boolean {
  if (node.type !== 'CallExpression') return false;
  if (node.callee.type === 'Identifier') return isBuiltinName(node.callee.name);
  return (
    node.callee.type === 'MemberExpression' &&
    node.callee.object.type === 'Identifier' &&
    node.callee.object.name === 'console'
  );
}
