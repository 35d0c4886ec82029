import type { Helper } from '../../helper.ts';
import { isIndex, isNumeric } from '../../numbers.ts';
import type { Rewriter } from '../../rewriter.ts';
import type { Rule } from '../../rule.ts';
import { isWritten, iteratorSymbol, memberName, unwrap, type AnyNode } from '../../syntax.ts';
import { hasBytes } from './rules.ts';

/**
 * What a variable names of a typed array is that of a list: `bytes[name]` has a method `push`, and no `byteLength`. A text
 * that is no index of one is refused.
 *
 *     row[name]       →   (t = row, u = name, (typeof u === 'string' && __ms_typed.has(t) ? __ms_named(t, u) : t)[u])
 *     row[name](x)    →   (t = row, u = name, typeof u === 'string' && __ms_typed.has(t) ? __ms_named(t, u) : t)[u](x)
 */
export const typedKeys: Rule = {
  id: 'typed-arrays-keys',
  on: ['MemberExpression'],
  rewrite(node, rewriter) {
    const { facts, ancestors } = rewriter;
    if (node.type !== 'MemberExpression' || !hasBytes(facts) || rewriter.isInside(node)) return false;
    if (!node.computed || memberName(node) !== undefined || isNumber(node.property, rewriter)) return false;
    const { object, property } = node;
    if (object.type === 'Super' || (object.type === 'Identifier' && facts.fixedTexts.has(object.name))) return false;
    if (iteratorSymbol(property, true) !== undefined) return false;
    const at = ancestors.findLastIndex(({ type }) => type !== 'ParenthesizedExpression');
    const parent = ancestors[at];
    if (isWritten(ancestors[at + 1] ?? node, parent) || ancestors.some(({ type }) => type === 'ChainExpression'))
      return false;
    const [it, key] = [rewriter.temporary(), rewriter.temporary()];
    const isTyped = `typeof ${key} === 'string' && __ms_typed.has(${it})`;
    const asked = `${isTyped} ? ${rewriter.helper('named')}(${it}, ${key}) : ${it}`;
    rewriter.write(node, `(${it} = `, object, `, ${key} = `, property, ', ');
    const called = parent?.type === 'CallExpression' ? parent.callee : undefined;
    if (called === (ancestors[at + 1] ?? node) || parent?.type === 'TaggedTemplateExpression') {
      rewriter.output.write(`${asked})[typeof ${key} === 'string' ? ${key} : ${rewriter.helper('key')}(${key})]`, node);
      return true;
    }
    rewriter.substitute(object, `(${asked})`);
    rewriter.substitute(property, key);
    rewriter.inside(node, () => rewriter.emit(node));
    rewriter.output.write(')', node);
    return true;
  },
};

function isNumber(key: AnyNode, { facts }: Rewriter): boolean {
  const inner = unwrap(key);
  return inner.type === 'Literal' || isIndex(inner, facts.indices) || isNumeric(inner, facts.numeric);
}

export const keyHelpers: Helper[] = [
  {
    name: 'named',
    code: `function __ms_named(object, name) {
  if (__ms_typed.has(object) && name !== 'length' && String(Number(name)) !== name) {
    // A call for each text would take three times as long: its caller asks the table first.
    __ms_refuse('a member of a typed array, a DataView or a decoder cannot be named by a variable here: write the name behind a dot');
  }
  return object;
}`,
  },
];
