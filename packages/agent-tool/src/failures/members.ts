import type { Failure } from './failure.ts';
import type { Rewrite } from './rewrites.ts';

/** The methods that the engine has. test/docs/language.test.ts checks each with the engine. */
export const members = {
  'Array.prototype':
    'at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat flatMap forEach includes indexOf join keys lastIndexOf map pop push reduce reduceRight reverse shift slice some sort splice toLocaleString toReversed toSorted toSpliced toString unshift values with',
  'String.prototype':
    'at charAt charCodeAt codePointAt concat endsWith includes indexOf isWellFormed lastIndexOf localeCompare match matchAll normalize padEnd padStart repeat replace replaceAll search slice split startsWith substr substring toLocaleLowerCase toLocaleUpperCase toLowerCase toString toUpperCase trim trimEnd trimStart valueOf',
  'Object.prototype': 'hasOwnProperty propertyIsEnumerable toString valueOf',
  'Map.prototype': 'clear delete entries forEach get has keys set values',
  'Set.prototype':
    'add clear delete difference entries forEach has intersection isDisjointFrom isSubsetOf isSupersetOf keys symmetricDifference union values',
  'RegExp.prototype': 'exec test toString',
  'Number.prototype': 'toExponential toFixed toLocaleString toPrecision toString valueOf',
  'Promise.prototype': 'catch finally then',
  'Date.prototype':
    'getDate getDay getFullYear getHours getMilliseconds getMinutes getMonth getSeconds getTime getTimezoneOffset getUTCDate getUTCDay getUTCFullYear getUTCHours getUTCMilliseconds getUTCMinutes getUTCMonth getUTCSeconds setDate setFullYear setHours setMilliseconds setMinutes setMonth setSeconds setTime setUTCDate setUTCFullYear setUTCHours setUTCMilliseconds setUTCMinutes setUTCMonth setUTCSeconds toDateString toISOString toJSON toLocaleDateString toLocaleString toLocaleTimeString toString toTimeString toUTCString valueOf',
  Array: 'from fromAsync isArray of',
  Object:
    'assign create defineProperty entries freeze fromEntries getOwnPropertyNames groupBy hasOwn is isFrozen keys preventExtensions seal values',
  String: 'fromCharCode fromCodePoint raw',
  Number: 'isFinite isInteger isNaN isSafeInteger parseFloat parseInt',
  Math: 'abs acos acosh asin asinh atan atan2 atanh cbrt ceil clz32 cos cosh exp expm1 floor fround hypot imul log log10 log1p log2 max min pow random round sign sin sinh sqrt tan tanh trunc',
  JSON: 'parse stringify',
  Promise: 'all allSettled any race reject resolve withResolvers',
  Date: 'UTC now parse',
  Map: 'groupBy',
  console: 'error log warn',
} as const satisfies Record<string, string>;

const byMember: Record<string, Omit<Rewrite, 'what'>> = {
  'Array.prototype.contains': { advice: 'Use includes.', example: `[1, 2, 3].includes(2)` },
};
const consoleRewrite = {
  advice: 'There are console.log, console.warn and console.error. Their text is not part of the answer.',
  example: `console.log('so far', { n: 1 });\n'done'`,
};
const collectionRewrite = {
  advice: 'Spread it into an array first.',
  example: `const sizes = new Map([['a', 1], ['b', 2]]);\n[...sizes].map(([name, size]) => name + size)`,
};
const promiseRewrite = {
  advice:
    'It was called on a promise, which an async function gives: await it first. The functions of the sandbox need no await.',
  example: `const [path] = await list_files();\nconst text = await read_file(path);\ntext.split('\\n').length`,
};

/** The answer to a method that the engine lacks. @param subject as the engine names it: `String.prototype.substr` */
export function missingMember(subject: string, { usesAwait }: Failure): Rewrite {
  const owner = subject.slice(0, subject.lastIndexOf('.'));
  const name = subject.slice(owner.length + 1).slice(0, 64);
  const type = owner.replace(/\.prototype$/, '');
  const what =
    owner === type
      ? `There is no ${type}.${name}.`
      : `There is no method ${name} on ${type === 'Object' ? 'this object' : type}.`;
  return { what, ...rewriteOf(subject, owner, type, usesAwait) };
}

function rewriteOf(subject: string, owner: string, type: string, usesAwait: boolean): Omit<Rewrite, 'what'> {
  const known = byMember[subject];
  if (known !== undefined) return known;
  if (type === 'console') return consoleRewrite;
  if (type === 'Promise' && owner !== type) return promiseRewrite;
  if (['Map', 'Set', 'Iterator'].includes(type) && owner !== type) return collectionRewrite;
  const there: string | undefined = (members as Record<string, string>)[owner];
  const list = there === undefined ? '' : ` ${type} has: ${there.split(' ').join(', ')}.`;
  const hint = type === 'Object' && usesAwait ? ' It may be a promise that was not awaited.' : '';
  const example = `Object.keys({ a: 1 }).map((key) => key.toUpperCase())`;
  return { advice: `Write it with the methods that there are.${type === 'Object' ? hint : list}`, example };
}
