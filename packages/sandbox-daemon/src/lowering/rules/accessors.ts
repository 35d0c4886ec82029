import { Refusal, type Rewriter } from '../rewriter.ts';
import type { Methods, Rule } from '../rule.ts';
import type { Helper } from '../helper.ts';
import { iteratorSymbol, type AnyNode, type FunctionNode } from '../syntax.ts';

type Property = AnyNode & { type: 'Property' };

/**
 * The engine has no accessors in objects, and no symbols. An accessor becomes a mark in its place and a function in a
 * table beside the object, where those of classes are too; what makes an object iterable goes into another table.
 *
 *     { a: 1, get b() { return 2; } }          →   __ms_accessors({ a: 1, b: __ms_accessor }, { b() { return 2; } }, {})
 *     { *[Symbol.iterator]() { yield 1; } }    →   __ms_iterable({ }, function* () { yield 1; })
 *
 * Nor does it spread anything but objects and lists into an object.
 *
 *     { ...(isBig && { big: 1 }) }             →   { ...__ms_spreadable((isBig && { big: 1 })) }
 */
export const accessors: Rule[] = [
  {
    id: 'accessors',
    on: ['ObjectExpression'],
    rewrite(node, rewriter) {
      if (node.type !== 'ObjectExpression') return false;
      const properties = node.properties.filter(
        (property): property is typeof property & Property => property.type === 'Property',
      );
      const iterators = properties.filter((property) => iteratorSymbol(property.key, property.computed) !== undefined);
      const own = properties.filter(({ kind }) => kind !== 'init');
      if (iterators.length === 0 && own.length === 0) return false;
      for (const { key, computed } of iterators.toReversed()) {
        const helper = iteratorSymbol(key, computed) === 'iterator' ? 'iterable' : 'asyncIterable';
        rewriter.output.write(`${rewriter.helper(helper)}(`, node);
      }
      if (own.length > 0) rewriter.output.write(`${rewriter.helper('accessors')}(`, node);
      writePlainPart(node, iterators, rewriter);
      if (own.length > 0) {
        for (const kind of ['get', 'set']) {
          rewriter.output.write(', { ', node);
          for (const property of own)
            if (property.kind === kind) rewriter.write(node, nameOf(property), property.value, ', ');
          rewriter.output.write('}', node);
        }
        rewriter.output.write(')', node);
      }
      for (const iterator of iterators) {
        const value = iterator.value as FunctionNode;
        rewriter.output.write(', ', iterator);
        // A star stands before the name, and generators become plain functions.
        const async = value.async && !value.generator ? 'async ' : '';
        if (iterator.method) rewriter.output.write(`${async}function `, iterator);
        rewriter.write(node, value, ')');
      }
      return true;
    },
  },
  {
    id: 'accessor-spread',
    on: ['SpreadElement'],
    rewrite(node, rewriter) {
      if (node.type !== 'SpreadElement' || rewriter.ancestors.at(-1)?.type !== 'ObjectExpression') return false;
      if (node.argument.type === 'ObjectExpression') return false;
      const helper = rewriter.facts.hasAccessors ? 'plain' : 'spreadable';
      rewriter.write(node, `...${rewriter.helper(helper)}(`, node.argument, ')');
      return true;
    },
  },
  {
    id: 'iterator-member',
    on: ['MemberExpression', 'CallExpression'],
    rewrite(node, rewriter) {
      const member = node.type === 'CallExpression' ? node.callee : node;
      const symbol = member.type === 'MemberExpression' ? iteratorSymbol(member.property, member.computed) : undefined;
      if (member.type !== 'MemberExpression' || symbol === undefined) return false;
      if (member.optional || (node.type === 'CallExpression' && node.optional)) {
        throw new Refusal(`[Symbol.${symbol}] after ?. is not supported`, node);
      }
      const helper = node.type === 'CallExpression' ? `${symbol}Of` : `${symbol}Method`;
      rewriter.write(node, `${rewriter.helper(helper)}(`, member.object, ')');
      return true;
    },
  },
];

function writePlainPart(
  node: AnyNode & { type: 'ObjectExpression' },
  iterators: readonly Property[],
  rewriter: Rewriter,
): void {
  const marked = new Set<string>();
  rewriter.output.write('{ ', node);
  for (const property of node.properties) {
    if (iterators.includes(property as Property)) continue;
    if (property.type === 'Property' && property.kind !== 'init') {
      const name = nameOf(property);
      if (!marked.has(name)) rewriter.output.write(`${name}: ${rewriter.helper('accessor')}, `, property);
      marked.add(name);
    } else rewriter.write(node, property, ', ');
  }
  rewriter.output.write('}', node);
}

function nameOf({ key, computed }: Property): string {
  if (computed) throw new Refusal('an accessor with a computed name is not supported', key);
  if (key.type === 'Identifier') return key.name;
  return JSON.stringify(String((key as { value?: unknown }).value));
}

/** What reads all fields of an object at once. */
export const accessorReads: Methods = {
  id: 'accessor-reads',
  names: new Set(['values', 'entries', 'assign']),
  helperFor: ({ name, object, args }, { hasAccessors, declared }) => {
    const isObject = object.type === 'Identifier' && object.name === 'Object' && !declared.has('Object');
    const isPlainCall = args.every(({ type }) => type !== 'SpreadElement');
    return hasAccessors && isObject && isPlainCall ? `plain_${name}` : undefined;
  },
};

export const accessorHelpers: Helper[] = [
  {
    name: 'spreadable',
    code: `function __ms_spreadable(value) {
  if (typeof value === 'string') return { ...value.split('') };
  if (typeof value !== 'object' || value === null) return {};
  return value instanceof Map || value instanceof Set || value instanceof Date || value instanceof RegExp ? {} : value;
}`,
  },
  ...['values', 'entries'].map((name) => ({
    name: `plain_${name}`,
    code: `function __ms_plain_${name}(base, value) { return base.${name}(value === null || value === undefined ? value : __ms_plain(value)); }`,
  })),
  {
    name: 'plain_assign',
    code: `function __ms_plain_assign(base, target, ...sources) {
  if (target === null || target === undefined) throw new TypeError('Cannot convert undefined or null to object');
  if (typeof target !== 'object' && typeof target !== 'function') __ms_refuse('Object.assign to a ' + typeof target + ' is not supported');
  for (const source of sources) {
    const from = __ms_plain(source);
    if (typeof from === 'object' && from !== null) for (const name of Object.keys(from)) __ms_set(target, name, from[name]);
  }
  return target;
}`,
  },
];
