// What docs/language.md does not claim to have. A test that asks for it is outside of the claim: by what stands in the
// test, never by its name in a list.

/** @typedef {{ id: string, what: string, isIn: (test: import('./tests.mjs').Test, code: string) => boolean }} Group */

/** @param {RegExp} pattern */
const has = (pattern) => (_test, code) => pattern.test(code);
/** @param {(string | RegExp)[]} patterns one of them */
const any = (...patterns) =>
  has(new RegExp(patterns.map((each) => (typeof each === 'string' ? each : each.source)).join('|')));

const builtIn = '(?:Array|BigInt|Boolean|Date|Error|Function|JSON|Map|Math|Number|Object|Promise|RegExp|Set|String)';

const asksForDescriptors = any(
  /\b(?:getOwnPropertyDescriptors?|defineProperties|propertyIsEnumerable|__defineGetter__|__lookupGetter__)\b/,
  /\b(?:Object|Reflect)\.defineProperty\b|\b(?:isEnumerable|isWritable|isConfigurable)\(/,
  /\bObject\.(?:freeze|seal|preventExtensions|isFrozen|isSealed|isExtensible)\b/,
);
const asksForFunctions = any(
  // Its length and its name.
  `\\b${builtIn}(?:\\.prototype)?(?:\\.\\w+)?\\.(?:length|name)\\b`,
  // Which fields built-ins have of their own.
  `\\b${builtIn}(?:\\.prototype)?(?:\\.\\w+)*\\.hasOwnProperty\\(`,
  `hasOwnProperty\\.call\\(${builtIn}|for *\\((?:var|let|const)? *\\w+ in ${builtIn}`,
  // What it is when it is made by `new`, and objects around a number or a text.
  `\\bnew ${builtIn}\\.|\\bisConstructor\\b|new \\w+\\(\\)\\.constructor`,
  /\bnew (?:String|Number|Boolean|Object)\b|\bObject\((?:'|"|\d|true|false|Symbol)/,
);
const asksForPrototypes = any(
  /\b(?:getPrototypeOf|setPrototypeOf|isPrototypeOf|__proto__)\b|\bObject\.create\b/,
  /\.prototype(?:\.\w+|\[[^\]]*\])? *=[^=]|\bdelete [\w.]+\.prototype|\.prototype\b(?!\.\w)/,
);
const changesBuiltIns = any(
  `\\b${builtIn}\\.\\w+ *=[^=]|\\bdelete ${builtIn}\\b`,
  /\.(?:then|constructor|resolve|reject|exec|lastIndex|flags|global) *= *(?:function|null|undefined|\{|\()/,
  /\bclass \w* *extends\b/,
);
const borrows = any(
  /\.prototype\.\w+\.(?:call|apply|bind)\b|\b\w+\.(?:call|apply|bind)\(/,
  /[=:] *\w+\.prototype\.\w+ *[;,}\n]|\[\]\.\w+ *;/,
);

/** In this order: a test counts for the first that fits. @type {Group[]} */
export const groups = [
  {
    id: 'descriptors',
    what: 'how properties are described, getters and setters by `Object.defineProperty`, frozen objects',
    isIn: (test, code) => test.includes.includes('propertyHelper.js') || asksForDescriptors(test, code),
  },
  {
    id: 'symbols',
    what: 'symbols other than `Symbol.iterator` and `Symbol.asyncIterator`',
    isIn: has(/\bSymbol(?:\(|\.(?!iterator\b|asyncIterator\b)|\b(?!\.))/),
  },
  {
    id: 'reflection',
    what: '`Proxy`, `Reflect`, `eval`, `Function`, other realms',
    isIn: has(/\bProxy\b|\bReflect\b|\beval\b|\bFunction\b|\$262\b|\bassert\.throws\.early\b/),
  },
  {
    id: 'prototypes',
    what: 'prototypes: reading, setting and changing them, and objects that inherit from others',
    isIn: asksForPrototypes,
  },
  {
    id: 'functions',
    what: "built-ins as objects: their `length` and `name`, `new` of a method, `new String('a')`",
    isIn: asksForFunctions,
  },
  {
    id: 'changed',
    what: 'built-ins and their instances that the test changes, such as `promise.then = f`, and classes that extend them',
    isIn: changesBuiltIns,
  },
  {
    id: 'borrowed',
    what: 'methods that are called on values of another kind, by `call`, `apply`, `bind` or as a field of an object',
    isIn: borrows,
  },
  {
    id: 'sloppy',
    what: 'sloppy mode: `with`, `this` as the global object',
    isIn: ({ flags }, code) => flags.includes('noStrict') || /\bwith *\(/.test(code),
  },
];

/** @param {import('./tests.mjs').Test} test @returns {Group | undefined} */
export function groupOf(test) {
  const code = withoutComments(test.source);
  return groups.find(({ isIn }) => isIn(test, code));
}

/** Good enough to look for names: what stands in a text counts, too. */
function withoutComments(source) {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
}
