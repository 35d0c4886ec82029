import type { Helper } from '../helper.ts';
import type { Methods, Rule } from '../rule.ts';
import { Refusal } from '../rewriter.ts';
import { memberName, type AnyNode } from '../syntax.ts';

/** Globals of the language that there are not. The engine says the same of them as of a name that is misspelt. */
export const missingGlobals = [
  ...['Symbol', 'Proxy', 'WeakRef', 'FinalizationRegistry', 'Iterator', 'escape', 'unescape'],
  ...['SharedArrayBuffer', 'Atomics', 'WebAssembly', 'Float16Array', 'BigInt64Array', 'BigUint64Array'],
  ...['URL', 'URLSearchParams'],
];

/** Members of objects of the library that read as `undefined`, as if JavaScript had none of the name. */
const missingStatics: Record<string, ReadonlySet<string>> = {
  Object: new Set([
    ...['getOwnPropertyDescriptor', 'getOwnPropertyDescriptors', 'getOwnPropertySymbols', 'defineProperties'],
    ...['getPrototypeOf', 'setPrototypeOf', 'isExtensible', 'isSealed'],
  ]),
  Error: new Set(['captureStackTrace', 'stackTraceLimit', 'isError']),
  BigInt: new Set(['asIntN', 'asUintN']),
  RegExp: new Set(['input', 'lastMatch', 'lastParen', 'leftContext', 'rightContext', '$_', ...'123456789'].map(dollar)),
  Intl: new Set([
    ...['Collator', 'PluralRules', 'RelativeTimeFormat', 'ListFormat', 'Locale', 'DisplayNames', 'Segmenter'],
    ...['getCanonicalLocales', 'supportedValuesOf'],
  ]),
};

function dollar(name: string): string {
  return /^\d$/.test(name) ? `$${name}` : name;
}

/** Methods of texts that the engine lacks. Objects may have fields of these names. */
const textMembers = new Set([
  ...['anchor', 'big', 'blink', 'bold', 'fixed', 'fontcolor', 'fontsize', 'italics', 'link', 'small', 'strike', 'sub'],
  ...['substr', 'sup', 'toWellFormed', 'trimLeft', 'trimRight', 'toLocaleLowerCase', 'toLocaleUpperCase'],
]);
const objectMembers = new Set([
  ...['isPrototypeOf', 'propertyIsEnumerable', 'toLocaleString'],
  ...['__defineGetter__', '__defineSetter__', '__lookupGetter__', '__lookupSetter__'],
]);

/**
 * What the engine lacks and takes for `undefined` is refused where a script reads it.
 *
 *     'abc'.anchor           →   __ms_member('abc', 'anchor')
 *     typeof Proxy           →   refused
 *     { __proto__: base }    →   refused
 */
export const missing: Rule[] = [
  {
    id: 'missing-members',
    on: ['MemberExpression'],
    rewrite(node, rewriter) {
      if (node.type !== 'MemberExpression' || node.object.type === 'Super') return false;
      const name = memberName(node);
      if (name === undefined) return false;
      if (name === '__proto__') throw new Refusal('__proto__ is not supported: there are no prototypes', node);
      const { object } = node;
      if (object.type === 'Identifier' && !rewriter.facts.declared.has(object.name)) {
        if (Object.hasOwn(missingStatics, object.name) && missingStatics[object.name]?.has(name) === true) {
          const parent = rewriter.ancestors.at(-1);
          // A call the engine refuses by itself.
          if (parent?.type === 'CallExpression' && parent.callee === node) return false;
          rewriter.write(node, `${rewriter.helper('refuse')}('${object.name}.${name} is not supported')`);
          return true;
        }
      }
      if (!textMembers.has(name) && !objectMembers.has(name)) return false;
      const parent = rewriter.ancestors.at(-1);
      const isTarget =
        (parent?.type === 'AssignmentExpression' && parent.left === node) ||
        parent?.type === 'UpdateExpression' ||
        (parent?.type === 'UnaryExpression' && parent.operator === 'delete') ||
        (parent?.type === 'CallExpression' && parent.callee === node);
      if (isTarget || node.optional || rewriter.ancestors.some(({ type }) => type === 'ChainExpression')) return false;
      rewriter.write(node, `${rewriter.helper('member')}(`, object, `, ${JSON.stringify(name)})`);
      return true;
    },
  },
  {
    id: 'missing-prototype',
    on: ['Property'],
    rewrite(node, rewriter) {
      if (node.type !== 'Property' || node.computed || node.shorthand || node.method) return false;
      if (rewriter.ancestors.at(-1)?.type !== 'ObjectExpression' || keyName(node.key) !== '__proto__') return false;
      throw new Refusal('__proto__ is not supported: there are no prototypes', node);
    },
  },
  {
    id: 'missing-globals',
    on: ['UnaryExpression'],
    rewrite(node, rewriter) {
      if (node.type !== 'UnaryExpression' || node.operator !== 'typeof' || node.argument.type !== 'Identifier')
        return false;
      const { name } = node.argument;
      if (!missingGlobals.includes(name) || rewriter.facts.declared.has(name)) return false;
      throw new Refusal(`${name} is not supported`, node);
    },
  },
];

