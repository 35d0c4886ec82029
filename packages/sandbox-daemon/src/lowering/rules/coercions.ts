import type { BinaryExpression } from 'acorn';
import type { Facts } from '../facts.ts';
import type { Methods, Rule } from '../rule.ts';
import { isNumeric } from '../numbers.ts';
import type { Rewriter } from '../rewriter.ts';
import { isFunction, methodCall, unwrap, walk, type AnyNode } from '../syntax.ts';

/**
 * The engine refuses to make a number of a Date, an array or an object, and asks no object for its own `toString` and
 * `valueOf`. In scripts that have dates or such methods, operands that may be objects go through a helper.
 *
 *     end - start      →   __ms_num(end) - __ms_num(start)
 *     'a' + box        →   'a' + __ms_prim(box)          where some object has its own toString
 *     String(box)      →   __ms_text(box)                likewise
 *
 * An object with a field `name` or `message` the engine makes a text of as if it were an error: `String({ name: 'a' })`
 * is `a`. Where there may be such objects, texts of them go through the same helpers.
 */
export const needsNumbers = ({ hasOwnCoercion, references, members }: Facts): boolean =>
  hasOwnCoercion || references.has('Date') || members.has('getTime');

const onNumbers = new Set(['-', '*', '/', '%', '**', '&', '|', '^', '<<', '>>', '>>>', '<', '>', '<=', '>=']);

function writeOperand(node: AnyNode, parent: AnyNode, helper: string, rewriter: Rewriter): void {
  if (isPlain(node, rewriter.facts)) return rewriter.write(parent, node);
  if (helper === 'num') return rewriter.write(parent, `${rewriter.helper(helper)}(`, node, ')');
  rewriter.write(parent, '(', ...whereObject(node, helper, rewriter), ')');
}

const changing = new Set(['CallExpression', 'AssignmentExpression', 'UpdateExpression', 'TaggedTemplateExpression']);

/** Whether evaluating this may change an object that stands on the left. A function that is not called does not. */
function mayChange(node: AnyNode): boolean {
  let found = false;
  walk(node, ({ type }) => (found ||= changing.has(type)), isFunction);
  return found;
}

/** JavaScript evaluates both sides before it makes a number or a text of the first. */
function writeAfterBoth(node: BinaryExpression, helper: string, rewriter: Rewriter): void {
  const [one, other] = [rewriter.temporary(), rewriter.temporary()];
  const made = (name: string): string =>
    helper === 'num'
      ? `${rewriter.helper(helper)}(${name})`
      : `(typeof ${name} === 'object' ? ${rewriter.helper(helper)}(${name}) : ${name})`;
  rewriter.write(node, `(${one} = (`, node.left, `), ${other} = (`, node.right, '), ');
  rewriter.output.write(`${made(one)} ${node.operator} ${made(other)})`, node);
}

/** Asks the helper only where the value is an object: most are not, and a call costs more than the question. */
export function whereObject(node: AnyNode, helper: string, rewriter: Rewriter): (string | AnyNode)[] {
  const name = rewriter.helper(helper);
  if (node.type === 'Identifier') return ['typeof ', node, ` === 'object' ? ${name}(`, node, ') : ', node];
  const kept = rewriter.temporary();
  return [`typeof (${kept} = (`, node, `)) === 'object' ? ${name}(${kept}) : ${kept}`];
}

function isPlain(node: AnyNode, { numeric }: Facts): boolean {
  const inner = unwrap(node);
  return inner.type === 'Literal' || inner.type === 'TemplateLiteral' || isNumeric(inner, numeric);
}

/** Whether the source shows that it is a text. */
export function isTextFor(node: AnyNode): boolean {
  const inner = unwrap(node);
  if (inner.type === 'TemplateLiteral') return true;
  if (inner.type === 'Literal') return typeof inner.value === 'string';
  if (inner.type === 'BinaryExpression' && inner.operator === '+') {
    return isTextFor(inner.left) || isTextFor(inner.right);
  }
  return false;
}

const binary: Rule = {
  id: 'coercion-binary',
  on: ['BinaryExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'BinaryExpression') return false;
    const helper = helperFor(node, rewriter.facts);
    if (helper === undefined) return false;
    const left = node.left as AnyNode;
    if (isPlain(left, rewriter.facts) && isPlain(node.right, rewriter.facts)) return false;
    if (!isPlain(left, rewriter.facts) && mayChange(node.right)) {
      writeAfterBoth(node, helper, rewriter);
      return true;
    }
    writeOperand(left, node, helper, rewriter);
    rewriter.output.copy(left.end, node.right.start);
    writeOperand(node.right, node, helper, rewriter);
    return true;
  },
};

function helperFor({ operator, left, right }: BinaryExpression, facts: Facts): string | undefined {
  if (onNumbers.has(operator)) return needsNumbers(facts) ? 'num' : undefined;
  if (operator === '+') {
    if (facts.hasOwnCoercion || facts.hasNamedObjects) return 'prim';
    // A Date and a text are joined as they should be.
    const isText = (node: AnyNode): boolean => {
      const inner = unwrap(node);
      return inner.type === 'TemplateLiteral' || (inner.type === 'Literal' && typeof inner.value === 'string');
    };
    return facts.references.has('Date') && !isText(left) && !isText(right) ? 'prim' : undefined;
  }
  if (operator !== '==' && operator !== '!=') return undefined;
  const isNull = (node: AnyNode): boolean => node.type === 'Literal' && node.value === null;
  return facts.hasOwnCoercion && !isNull(left) && !isNull(right) ? 'loose' : undefined;
}

