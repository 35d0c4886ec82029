import type { CatchClause } from 'acorn';
import type { Facts } from '../facts.ts';
import type { Helper } from '../helper.ts';
import type { Rewriter } from '../rewriter.ts';
import type { Methods, Rule } from '../rule.ts';
import { isFunction, methodCall, unwrap, walk, type AnyNode } from '../syntax.ts';
import { mayGenerate } from './generators/consumers.ts';
import { missingGlobals } from './missing.ts';

/** How the engine says that it does not do something. In JavaScript none of these is an error. */
const refusals = [
  'cannot coerce (?:complex value to number|BigInt values to numbers)$',
  '.* in the supported surface$',
  'value is not destructurable as an array',
  '(?:Object helpers|object spread|Intl\\S*) (?:currently|does not|only supports|locale|options) ',
  '[A-Z][A-Za-z]*(?:\\.\\w+)+ is (?:not supported$|unsupported )',
  '.*do(?:es)? not support (?:synchronous )?host suspensions$',
  '.*does not support callback patterns$',
  'custom properties on \\w+ values are not supported$',
  '(?:unsupported|invalid) regular expression',
  '(?:cannot compare BigInt and Number|BigInt bitwise)',
  'Date does not support custom object coercion$',
  'BigInt conversion does not support ',
  'value\\.\\w+ is not supported$',
  'only conservative built-in constructors',
  '(?:set-like|delete only supports) ',
  'right-hand side of instanceof must be a supported constructor$',
  'lone surrogates are not supported',
  'gc encountered missing object$',
  'binding slot \\d+ missing in environment',
  'binding .{1,2}mustard_',
  `.(?:${missingGlobals.join('|')}). is not defined$`,
].join('|');

const notIterable = 'value is not iterable in the supported surface';

export const caughtHelpers: Helper[] = [
  {
    // The sidecar ends the run, whatever the script does with the error.
    name: 'refuse',
    code: `const __ms_refusal = { isMet: false };
function __ms_refuse(message) {
  __ms_refusal.isMet = true;
  try { __ms_v8('refuse', message); } catch (error) { throw new TypeError(message); }
  throw new TypeError(message);
}`,
  },
  {
    name: 'caught',
    code: ({ hasGenerators }) => `const __ms_refusals = /^(?:${refusals})/;
function __ms_caught(error) {
  if (__ms_refusal.isMet) throw error;
  if (!(error instanceof Error)) return error;
  const { message } = error;
  if (${hasGenerators ? '' : `message !== '${notIterable}' && `}__ms_refusals.test(message)) {
    __ms_refusal.isMet = true;
    try { __ms_v8('refuse', message); } catch (other) { throw error; }
    throw error;
  }
  if (error.name === 'Error' && /^value is not (?:callable$|iterable)/.test(message)) return new TypeError(message);
  return error;
}`,
  },
  {
    // A promise that a callback gives back is waited for one turn less than in V8.
    name: 'adopt',
    code: `function __ms_adopt(call) {
  if (typeof call !== 'function') return call;
  return (value) => {
    const given = call(value);
    return given instanceof Promise ? given.then((made) => made) : given;
  };
}`,
  },
  {
    name: 'catch',
    code: `function __ms_catch(promise, call) {
  return __ms_watched(promise.catch(typeof call === 'function' ? __ms_adopt((error) => call(__ms_caught(error))) : call));
}`,
  },
  {
    name: 'then',
    code: `function __ms_then(promise, call, failed) {
  const isCall = typeof failed === 'function';
  return __ms_watched(promise.then(__ms_adopt(call), isCall ? __ms_adopt((error) => failed(__ms_caught(error))) : failed));
}`,
  },
  {
    name: 'finally',
    code: `function __ms_finally(promise, call) {
  return promise instanceof Promise ? promise.finally(call).then((value) => value) : promise.finally(call);
}`,
  },
  {
    // Besides, not instead: the promises and their order stay as they are.
    name: 'watch',
    code: `function __ms_watch(promises) {
  if (Array.isArray(promises)) for (const promise of promises) if (promise instanceof Promise) promise.catch((error) => { __ms_caught(error); });
  return promises;
}`,
  },
  {
    // The engine throws where there is nothing to go through, and takes an object with a method `then` for a value.
    name: 'combine',
    code: ({ hasGenerators, ownMethods }) => `function __ms_combine(name, given) {
  let promises = given;
  if (!Array.isArray(given)) {
    if (typeof given !== 'string' && (typeof given !== 'object' || given === null || given instanceof Promise))
      return Promise.reject(new TypeError(String(given) + ' is not iterable'));
    try {
      promises = [...${hasGenerators ? '__ms_list(given)' : 'given'}];
    } catch (error) {
      return Promise.reject(error instanceof Error && error.message === '${notIterable}' ? new TypeError('object is not iterable') : error);
    }
  }
  return Promise[name](${ownMethods.has('then') ? "promises.map((item) => (typeof item === 'object' && item !== null && !(item instanceof Promise) && typeof item.then === 'function' ? Promise.resolve(item) : item))" : 'promises'});
}`,
  },
];

