import type { CallExpression, Expression, MemberExpression } from 'acorn';
import type { Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { memberName, methodCall, prototypeOf, unwrap, type AnyNode } from '../syntax.ts';
import { mendedFor } from './arguments.ts';
import { helperFor } from './method-calls.ts';

/** They change the list: one that is made of what is no list would be changed instead. */
const changing = new Set(['push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill', 'copyWithin']);
/** What these do to something that is no list is their own affair. */
const ofObjects = new Set(['concat', 'toString', 'toLocaleString']);

/**
 * A method of one kind of value that is called on another one is called as a method of it. The engine has not all of them
 * on prototypes, takes lists only for those of lists, and what rules mend would not be mended.
 *
 *     String.prototype.trim.call(n)            →   __ms_thisText(n).trim()
 *     Array.prototype.map.call('ab', f)        →   __ms_thisList('ab', 'map', false).map(f)
 *     ''.replace.call(text, '.', '$&')         →   __ms_replace(__ms_thisText(text), '.', '$&')
 */
export const borrowed: Rule = {
  id: 'borrowed',
  on: ['CallExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'CallExpression' || node.optional) return false;
    const call = methodCall(node);
    if (call?.name !== 'call' || call.member.optional || call.object.type !== 'MemberExpression') return false;
    const name = memberName(call.object);
    const kind = kindOf(call.object, rewriter);
    const [object, ...rest] = node.arguments;
    if (name === undefined || kind === undefined || object === undefined) return false;
    if (node.arguments.some(({ type }) => type === 'SpreadElement')) return false;
    if (kind === 'Array' && ofObjects.has(name)) return false;
    const receiver = receiverOf(kind, name, object, rewriter);
    // As if it stood there so; nothing of it is written by its place.
    const direct = { ...node, callee: { ...call.object, object: object as Expression }, arguments: rest };
    writeDirect(node, direct, name, receiver, rewriter);
    return true;
  },
};

type Parts = (string | AnyNode)[];

function receiverOf(kind: string, name: string, object: AnyNode, rewriter: Rewriter): Parts {
  switch (kind) {
    case 'String':
      return [`${rewriter.helper('thisText')}(`, object, ')'];
    case 'Array':
      return [`${rewriter.helper('thisList')}(`, object, `, '${name}', ${changing.has(name)})`];
    case 'Map':
    case 'Date':
      return [`${rewriter.helper('thisKind')}(`, object, `, ${kind})`];
    default:
      return ['(', object, ')'];
  }
}

function writeDirect(node: AnyNode, direct: CallExpression, name: string, receiver: Parts, rewriter: Rewriter): void {
  const helper = helperFor(direct, rewriter.facts);
  const mended = mendedFor(direct);
  const commaBefore = helper !== undefined || mended !== undefined;
  if (helper !== undefined) rewriter.write(node, `${rewriter.helper(helper)}(`, ...receiver);
  else if (mended !== undefined) {
    rewriter.write(node, `${rewriter.helper('mended')}(`, ...receiver);
    rewriter.output.write(`, '${name}', ${mended.at}, ${rewriter.helper(mended.helper)}`, node);
  } else rewriter.write(node, ...receiver, `.${name}(`);
  for (const [at, argument] of direct.arguments.entries()) {
    rewriter.write(node, commaBefore || at > 0 ? ', ' : '', argument);
  }
  rewriter.output.write(')', node);
}

const kinds = new Set(['String', 'Array', 'Number', 'Date', 'RegExp', 'Map']);

/** What the method belongs to: by `String.prototype`, `''` or `[]`. */
function kindOf({ object }: MemberExpression, rewriter: Rewriter): string | undefined {
  const owner = prototypeOf(object);
  if (owner !== undefined) return kinds.has(owner) && !rewriter.facts.declared.has(owner) ? owner : undefined;
  const inner = unwrap(object);
  if (inner.type === 'Literal' && inner.value === '') return 'String';
  return inner.type === 'ArrayExpression' && inner.elements.length === 0 ? 'Array' : undefined;
}
