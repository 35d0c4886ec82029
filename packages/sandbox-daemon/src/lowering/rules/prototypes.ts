import type { Helper } from '../helper.ts';
import { Refusal, type Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { memberName, prototypeOf, unwrap, type AnyNode } from '../syntax.ts';
import { borrowed } from './borrowed.ts';

/** Methods that an instance has in the engine, and its prototype has not. */
const onInstances: Record<string, { instance: string; names: ReadonlySet<string> }> = {
  String: {
    instance: "''",
    names: new Set([
      ...['at', 'charAt', 'concat', 'endsWith', 'includes', 'indexOf', 'lastIndexOf', 'match', 'matchAll', 'padEnd'],
      ...[
        'padStart',
        'repeat',
        'replace',
        'replaceAll',
        'search',
        'slice',
        'split',
        'substr',
        'substring',
        'startsWith',
      ],
      ...['trim', 'trimStart', 'trimEnd', 'toLowerCase', 'toUpperCase'],
    ]),
  },
  Map: {
    instance: '(new Map())',
    names: new Set(['get', 'set', 'has', 'delete', 'clear', 'entries', 'forEach', 'keys', 'values']),
  },
  RegExp: { instance: '/ /', names: new Set(['exec', 'test']) },
  Promise: { instance: 'Promise.resolve()', names: new Set(['then', 'catch', 'finally']) },
};

/** Methods that the engine's own prototype has, and that do not ask an object for its `toString`. */
const withoutToString = new Set(['charCodeAt', 'codePointAt', 'localeCompare', 'normalize', 'isWellFormed']);

/** Prototypes whose methods can be read, as `const { hasOwnProperty } = Object.prototype` does. */
const readable = new Set(['Object', 'Array', 'Number', 'Date', 'Set']);

/**
 * The engine's objects of a number and a text have nothing in them where nothing is given.
 *
 *     new Number()   →   new Number(0)
 *     new String     →   new String('')
 */
const emptyObjects: Rule = {
  id: 'empty-objects',
  on: ['NewExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'NewExpression' || node.callee.type !== 'Identifier' || node.arguments.length > 0) return false;
    const { name } = node.callee;
    if (rewriter.facts.declared.has(name) || (name !== 'Number' && name !== 'String')) return false;
    rewriter.output.write(name === 'Number' ? 'new Number(0)' : "new String('')", node);
    return true;
  },
};

/**
 * There are no prototypes: what a script gives one is nowhere to be seen, and what it reads of one is `undefined`.
 *
 *     Point.prototype.toString = f      →   refused
 *     'trim' in String.prototype        →   refused
 *     if (!String.prototype.padStart)   →   if (!''.padStart)
 *     const trim = String.prototype.trim   →   __ms_refuse('String.prototype.trim is not supported')
 */
export const prototypes: Rule[] = [
  borrowed,
  emptyObjects,
  {
    id: 'prototypes',
    on: ['MemberExpression', 'AssignmentExpression', 'UpdateExpression'],
    rewrite(node, rewriter) {
      if (node.type === 'AssignmentExpression' || node.type === 'UpdateExpression') {
        refuseChange(unwrap(node.type === 'UpdateExpression' ? node.argument : node.left), rewriter);
        return false;
      }
      if (node.type !== 'MemberExpression') return false;
      if (prototypeOf(node) !== undefined) {
        refuseValue(node, rewriter);
        return false;
      }
      const owner = prototypeOf(node.object);
      if (owner === undefined || rewriter.facts.declared.has(owner) || !Object.hasOwn(onInstances, owner)) return false;
      const name = memberName(node);
      const { instance, names } = onInstances[owner] as { instance: string; names: ReadonlySet<string> };
      if (name === undefined) throw new Refusal(`a computed member of ${owner}.prototype is not supported`, node);
      const isForeign = owner === 'String' && rewriter.facts.hasOwnCoercion && withoutToString.has(name);
      if (!names.has(name) && !isForeign) return false;
      const isAsked = isQuestion(node, rewriter.ancestors.at(-1));
      const refusal = `${rewriter.helper('refuse')}('${owner}.prototype.${name} is not supported')`;
      rewriter.write(node, isAsked ? `${instance}.${name}` : refusal);
      return true;
    },
  },
];

function refuseChange(target: AnyNode, { facts }: Rewriter): void {
  if (target.type !== 'MemberExpression') return;
  const owner = prototypeOf(target) ?? prototypeOf(target.object);
  if (owner === undefined) return;
  const instead = facts.declared.has(owner) ? 'write a class with the method in it' : 'write a function';
  throw new Refusal(`there are no prototypes that a script can change: ${instead}`, target);
}

function refuseValue(node: AnyNode & { type: 'MemberExpression' }, { ancestors }: Rewriter): void {
  const parent = ancestors.at(-1);
  if (parent?.type === 'MemberExpression' && parent.object === node) return;
  const owner = prototypeOf(node) as string;
  if (parent?.type === 'VariableDeclarator' && parent.id.type === 'ObjectPattern' && readable.has(owner)) return;
  throw new Refusal(`${owner}.prototype is not supported as a value: there are no prototypes`, node);
}

const comparisons = new Set(['===', '!==', '==', '!=']);

/** Whether all that is asked is if there is such a method. */
function isQuestion(node: AnyNode, parent: AnyNode | undefined): boolean {
  switch (parent?.type) {
    case 'UnaryExpression':
      return parent.operator === 'typeof' || parent.operator === '!';
    case 'IfStatement':
    case 'ConditionalExpression':
      return parent.test === node;
    case 'BinaryExpression':
      return comparisons.has(parent.operator);
    default:
      return false;
  }
}

export const prototypeHelpers: Helper[] = [
  {
    name: 'thisText',
    code: `function __ms_thisText(value) {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) throw new TypeError('The method was called on null or undefined');
  return __ms_text(value);
}`,
  },
  {
    name: 'thisList',
    code: `function __ms_thisList(value, name, isChanged) {
  if (Array.isArray(value)) return value;
  if (value === null || value === undefined) throw new TypeError('The method was called on null or undefined');
  if (isChanged || typeof value === 'function') __ms_refuse('Array.prototype.' + name + ' is not supported');
  if (typeof value === 'string') return value.split('');
  const length = typeof value === 'object' ? value.length : undefined;
  if (length === undefined) return [];
  const isWhole = Number.isInteger(length) && length >= 0 && length < 1_000_000;
  const list = isWhole ? Array.from({ length }, (_, at) => value[at]) : [];
  if (!isWhole || list.some((_, at) => !Object.hasOwn(value, String(at)))) __ms_refuse('Array.prototype.' + name + ' is not supported');
  return list;
}`,
  },
  {
    name: 'thisKind',
    code: `function __ms_thisKind(value, kind) {
  if (!(value instanceof kind)) throw new TypeError('The method was called on an object of another kind');
  return value;
}`,
  },
];
