import type { Names } from './names.ts';
import type { Node } from './tree.ts';

/** Stands for the value of an expression that is known only when the script runs. */
export const notKnown = Symbol('not known');

const mostDepth = 20;

/** The value of an expression that is the same in every run, as the JSON that the host gets. */
export function literalOf(node: Node, names: Names, depth = 0): unknown {
  if (depth > mostDepth) return notKnown;
  const next = (part: unknown): unknown => literalOf(part as Node, names, depth + 1);
  switch (node.type) {
    case 'Literal':
      return isPlain(node.value) ? node.value : notKnown;
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? (node.quasis[0]?.value.cooked ?? notKnown) : notKnown;
    case 'UnaryExpression': {
      const value = node.operator === '-' ? next(node.argument) : notKnown;
      return typeof value === 'number' ? -value : notKnown;
    }
    case 'Identifier': {
      const value = names.constant(node.name);
      // An object could be changed after it was made.
      return value !== undefined && value.type.endsWith('Literal') ? next(value) : notKnown;
    }
    case 'ArrayExpression': {
      const items = node.elements.map((item) => (item === null ? notKnown : next(item)));
      return items.includes(notKnown) ? notKnown : items;
    }
    case 'ObjectExpression': {
      const fields = node.properties.map((field): [string, unknown] => {
        if (field.type !== 'Property' || field.computed || field.kind !== 'init') return ['', notKnown];
        const { key } = field;
        const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : '__proto__';
        return [name, name === '__proto__' ? notKnown : next(field.value)];
      });
      return fields.some(([, value]) => value === notKnown) ? notKnown : Object.fromEntries(fields);
    }
    default:
      return notKnown;
  }
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number';
}