/**
 * What the engine does not do it throws as an error of the script. A `catch` would go on with another value, so there it
 * is thrown again. What is a TypeError in JavaScript becomes one: the engine throws an Error.
 *
 *     try { box * 2 } catch (e) { e.name }   →   catch (t) { let e = __ms_caught(t); e.name }
 */
export const caught: Rule = {
  id: 'caught',
  on: ['CatchClause'],
  rewrite(node, rewriter) {
    if (node.type !== 'CatchClause') return false;
    writeCaught(node, rewriter);
    return true;
  },
};

/** @param before what is to be done first with the error of this name */
export function writeCaught(node: CatchClause, rewriter: Rewriter, before: (name: string) => string = () => ''): void {
  const { param, body } = node;
  const helper = rewriter.helper('caught');
  const name = rewriter.name();
  // A declaration: a script whose last statement is this one has the value of the block, which may have none.
  rewriter.write(node, `catch (${name}) {${before(name)}let `, param ?? rewriter.name(), ` = ${helper}(${name});`);
  let at = body.start + 1;
  for (const statement of body.body) {
    rewriter.output.copy(at, statement.start);
    rewriter.write(body, statement);
    at = statement.end;
  }
  rewriter.output.copy(at, body.end);
}

/**
 * The same where `finally` leaves the block and the error is forgotten.
 *
 *     try { refused(); } finally { return 1; }   →   try { refused(); } catch (t) { throw __ms_caught(t); } finally { return 1; }
 */
export const finalizers: Rule = {
  id: 'finalizers',
  on: ['TryStatement'],
  rewrite(node, rewriter) {
    if (node.type !== 'TryStatement' || !node.finalizer || !leaves(node.finalizer)) return false;
    const { block, handler, finalizer } = node;
    rewriter.write(node, 'try ', ...(handler ? ['{ try ', block, ' ', handler, ' }'] : [block]));
    const name = rewriter.name();
    rewriter.write(node, ` catch (${name}) { throw ${rewriter.helper('caught')}(${name}); } finally `, finalizer);
    return true;
  },
};

function leaves(finalizer: AnyNode): boolean {
  let found = false;
  walk(
    finalizer,
    ({ type }) => (found ||= /^(?:Return|Break|Continue|Throw)Statement$/.test(type)),
    (node) => found || isFunction(node),
  );
  return found;
}

/** The same for promises that are rejected; and their turns, which come one too early. */
export const rejections: Methods = {
  id: 'rejections',
  names: new Set(['catch', 'then', 'finally']),
  helperFor({ name, args }) {
    if (args.some(({ type }) => type === 'SpreadElement')) return undefined;
    return args.length >= 1 && args.length <= (name === 'then' ? 2 : 1) ? name : undefined;
  },
};

const combinators = new Set(['all', 'allSettled', 'any', 'race']);
const hiding = new Set(['allSettled', 'any', 'race']);

/** Whether the source shows that there is something to go through. */
function isList(node: AnyNode, facts: Facts): boolean {
  return !mayGenerate(node, facts) && unwrap(node).type !== 'Literal' && methodCall(unwrap(node))?.name !== 'match';
}

/**
 * These hide the error of a promise.
 *
 *     Promise.any(list)      →   __ms_combine('any', __ms_watch(list))
 *     Promise.any([p, q])    →   Promise.any(__ms_watch([p, q]))
 */
export const hiddenRejections: Rule = {
  id: 'hidden-rejections',
  on: ['CallExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression' || node.optional) return false;
    const { object, property, computed } = node.callee;
    if (object.type !== 'Identifier' || object.name !== 'Promise' || rewriter.facts.declared.has('Promise'))
      return false;
    if (computed || property.type !== 'Identifier' || !combinators.has(property.name)) return false;
    const [list, ...others] = node.arguments;
    if (node.arguments.some(({ type }) => type === 'SpreadElement')) return false;
    const mayHide = hiding.has(property.name);
    const isPlain = list !== undefined && isList(list, rewriter.facts) && !rewriter.facts.ownMethods.has('then');
    if (isPlain && !mayHide) return false;
    rewriter.output.write(
      isPlain ? `Promise.${property.name}(` : `${rewriter.helper('combine')}('${property.name}', `,
      node,
    );
    if (list === undefined) rewriter.output.write('undefined', node);
    else if (mayHide) rewriter.write(node, `${rewriter.helper('watch')}(`, list, ')');
    else rewriter.write(node, list);
    for (const other of others) rewriter.write(node, ', ', other);
    rewriter.output.write(')', node);
    return true;
  },
};