const looseEquality: Rule = {
  id: 'coercion-equality',
  on: ['BinaryExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'BinaryExpression' || helperFor(node, rewriter.facts) !== 'loose') return false;
    const not = node.operator === '!=' ? '!' : '';
    rewriter.write(node, `${not}${rewriter.helper('loose')}(`, node.left, ', ', node.right, ')');
    return true;
  },
};

const unary: Rule = {
  id: 'coercion-unary',
  on: ['UnaryExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'UnaryExpression' || !['+', '-', '~'].includes(node.operator)) return false;
    if (isPlain(node.argument, rewriter.facts)) return false;
    // Without a Date in sight, `+x` of an object is rare enough to be left to the engine's refusal.
    if (!needsNumbers(rewriter.facts)) return false;
    rewriter.write(node, `${node.operator}${rewriter.helper('num')}(`, node.argument, ')');
    return true;
  },
};

const assignment: Rule = {
  id: 'coercion-assignment',
  on: ['AssignmentExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'AssignmentExpression') return false;
    const { operator, left, right } = node;
    const isJoining = operator === '+=' && (rewriter.facts.hasOwnCoercion || rewriter.facts.hasNamedObjects);
    if (!isJoining && !(needsNumbers(rewriter.facts) && onNumbers.has(operator.slice(0, -1)))) return false;
    if (operator.endsWith('&&=') || operator.endsWith('||=') || operator === '??=' || operator === '=') return false;
    if (
      isJoining &&
      left.type === 'Identifier' &&
      rewriter.facts.hasOwnCoercion &&
      !isNumeric(left, rewriter.facts.numeric)
    ) {
      // An object may stand on the left as well.
      rewriter.write(node, `${left.name} = (`, ...whereObject(left, 'prim', rewriter), ') + (');
      rewriter.write(node, ...(isPlain(right, rewriter.facts) ? [right] : whereObject(right, 'prim', rewriter)), ')');
      return true;
    }
    if (isPlain(right, rewriter.facts)) return false;
    rewriter.write(node, left);
    rewriter.output.copy(left.end, right.start);
    if (isJoining) rewriter.write(node, ...whereObject(right, 'prim', rewriter));
    else rewriter.write(node, `${rewriter.helper('num')}(`, right, ')');
    return true;
  },
};

const texts: Rule = {
  id: 'coercion-text',
  on: ['TemplateLiteral', 'CallExpression'],
  rewrite(node, rewriter) {
    if (!rewriter.facts.hasOwnCoercion && !rewriter.facts.hasNamedObjects) return false;
    if (node.type === 'TemplateLiteral') {
      const parent = rewriter.ancestors.at(-1);
      if (parent?.type === 'TaggedTemplateExpression' && parent.quasi === node) return false;
      if (node.expressions.every((expression) => isPlain(expression, rewriter.facts))) return false;
      rewriter.output.write("`${''}", node);
      let at = node.start + 1;
      for (const expression of node.expressions) {
        rewriter.output.copy(at, expression.start);
        if (isPlain(expression, rewriter.facts)) rewriter.write(node, expression);
        else rewriter.write(node, ...whereObject(expression, 'text', rewriter));
        at = expression.end;
      }
      rewriter.output.copy(at, node.end);
      return true;
    }
    if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== 'String')
      return false;
    if (node.arguments.length !== 1 || rewriter.facts.declared.has('String')) return false;
    rewriter.write(node, `${rewriter.helper('text')}(`, node.arguments[0] as AnyNode, ')');
    return true;
  },
};

export const coercions: Rule[] = [looseEquality, binary, unary, assignment, texts];

/** `list.map(String)` */
export const textFunction: Rule = {
  id: 'coercion-function',
  on: ['Identifier'],
  rewrite(node, rewriter) {
    const { facts, ancestors } = rewriter;
    if (node.type !== 'Identifier' || node.name !== 'String' || facts.declared.has('String')) return false;
    const parent = ancestors.at(-1);
    if (parent?.type !== 'CallExpression' || parent.callee === node) return false;
    if (!facts.hasOwnCoercion && !facts.hasNamedObjects) return false;
    rewriter.output.write(rewriter.helper('text'), node);
    return true;
  },
};

const lists = new Set(['split', 'keys', 'match']);

/** `[{ name: 'a' }].join()` */
export const joins: Methods = {
  id: 'joins',
  names: new Set(['join', 'concat', 'toString']),
  helperFor: ({ name, object, args }, { hasOwnCoercion, hasNamedObjects }) => {
    if (name === 'toString') return (hasOwnCoercion || hasNamedObjects) && args.length === 0 ? 'listText' : undefined;
    if (name === 'concat')
      return (hasOwnCoercion || hasNamedObjects) && object.type !== 'ArrayExpression' ? 'concat' : undefined;
    if (!(hasOwnCoercion || hasNamedObjects) || args.length > 1 || args[0]?.type === 'SpreadElement') return undefined;
    const call = methodCall(unwrap(object));
    if (call !== undefined && lists.has(call.name)) return undefined;
    return 'join';
  },
};
