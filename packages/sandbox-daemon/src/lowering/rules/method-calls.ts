import type { CallExpression, ChainExpression, MemberExpression } from 'acorn';
import type { Facts } from '../facts.ts';
import type { Helper } from '../helper.ts';
import type { Methods, Rule } from '../rule.ts';
import { Refusal, type Rewriter } from '../rewriter.ts';
import { childrenOf, isFunction, methodCall, unwrap, type AnyNode } from '../syntax.ts';
import { mendedFor } from './arguments.ts';
import { isMissingMethod } from './missing.ts';
import { hasThenables } from './thenables.ts';

/**
 * Calls of methods become calls of helpers, and a chain with `?.` before such a call is taken apart.
 *
 *     list.map(f)             →   __ms_map(list, f)
 *     box.map(f)              →   __ms_ownOr(__ms_map, 'map', box, f)     where some object has a field of the name
 *     list?.map(f).length     →   ((t = list) == null ? undefined : __ms_map(t, f).length)
 *     row?.a.b.c              →   ((t = row) == null ? undefined : t.a.b.c)
 *     list?.push(next())      →   ((t = list) == null ? undefined : t.push(next()))    else `next` would be called
 *     on.end?.(next())        →   (((t = on), t.end) == null ? undefined : t.end(next()))
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
        refuseMissing(spine, rewriter.facts);
        const parent = rewriter.ancestors.at(-1);
        const isDeleted = parent?.type === 'UnaryExpression' && parent.operator === 'delete';
        const isEager = evaluatesEarly(spine);
        if (isDeleted && isEager)
          throw new Refusal('delete with ?. before a key that is worked out is not supported', node);
        if ((isDeep(spine) || isEager) && !isDeleted) {
          if (takeApart(node, spine, rewriter)) return true;
          throw new Refusal('?.( behind parentheses, super or a private name is not supported in a longer chain', node);
        }
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
    code: (facts) => `function __ms_ownOr(otherwise, name, object, ...args) {
  const isPlain = typeof object === 'object' && object !== null && !Array.isArray(object) && !__ms_isNativeObject(object);
  ${hasThenables(facts) ? "if (isPlain && name === 'then' && __ms_thens.has(object.then)) return __ms_thens.get(object.then).apply(object, args);" : ''}
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

/** `text.substr?.(1)` would be `undefined`. */
function refuseMissing(spine: readonly AnyNode[], { ownMembers }: Facts): void {
  for (const part of spine) {
    if (part.type !== 'CallExpression' || !part.optional) continue;
    const name = methodCall(part)?.name ?? '';
    if (isMissingMethod(name) && !ownMembers.has(name))
      throw new Refusal(`${name}?.() is not supported: call it without ?.`, part);
  }
}

/** Whether parts stand behind `?.`: the engine leaves out only one, and that one also in `o?.a.b` with no `a` in `o`. */
function isDeep(spine: readonly AnyNode[]): boolean {
  const first = spine.findLastIndex((part) => 'optional' in part && part.optional);
  return spine.slice(0, first).some((part) => !('optional' in part) || !part.optional);
}

/** The engine evaluates the arguments and keys behind `?.` even where there is nothing to call, or to look them up in. */
function evaluatesEarly(spine: readonly AnyNode[]): boolean {
  const first = spine.findLastIndex((part) => 'optional' in part && part.optional);
  return spine.slice(0, first + 1).some((part) => {
    if (part.type === 'CallExpression') return part.arguments.some(doesSomething);
    return part.type === 'MemberExpression' && part.computed && doesSomething(part.property);
  });
}

/** Whether it shows that this was evaluated, by what it does or by an error. */
function doesSomething(node: AnyNode): boolean {
  if (isFunction(node)) return false;
  return doing.has(node.type) || childrenOf(node).some(doesSomething);
}

const doing = new Set<AnyNode['type']>([
  ...(['CallExpression', 'NewExpression', 'TaggedTemplateExpression', 'MemberExpression', 'SpreadElement'] as const),
  ...(['AssignmentExpression', 'UpdateExpression', 'AwaitExpression', 'YieldExpression'] as const),
]);

/** @param spine the outermost part first */
function takeApart(chain: ChainExpression, spine: readonly AnyNode[], rewriter: Rewriter): boolean {
  const optional = spine.filter((node) => 'optional' in node && node.optional).toReversed();
  if (optional.length === 0 || optional.some(mayLoseItsObject)) return false;
  let close = ')';
  rewriter.output.write('(', chain);
  for (const part of optional) {
    if (part.type === 'MemberExpression') {
      keep(part.object, rewriter, chain);
      rewriter.output.write(' == null ? undefined : ', chain);
      link(part, part.object.end, part.computed ? '  ' : ' .', rewriter);
    } else if (part.type === 'CallExpression') {
      close += keepMethod(part, rewriter, chain);
      link(part, part.callee.end, '  ', rewriter);
    }
  }
  rewriter.write(chain, chain.expression, close);
  return true;
}

/** Has a part written without its `?.`, which begins at `from` behind space and comments. */
function link(
  part: CallExpression | MemberExpression,
  from: number,
  instead: string,
  { output, source }: Rewriter,
): void {
  const before = /^(?:\s|\/\*[^]*?\*\/|\/\/.*)*/.exec(source.slice(from, part.end));
  output.replace(from + (before?.[0].length ?? 0), instead);
  part.optional = false;
}

function mayLoseItsObject(part: AnyNode): boolean {
  if (part.type !== 'CallExpression') return false;
  const { callee } = part;
  if (callee.type === 'MemberExpression')
    return callee.object.type === 'Super' || callee.property.type === 'PrivateIdentifier';
  const inner = unwrap(callee);
  return inner !== callee && (inner.type === 'MemberExpression' || inner.type === 'ChainExpression');
}

/**
 * What a method is called on, and its key, are evaluated once; the method is read twice, where it can be no accessor.
 * Gives what has to stand at the end of the chain.
 */
function keepMethod(call: CallExpression, rewriter: Rewriter, chain: AnyNode): string {
  const { callee } = call;
  if (callee.type !== 'MemberExpression') {
    keep(callee, rewriter, chain);
    rewriter.output.write(' == null ? undefined : ', chain);
    return '';
  }
  rewriter.output.write('(', chain);
  keep(callee.object, rewriter, chain);
  rewriter.output.write(', ', chain);
  if (callee.computed) {
    keep(callee.property, rewriter, chain);
    rewriter.output.write(', ', chain);
  }
  const { hasAccessors, classMembers } = rewriter.facts;
  if (!hasAccessors && classMembers.size === 0) {
    rewriter.write(chain, callee, ') == null ? undefined : ');
    return '';
  }
  const [method, made] = [rewriter.temporary(), rewriter.temporary()];
  rewriter.write(chain, `${method} = `, callee, `) == null ? undefined : ((${made} = ${method}.call(`, callee.object);
  for (const argument of call.arguments) rewriter.write(chain, ', ', argument);
  rewriter.output.write(')), ', chain);
  rewriter.substitute(call, made);
  return ')';
}

/** Evaluates `node` into a variable, which stands for it from now on. */
function keep(node: AnyNode, rewriter: Rewriter, chain: AnyNode): void {
  const name = rewriter.temporary();
  rewriter.write(chain, `(${name} = `, node, ')');
  rewriter.substitute(node, name);
}
