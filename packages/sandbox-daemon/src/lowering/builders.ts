import type { Program } from 'acorn';
import { childrenOf, isFunction, isReference, methodCall, unwrap, type AnyNode } from './syntax.ts';

/** Methods of texts that give a text. */
const textMethods = new Set([
  ...['slice', 'substring', 'trim', 'trimStart', 'trimEnd', 'replace', 'replaceAll', 'toLowerCase', 'toUpperCase'],
  ...['padStart', 'padEnd', 'repeat'],
]);

interface Candidate {
  declarations: number;
  appends: number;
  inLoop: boolean;
  isSound: boolean;
}

/**
 * Names of variables that are nothing but texts to which more is added in a loop: declared once, with a text, and only
 * read or added to after that.
 */
export function findBuilders(program: Program): ReadonlySet<string> {
  const found = new Map<string, Candidate>();
  const of = (name: string): Candidate => {
    let candidate = found.get(name);
    if (candidate === undefined) {
      candidate = { declarations: 0, appends: 0, inLoop: false, isSound: true };
      found.set(name, candidate);
    }
    return candidate;
  };
  const last = program.body.at(-1);
  const visit = (node: AnyNode, above: readonly AnyNode[]): void => {
    if (node.type === 'Identifier') {
      const parent = above.at(-1);
      if (isReference(node, parent) || parent?.type === 'Property') look(node, above, of(node.name), last);
      return;
    }
    const inside = [...above, node];
    for (const child of childrenOf(node)) visit(child, inside);
  };
  visit(program, []);
  return new Set(
    [...found]
      .filter(
        ([, { declarations, appends, inLoop, isSound }]) => declarations === 1 && appends > 0 && inLoop && isSound,
      )
      .map(([name]) => name),
  );
}

function look(node: AnyNode & { type: 'Identifier' }, above: readonly AnyNode[], it: Candidate, last?: AnyNode): void {
  const parent = above.at(-1);
  switch (parent?.type) {
    case 'VariableDeclarator':
      if (parent.id !== node) return;
      it.declarations++;
      if (!isDeclaredWithText(parent, above)) it.isSound = false;
      return;
    case 'AssignmentExpression':
      if (parent.left !== node) return;
      if (parent.operator === '+=' && isAppend(parent, above, last)) {
        it.appends++;
        it.inLoop ||= above.some((outer) => isFunction(outer) || /^(?:For|While|DoWhile)/.test(outer.type));
        if (mayAppend(parent.right)) it.isSound = false;
      } else if (parent.operator !== '=' || !isText(parent.right, node.name) || !isStatement(above)) it.isSound = false;
      return;
    case 'Property':
      if (parent.shorthand || (parent.value === node && above.at(-2)?.type === 'ObjectPattern')) it.isSound = false;
      return;
    case 'UpdateExpression':
    case 'ArrayPattern':
    case 'AssignmentPattern':
    case 'RestElement':
    case 'CatchClause':
    case 'ForInStatement':
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
    case 'ClassDeclaration':
    case 'ClassExpression':
      if (!(parent.type === 'ArrowFunctionExpression' && parent.body === node)) it.isSound = false;
      return;
    case 'ForOfStatement':
      if (parent.left === node) it.isSound = false;
      return;
    default:
  }
}

function isDeclaredWithText(declarator: AnyNode, above: readonly AnyNode[]): boolean {
  const declaration = above.at(-2);
  const place = above.at(-3)?.type ?? '';
  return (
    declarator.type === 'VariableDeclarator' &&
    declaration?.type === 'VariableDeclaration' &&
    declaration.kind === 'let' &&
    ['Program', 'BlockStatement'].includes(place) &&
    isLiteralText(declarator.init ?? undefined)
  );
}

/** Whether nothing uses its value: neither the code around it nor, as the last statement, the script's result. */
function isAppend(node: AnyNode, above: readonly AnyNode[], last: AnyNode | undefined): boolean {
  if (!isStatement(above)) return false;
  const isInLast = last !== undefined && above.includes(last);
  return !isInLast || above.some(isFunction) || node === undefined;
}

function isStatement(above: readonly AnyNode[]): boolean {
  return above.at(-2)?.type === 'ExpressionStatement';
}

function isLiteralText(node: AnyNode | undefined): boolean {
  return node?.type === 'TemplateLiteral' || (node?.type === 'Literal' && typeof node.value === 'string');
}

function isText(node: AnyNode, name: string): boolean {
  const inner = unwrap(node);
  const call = methodCall(inner);
  return (
    isLiteralText(inner) ||
    (call?.object.type === 'Identifier' && call.object.name === name && textMethods.has(call.name))
  );
}

/** Whether a value may add to the text itself while it is made: JavaScript has read the text by then. */
function mayAppend(node: AnyNode): boolean {
  if (isFunction(node) || node.type === 'AssignmentExpression' || node.type === 'AwaitExpression') return true;
  if (node.type === 'YieldExpression' || node.type === 'NewExpression') return true;
  // A function of the script may do anything; one of the library, and a method of a value, do not know the variable.
  if (node.type === 'CallExpression' && node.callee.type === 'Identifier' && !known.has(node.callee.name)) return true;
  return childrenOf(node).some(mayAppend);
}

const known = new Set(['String', 'Number', 'parseInt', 'parseFloat', 'Boolean', 'encodeURIComponent']);