/** Whether the engine has no method of the name that a text or an object has in JavaScript: to ask for it tells nothing. */
export function isMissingMethod(name: string): boolean {
  return textMembers.has(name) || objectMembers.has(name);
}

function keyName(key: AnyNode): unknown {
  return key.type === 'Identifier' ? key.name : key.type === 'Literal' ? key.value : undefined;
}

const written = new Map([
  // The engine takes no argument for `undefined` there.
  [
    'constructor',
    "args.length === 0 && typeof object === 'string' ? '' : args.length === 0 && typeof object === 'number' ? 0",
  ],
  ['trimLeft', "typeof object === 'string' ? object.trimStart()"],
  ['trimRight', "typeof object === 'string' ? object.trimEnd()"],
  ['toLocaleLowerCase', "typeof object === 'string' && args[0] === undefined ? object.toLowerCase()"],
  ['toLocaleUpperCase', "typeof object === 'string' && args[0] === undefined ? object.toUpperCase()"],
  [
    'propertyIsEnumerable',
    "typeof object === 'object' && object !== null && !Array.isArray(object) ? Object.hasOwn(object, ...args)",
  ],
  [
    'toLocaleString',
    "(object instanceof Date || typeof object === 'number') && args.length > 0 && (__ms_hasV8 || Object.is(object, -0)) ? __ms_localeText(object, 'toLocaleString', args) : typeof object === 'bigint' ? String(object).split('').reverse().map((digit, at) => (at > 0 && at % 3 === 0 && digit !== '-' ? digit + ',' : digit)).reverse().join('') : typeof object === 'string' || typeof object === 'boolean' ? String(object) : Object.is(object, -0) ? '-0' : Array.isArray(object) ? __ms_map(object, (item) => (item === null || item === undefined ? '' : __ms_toLocaleString(item, ...args))).join(',')",
  ],
]);

/** Calls of what is missing; of the others the engine says it. */
export const missingMethods: Methods = {
  id: 'missing-methods',
  names: new Set(written.keys()),
  helperFor: ({ name, args }) => (args.some(({ type }) => type === 'SpreadElement') ? undefined : name),
};

/** V8 knows all locales and options; the engine those that are most frequent. */
export const localeTexts: Methods = {
  id: 'locale-texts',
  names: new Set(['toLocaleDateString', 'toLocaleTimeString']),
  helperFor: ({ name, args }) =>
    args.length === 0 || args.some(({ type }) => type === 'SpreadElement') ? undefined : name,
};

export const missingHelpers: Helper[] = [
  {
    name: 'localeText',
    code: `function __ms_localeText(value, method, [locale, options]) {
  const isPlain = typeof locale === 'string' || locale === undefined;
  if (!isPlain || (typeof options !== 'object' && options !== undefined) || options === null) return value[method](locale, options);
  const isDate = value instanceof Date;
  const number = isDate ? value.getTime() : value;
  return __ms_inV8('localeText', method, Object.is(number, -0) ? '-0' : String(number), isDate, locale ?? null, Array.isArray(options) ? {} : (options ?? null));
}`,
  },
  ...['toLocaleDateString', 'toLocaleTimeString'].map((name) => ({
    name,
    code: `function __ms_${name}(date, ...args) {
  return date instanceof Date && __ms_hasV8 ? __ms_localeText(date, '${name}', args) : date.${name}(...args);
}`,
  })),
  {
    name: 'member',
    code: `function __ms_member(object, name) {
  const value = object[name];
  if (value !== undefined) return value;
  if (typeof object === 'string') __ms_refuse('String.prototype.' + name + ' is not supported');
  if (${JSON.stringify([...objectMembers])}.includes(name)) __ms_refuse('Object.prototype.' + name + ' is not supported');
  return value;
}`,
  },
  ...[...written].map(([name, test]) => ({
    name,
    code: `function __ms_${name}(object, ...args) {
  return ${test} : object.${name}(...args);
}`,
  })),
];
