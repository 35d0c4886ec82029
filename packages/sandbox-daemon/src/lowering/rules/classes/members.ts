import type { AssignmentExpression, MemberExpression } from 'acorn';
import { mendedFor, type Mended } from '../arguments.ts';
import { helperFor } from '../method-calls.ts';
import { isIndex } from '../../numbers.ts';
import { Refusal, type Rewriter } from '../../rewriter.ts';
import type { Rule } from '../../rule.ts';
import { memberName, unwrap, type AnyNode } from '../../syntax.ts';

/**
 * Members whose names some class, or an accessor of an object, has: they are looked up in its table. So is what a
 * script with such names looks up by a key that it computes.
 *
 *     point.norm()          →   __ms_call(point, "norm")
 *     point[name]           →   __ms_get(point, name)
 *     'norm' in point       →   __ms_in('norm', point)
 */
export const classMembers: Rule[] = [
  {
    id: 'class-members',
    on: ['CallExpression', 'MemberExpression', 'AssignmentExpression', 'UpdateExpression', 'BinaryExpression'],
    rewrite(node, rewriter) {
      const { facts } = rewriter;
      if (facts.classMembers.size === 0 && !facts.hasOwnConstructors) return false;
      switch (node.type) {
        case 'BinaryExpression': {
          if (node.operator !== 'instanceof' && node.operator !== 'in') return false;
          if (node.left.type === 'PrivateIdentifier') return false;
          const helper = node.operator === 'in' ? 'in' : 'instanceOf';
          rewriter.write(node, `${rewriter.helper(helper)}(`, node.left, ', ', node.right, ')');
          return true;
        }
        case 'CallExpression': {
          const { callee } = node;
          if (callee.type !== 'MemberExpression' || callee.optional || node.optional) return false;
          const key = keyOf(callee, rewriter);
          if (key === undefined) return false;
          // A text or a list may be there as well, and is called as it is without the class.
          const other = helperFor(node, facts) ?? mendedFor(node);
          const call =
            other === undefined
              ? rewriter.helper('call')
              : `${rewriter.helper('callOr')}(${otherwise(other, rewriter)}, `;
          rewriter.write(node, other === undefined ? `${call}(` : call, callee.object, ', ', ...key);
          for (const argument of node.arguments) rewriter.write(node, ', ', argument);
          rewriter.output.write(')', node);
          return true;
        }
        case 'MemberExpression': {
          const key = keyOf(node, rewriter);
          if (key === undefined) return false;
          const parent = rewriter.ancestors.at(-1);
          const around = parent?.type === 'ChainExpression' ? rewriter.ancestors.at(-2) : parent;
          if (around?.type === 'UnaryExpression' && around.operator === 'delete') return false;
          if (isTarget(node, rewriter.ancestors)) {
            const name = memberName(node);
            // An element, as in a swap.
            if (name === undefined) return false;
            const advice = 'is not supported where a class or an accessor has that name: assign it by itself';
            throw new Refusal(`${name} as a target of a pattern or a loop ${advice}`, node);
          }
          rewriter.write(
            node,
            `${rewriter.helper('get')}(`,
            node.object,
            ', ',
            ...key,
            node.optional ? ', true)' : ')',
          );
          return true;
        }
        case 'AssignmentExpression': {
          const left = node.left as AnyNode;
          const key = left.type === 'MemberExpression' ? keyOf(left, rewriter) : undefined;
          if (left.type !== 'MemberExpression' || key === undefined) return false;
          writeSet(node, left.object, key, rewriter);
          return true;
        }
        case 'UpdateExpression': {
          const argument = unwrap(node.argument);
          const key = argument.type === 'MemberExpression' ? keyOf(argument, rewriter) : undefined;
          if (argument.type !== 'MemberExpression' || key === undefined) return false;
          const step = node.operator === '++' ? 1 : -1;
          rewriter.write(node, `${rewriter.helper('update')}(`, argument.object, ', ', ...key);
          rewriter.output.write(`, ${step}, ${node.prefix})`, node);
          return true;
        }
        default:
          return false;
      }
    },
  },
];

/** Whether a pattern or the head of a loop assigns to it. */
function isTarget(node: AnyNode, ancestors: readonly AnyNode[]): boolean {
  const parent = ancestors.at(-1);
  switch (parent?.type) {
    case 'AssignmentPattern':
    case 'ForOfStatement':
    case 'ForInStatement':
      return parent.left === node;
    case 'Property':
      return parent.value === node && ancestors.at(-2)?.type === 'ObjectPattern';
    default:
      return parent?.type === 'ArrayPattern' || parent?.type === 'RestElement';
  }
}

/** A function that calls the method of what has no class. */
function otherwise(other: string | Mended, rewriter: Rewriter): string {
  if (typeof other === 'string') return rewriter.helper(other);
  const { name, at, helper } = other;
  return `(object, ...args) => ${rewriter.helper('mended')}(object, '${name}', ${at}, ${rewriter.helper(helper)}, ...args)`;
}

type Parts = (string | AnyNode)[];

/** What stands for the key, where it may name a member of a class; a whole number does not. */
function keyOf(node: MemberExpression, rewriter: Rewriter): Parts | undefined {
  const { classMembers: names, indices } = rewriter.facts;
  if (node.object.type === 'Super' || node.property.type === 'PrivateIdentifier') return undefined;
  const name = memberName(node);
  if (name !== undefined) return names.has(name) ? [JSON.stringify(name)] : undefined;
  if (names.size === 0 || isIndex(node.property, indices)) return undefined;
  const key = unwrap(node.property);
  return key.type === 'Literal' ? undefined : [`${rewriter.helper('key')}(`, node.property, ')'];
}

function writeSet(node: AssignmentExpression & AnyNode, object: AnyNode, key: Parts, rewriter: Rewriter): void {
  const set = rewriter.helper('set');
  const { operator, right } = node;
  if (operator === '=') return rewriter.write(node, `${set}(`, object, ', ', ...key, ', ', right, ')');
  const base = rewriter.temporary();
  let name = key[0] as string;
  rewriter.write(node, `(${base} = `, object, ', ');
  if (key.length > 1) {
    name = rewriter.temporary();
    rewriter.write(node, `${name} = `, ...key, ', ');
  }
  const before = `${rewriter.helper('get')}(${base}, ${name})`;
  const operation = operator.slice(0, -1);
  const isShort = ['&&=', '||=', '??='].includes(operator);
  if (isShort) rewriter.write(node, `${before} ${operation} ${set}(${base}, ${name}, `, right, '))');
  else rewriter.write(node, `${set}(${base}, ${name}, ${before} ${operation} (`, right, ')))');
}
