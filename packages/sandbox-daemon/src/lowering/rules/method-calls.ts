import type { CallExpression, ChainExpression } from 'acorn';
import type { Facts } from '../facts.ts';
import type { Helper } from '../helper.ts';
import type { Methods, Rule } from '../rule.ts';
import type { Rewriter } from '../rewriter.ts';
import { methodCall, type AnyNode } from '../syntax.ts';
import { mendedFor } from './arguments.ts';

/**
 * Calls of methods become calls of helpers, and a chain with `?.` before such a call is taken apart.
 *
 *     list.map(f)             →   __ms_map(list, f)
 *     box.map(f)              →   __ms_ownOr(__ms_map, 'map', box, f)     where some object has a field of the name
 *     list?.map(f).length     →   ((t = list) == null ? undefined : __ms_map(t, f).length)
 *     row?.a.b.c              →   ((t = row) == null ? undefined : t?.a.b.c)
 */
export function methodRules(tables: readonly Methods[]): Rule[] {
  allTables = tables;
  return [
    {
      id: 'method-calls',
      on: ['CallExpression'],
      rewrite(node, rewriter) {
        if (node.type !== 'CallExpression' || node.optional) return false;
        const call = methodCall(node);
        if (call === undefined || call.member.optional) return false;
        const helper = helperFor(node, rewriter.facts);
        if (helper === undefined) return false;
        writeHelperCall(node, rewriter, helper, call);
        return true;
      },
    },
    {
      id: 'optional-chains',
      on: ['ChainExpression'],
      rewrite(node, rewriter) {
        if (node.type !== 'ChainExpression') return false;
        const spine = spineOf(node);
        const parent = rewriter.ancestors.at(-1);
        const isDeleted = parent?.type === 'UnaryExpression' && parent.operator === 'delete';
        if (isDeep(spine) && !isDeleted && takeApart(node, spine, rewriter)) return true;
        const lowered = spine.findIndex(
          (part) =>
            part.type === 'CallExpression' &&
            (helperFor(part, rewriter.facts) !== undefined || isOwnAndMended(part, rewriter.facts)),
        );
        return lowered !== -1 && takeApart(node, spine.slice(lowered), rewriter);
      },
    },
  ];
}

/** An object of the script may have the method: what is to be mended is known when the call is made. */
function isOwnAndMended(node: CallExpression, { ownMembers }: Facts): boolean {
  const mended = mendedFor(node);
  return mended !== undefined && ownMembers.has(mended.name);
}

let allTables: readonly Methods[] = [];

/** The helper that a call of a method is to be a call of; `undefined` where the engine's own does it right. */
export function helperFor(node: CallExpression, facts: Facts): string | undefined {
  const call = methodCall(node);
  if (call === undefined) return undefined;
  const { name, object } = call;
  for (const table of allTables) {
    if (!table.names.has(name)) continue;
    const helper = table.helperFor({ name, object, args: node.arguments }, facts);
    if (helper !== undefined) return helper;
  }
  return undefined;
}

function writeHelperCall(
  node: CallExpression,
  rewriter: Rewriter,
  helper: string,
  { object, name }: { object: AnyNode; name: string },
): void {
  const isOwn = rewriter.facts.ownMembers.has(name);
  const start = isOwn
    ? `${rewriter.helper('ownOr')}(${rewriter.helper(helper)}, '${name}', `
    : `${rewriter.helper(helper)}(`;
  rewriter.write(node, start, object);
  const [first] = node.arguments;
  if (first !== undefined) rewriter.output.write(', ', node);
  let at = first?.start ?? node.end - 1;
  for (const argument of node.arguments) {
    rewriter.output.copy(at, argument.start);
    rewriter.write(node, argument);
    at = argument.end;
  }
  rewriter.output.copy(at, node.end);
}

export const methodCallHelpers: Helper[] = [
  {
    name: 'ownOr',
    code: `function __ms_ownOr(otherwise, name, object, ...args) {
  const isPlain = typeof object === 'object' && object !== null && !Array.isArray(object) && !__ms_isNativeObject(object);
  return isPlain && Object.hasOwn(object, name) ? object[name](...args) : otherwise(object, ...args);
}
function __ms_isNativeObject(object) {
  return object instanceof Map || object instanceof Set || object instanceof Date || object instanceof RegExp || object instanceof Promise;
}`,
  },
];

/** From the outermost part of a chain inwards: what each is a member of, or a call of. */
function spineOf(chain: ChainExpression): AnyNode[] {
  const spine: AnyNode[] = [];
  let node: AnyNode = chain.expression;
  while (node.type === 'CallExpression' || node.type === 'MemberExpression') {
    spine.push(node);
    node = node.type === 'CallExpression' ? node.callee : node.object;
  }
  return spine;
}

/** The engine leaves out only one part behind `?.`: `none?.list.length` is well, `none?.list.at(0)` an error. */
function isDeep(spine: readonly AnyNode[]): boolean {
  let behind = 0;
  for (const part of spine) {
    if (!('optional' in part) || !part.optional) behind++;
    else if (behind > 1) return true;
    else behind = 0;
  }
  return false;
}

/** @param spine the outermost part first */
function takeApart(chain: ChainExpression, spine: readonly AnyNode[], rewriter: Rewriter): boolean {
  const optional = spine.filter((node) => 'optional' in node && node.optional).toReversed();
  // The object of an optional call would get lost: such a chain stays as it is.
  if (optional.length === 0 || optional.some((node) => node.type === 'CallExpression')) return false;
  rewriter.output.write('(', chain);
  for (const part of optional) {
    if (part.type !== 'MemberExpression') continue;
    const base = part.object;
    const name = rewriter.temporary();
    rewriter.write(chain, `(${name} = `, base, ') == null ? undefined : ');
    rewriter.substitute(base, name);
    part.optional = false;
  }
  rewriter.write(chain, chain.expression, ')');
  return true;
}
