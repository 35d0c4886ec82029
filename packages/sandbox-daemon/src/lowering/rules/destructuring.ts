import type { ArrayPattern, CallExpression, ObjectPattern } from 'acorn';
import type { Facts } from '../facts.ts';
import type { Helper } from '../helper.ts';
import { Refusal, type Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { isFunction, methodCall, unwrap, walk, type AnyNode } from '../syntax.ts';

type Pattern = ArrayPattern | ObjectPattern;
type Parts = (string | AnyNode)[];

/** Patterns that the engine can be given as they stand, now that there is a list behind them. */
const readied = new WeakSet<AnyNode>();

/**
 * The engine takes a list apart where V8 refuses (`const [a] = null` leaves `a` undefined), and does not take apart a
 * Map, a Set, or what a generator gives. It knows no computed key, and the rest of an array as an object is empty.
 * Patterns with lists, rests or such keys become one declaration after the other.
 *
 *     const [a, b] = x              →   const t = x, [a, b] = Array.isArray(t) ? t : __ms_items(t, 2)
 *     const { [k]: v, ...rest } = o →   const t = __ms_object(o), u = k, v = t[u], rest = __ms_rest(t, [u])
 *     ([k, v]) => k + v             →   (t) => { let [k, v] = Array.isArray(t) ? t : __ms_items(t, 2); return k + v; }
 */
export const destructuring: Rule[] = [
  {
    id: 'destructuring-declaration',
    on: ['VariableDeclarator'],
    rewrite(node, rewriter) {
      if (node.type !== 'VariableDeclarator' || !node.init || !isPattern(node.id)) return false;
      if (!needsTakingApart(node.id, rewriter.facts)) return false;
      // A list that stands there is one.
      if (node.id.type === 'ArrayPattern' && node.init.type === 'ArrayExpression' && isFlat(node.id)) return false;
      const name = rewriter.name();
      const parts = takeApart(node.id, name, rewriter, splitText(node.init, rewriter.facts));
      rewriter.write(node, `${name} = `, node.init, ...parts);
      return true;
    },
  },
  {
    id: 'destructuring-parameter',
    on: ['ArrayPattern', 'ObjectPattern'],
    rewrite(node, rewriter) {
      if (!isPattern(node) || readied.has(node) || !needsTakingApart(node, rewriter.facts)) return false;
      const { ancestors } = rewriter;
      const parent = ancestors.at(-1);
      if (parent?.type === 'ForOfStatement' && parent.left === node && node.type === 'ArrayPattern' && isFlat(node)) {
        const item = rewriter.name();
        rewriter.output.write(`const ${item}`, node);
        readied.add(node);
        rewriter.putBefore(parent.body, [node, ` = ${rewriter.helper('items')}(${item}${mostOf(node)}); `]);
        return true;
      }
      const holder = parent?.type === 'AssignmentPattern' && parent.left === node ? ancestors.at(-2) : parent;
      const isParameter =
        holder !== undefined && isFunction(holder) && holder.params.some((param) => param === node || param === parent);
      const loop = ancestors.findLast(({ type }) => type === 'ForOfStatement');
      const isLoopHead = !isParameter && loop?.type === 'ForOfStatement' && isHeadOf(loop.left, node);
      if (!isParameter && !isLoopHead) return false;
      const name = rewriter.name();
      rewriter.output.write(name, node);
      const isConstant = isLoopHead && loop.left.type === 'VariableDeclaration' && loop.left.kind === 'const';
      const parts: Parts = [isConstant ? 'const ' : 'let ', ...declarationOf(node, name, rewriter), '; '];
      if (isParameter) rewriter.putIntoBody(parts);
      else if (loop?.type === 'ForOfStatement') rewriter.putBefore(loop.body, parts);
      return true;
    },
  },
  {
    id: 'destructuring-assignment',
    on: ['AssignmentExpression'],
    rewrite(node, rewriter) {
      if (node.type !== 'AssignmentExpression' || node.operator !== '=' || !isPattern(node.left)) return false;
      refuseNested(node.left);
      if (node.left.type === 'ObjectPattern' && node.left.properties.length === 0) {
        rewriter.write(node, `${rewriter.helper('object')}(`, node.right, ')');
        return true;
      }
      if (node.left.type !== 'ArrayPattern' || node.right.type === 'ArrayExpression') return false;
      rewriter.write(node, node.left, ` = ${rewriter.helper('items')}(`, node.right, `${mostOf(node.left)})`);
      return true;
    },
  },
];

/** What stands behind `const` to declare a target, which may be a pattern, as what `from` is. */
export function declarationOf(target: AnyNode, from: string, rewriter: Rewriter): Parts {
  if (!isPattern(target) || !needsTakingApart(target, rewriter.facts)) return [target, ` = ${from}`];
  const [first, ...others] = takeApart(target, from, rewriter);
  return [(first as string).slice(2), ...others];
}

/** The engine takes `null` for an empty list there: `[[a]] = [null]` leaves `a` undefined. So it does in `[{}] = [null]`. */
function refuseNested(pattern: Pattern): void {
  walk(pattern, (node) => {
    if (node === pattern) return;
    if (node.type === 'ObjectPattern' && node.properties.length === 0)
      throw new Refusal('an empty pattern within one that is assigned is not supported: leave it out', node);
    if (node.type !== 'ArrayPattern') return;
    throw new Refusal('a list within a pattern that is assigned is not supported: declare it with const', node);
  });
}

function isPattern(node: AnyNode): node is Pattern {
  return node.type === 'ArrayPattern' || node.type === 'ObjectPattern';
}

function isHeadOf(left: AnyNode, pattern: AnyNode): boolean {
  return left.type === 'VariableDeclaration' && left.kind !== 'var' && left.declarations[0]?.id === pattern;
}

function needsTakingApart(pattern: AnyNode, facts: Facts): boolean {
  switch (pattern.type) {
    case 'ArrayPattern':
      return true;
    case 'AssignmentPattern':
      return needsTakingApart(pattern.left, facts);
    case 'ObjectPattern':
      if (pattern.properties.length === 0) return true;
      return pattern.properties.some((property) => {
        if (property.type === 'RestElement' || property.computed) return true;
        const { key, value } = property;
        return (key.type === 'Identifier' && facts.classMembers.has(key.name)) || needsTakingApart(value, facts);
      });
    default:
      return false;
  }
}

/** Whether the engine's own pattern does it, once the value is a list. */
function isFlat({ elements }: ArrayPattern): boolean {
  return elements.every((element) => {
    if (element === null || element.type === 'Identifier') return true;
    if (element.type === 'RestElement') return element.argument.type === 'Identifier';
    return element.type === 'AssignmentPattern' && element.left.type === 'Identifier';
  });
}

function mostOf({ elements }: ArrayPattern): string {
  return elements.some((element) => element?.type === 'RestElement') ? '' : `, ${elements.length}`;
}

/** Declarators for what `pattern` binds of the value `from`, each behind a comma. */
function takeApart(pattern: Pattern, from: string, rewriter: Rewriter, text?: string): Parts {
  return pattern.type === 'ArrayPattern'
    ? listParts(pattern, from, rewriter, text)
    : objectParts(pattern, from, rewriter);
}

/** In `line.split(',')`, what makes a list of it where it is a text: to ask that takes less than to look at the list. */
function splitText(init: AnyNode, { builders }: Facts): string | undefined {
  const call = methodCall(unwrap(init));
  if (call?.name !== 'split' || call.object.type !== 'Identifier' || call.member.optional) return undefined;
  const { arguments: args } = unwrap(init) as CallExpression;
  const { name } = call.object;
  return args.length === 1 && args[0]?.type === 'Literal' && !builders.has(name) ? name : undefined;
}

function listParts(pattern: ArrayPattern, from: string, rewriter: Rewriter, text?: string): Parts {
  const items = `${rewriter.helper('items')}(${from}${mostOf(pattern)})`;
  const isList = text === undefined ? `Array.isArray(${from})` : `typeof ${text} === 'string'`;
  const list = rewriter.facts.declared.has('Array') ? items : `${isList} ? ${from} : ${items}`;
  if (isFlat(pattern)) {
    readied.add(pattern);
    return [', ', pattern, ` = ${list}`];
  }
  const name = rewriter.name();
  const parts: Parts = [`, ${name} = ${list}`];
  for (const [at, element] of pattern.elements.entries()) {
    if (element === null) continue;
    if (element.type === 'RestElement') parts.push(...bind(element.argument, `${name}.slice(${at})`, rewriter));
    else parts.push(...bind(element, `${name}[${at}]`, rewriter));
  }
  return parts;
}

function objectParts(pattern: ObjectPattern, from: string, rewriter: Rewriter): Parts {
  if (!needsTakingApart(pattern, rewriter.facts)) {
    readied.add(pattern);
    return [', ', pattern, ` = ${from}`];
  }
  const name = rewriter.name();
  const parts: Parts = [`, ${name} = ${rewriter.helper('object')}(${from})`];
  const keys: string[] = [];
  for (const property of pattern.properties) {
    if (property.type === 'RestElement') {
      parts.push(...bind(property.argument, `${rewriter.helper('rest')}(${name}, [${keys.join(', ')}])`, rewriter));
      continue;
    }
    const { key, computed, value } = property;
    if (computed) {
      const keyName = rewriter.name();
      keys.push(keyName);
      parts.push(
        `, ${keyName} = ${rewriter.helper('key')}(`,
        key,
        ')',
        ...bind(value, `${name}[${keyName}]`, rewriter),
      );
    } else {
      const text = key.type === 'Identifier' ? key.name : String((key as { value?: unknown }).value);
      keys.push(JSON.stringify(text));
      const isMember = rewriter.facts.classMembers.has(text);
      const read = isMember
        ? `${rewriter.helper('get')}(${name}, ${JSON.stringify(text)})`
        : `${name}[${JSON.stringify(text)}]`;
      parts.push(...bind(value, read, rewriter));
    }
  }
  return parts;
}

/** Declarators that bind a target, which may be a pattern or have a default, to the value of `read`. */
function bind(target: AnyNode, read: string, rewriter: Rewriter): Parts {
  if (target.type === 'Identifier') return [`, ${target.name} = ${read}`];
  const name = rewriter.name();
  if (target.type === 'AssignmentPattern') {
    const given: Parts = [`, ${name} = ${read}`];
    const value: Parts = [`${name} === undefined ? `, target.right, ` : ${name}`];
    if (target.left.type === 'Identifier') return [...given, `, ${target.left.name} = `, ...value];
    const chosen = rewriter.name();
    return [...given, `, ${chosen} = `, ...value, ...takeApart(target.left as Pattern, chosen, rewriter)];
  }
  return [`, ${name} = ${read}`, ...takeApart(target as Pattern, name, rewriter)];
}

export const destructuringHelpers: Helper[] = [
  {
    name: 'items',
    code: ({ hasGenerators }) => `function __ms_items(value, most) {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return value.split('');
  if (typeof value !== 'object' || value === null) throw new TypeError((value === null ? 'null' : typeof value) + ' is not iterable');
  const found = [];
  if (most === 0) return found;
  ${hasGenerators ? 'if (__ms_isGenerator(value) || __ms_ownIterator(value) !== undefined) return __ms_list(value, most);' : ''}
  for (const item of value) {
    found.push(item);
    if (found.length === most) break;
  }
  return found;
}`,
  },
  {
    name: 'object',
    code: `function __ms_object(value) {
  if (value === null || value === undefined) throw new TypeError('Cannot destructure ' + String(value));
  return value;
}`,
  },
  {
    name: 'rest',
    code: ({ hasAccessors, libraryValues }) => `function __ms_rest(given, taken) {
  ${libraryValues.size > 0 ? '__ms_listed(given);' : ''}
  const value = ${hasAccessors ? '__ms_plain(given)' : 'given'};
  const rest = {};
  if (typeof value !== 'object' && typeof value !== 'string') return rest;
  const from = typeof value === 'string' ? { ...value.split('') } : Array.isArray(value) || Object.keys(value).length > 0 ? value : {};
  const names = taken.map((name) => String(name));
  for (const name of Object.keys(from)) if (!names.includes(name)) rest[name] = from[name];
  return rest;
}`,
  },
];
