import type { CallExpression } from 'acorn';
import type { Helper } from '../helper.ts';
import { isIndex, isNumeric } from '../numbers.ts';
import type { Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { methodCall, unwrap, type AnyNode } from '../syntax.ts';

/**
 * The engine makes another text of some numbers that are keys: `o[1e-7]` is `o['0.0000001']`, `o[1e21]` is
 * `o['9223372036854775807']`. A key that may be such a number is looked at. Counters and lengths are not.
 *
 *     counts[n]     →   counts[typeof n === 'string' ? n : __ms_key(n)]
 *     { [n]: 1 }    →   { [typeof n === 'string' ? n : __ms_key(n)]: 1 }
 *     o.hasOwnProperty(n)   →   o.hasOwnProperty(typeof n === 'string' ? n : __ms_key(n))
 */
export const propertyKeys: Rule = {
  id: 'property-keys',
  on: ['MemberExpression', 'Property', 'BinaryExpression', 'CallExpression'],
  rewrite(node, rewriter) {
    if (node.type === 'MemberExpression') {
      if (!node.computed || isHarmless(node.property, rewriter) || node.object.type === 'Super') return false;
      rewriter.write(node, node.object);
      rewriter.output.copy(node.object.end, node.property.start);
      rewriter.write(node, ...keyParts(node.property, rewriter));
      rewriter.output.copy(node.property.end, node.end);
      return true;
    }
    if (node.type === 'BinaryExpression') {
      if (node.operator !== 'in' || node.left.type === 'PrivateIdentifier' || isHarmless(node.left, rewriter))
        return false;
      rewriter.write(node, '(', ...keyParts(node.left, rewriter), ') in ', node.right);
      return true;
    }
    if (node.type === 'CallExpression') return rewriteCall(node, rewriter);
    return node.type === 'Property' && rewriteProperty(node, rewriter);
  },
};

/** `Object.hasOwn(o, key)` and `o.hasOwnProperty(key)` */
function rewriteCall(node: CallExpression, rewriter: Rewriter): boolean {
  const call = methodCall(node);
  const isOwn = call?.name === 'hasOwnProperty' && node.arguments.length === 1;
  const isStatic = call?.name === 'hasOwn' && node.arguments.length === 2;
  if (!isOwn && !isStatic) return false;
  if (node.arguments.some(({ type }) => type === 'SpreadElement')) return false;
  const key = node.arguments.at(-1) as AnyNode;
  if (isHarmless(key, rewriter)) return false;
  rewriter.write(node, node.callee, '(');
  if (isStatic) rewriter.write(node, node.arguments[0] as AnyNode, ', ');
  rewriter.write(node, ...keyParts(key, rewriter), ')');
  return true;
}

function rewriteProperty(node: AnyNode & { type: 'Property' }, rewriter: Rewriter): boolean {
  const { key, computed, value } = node;
  if (rewriter.ancestors.at(-1)?.type === 'ObjectPattern' || node.kind !== 'init') return false;
  if (!computed) {
    if (key.type !== 'Literal' || typeof key.value !== 'number' || isPlainNumber(key.value)) return false;
    rewriter.output.write(JSON.stringify(String(key.value)), key);
  } else {
    if (isHarmless(key, rewriter) || node.method) return false;
    rewriter.write(node, '[', ...keyParts(key, rewriter), ']');
  }
  if (!node.method) rewriter.output.write(': ', node);
  rewriter.write(node, value);
  return true;
}

function keyParts(key: AnyNode, rewriter: Rewriter): (string | AnyNode)[] {
  const helper = rewriter.helper('key');
  if (isNumeric(key, rewriter.facts.numeric)) return [`${helper}(`, key, ')'];
  if (key.type === 'Identifier') return ['typeof ', key, " === 'string' ? ", key, ` : ${helper}(`, key, ')'];
  const name = rewriter.temporary();
  return [`typeof (${name} = (`, key, `)) === 'string' ? ${name} : ${helper}(${name})`];
}

/** Whether the source shows that the key is a text, or a number that the engine writes as V8 does. */
function isHarmless(key: AnyNode, { facts }: Rewriter): boolean {
  const inner = unwrap(key);
  if (inner.type === 'TemplateLiteral') return true;
  if (inner.type === 'Literal') return typeof inner.value !== 'number' || isPlainNumber(inner.value);
  if (inner.type === 'BinaryExpression' && inner.operator === '+') {
    const isText = (side: AnyNode): boolean => side.type === 'Literal' && typeof side.value === 'string';
    if (isText(inner.left) || isText(inner.right)) return true;
  }
  return isIndex(inner, facts.indices);
}

function isPlainNumber(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER && (value === 0 || Math.abs(value) >= 1e-6);
}

export const propertyKeyHelpers: Helper[] = [
  {
    name: 'key',
    code: `function __ms_key(key) {
  if (typeof key === 'object') return __ms_text(key);
  if (typeof key !== 'number' || (key <= 9007199254740991 && key >= 0.000001) || key === 0) return key;
  return key <= -0.000001 && key >= -9007199254740991 ? key : String(key);
}`,
  },
];
