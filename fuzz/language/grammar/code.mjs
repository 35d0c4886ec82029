import fc from 'fast-check';

/** Source text of these parts: arbitraries stand for what they give. */
export function code(strings, ...parts) {
  return fc.tuple(...parts).map((values) => String.raw({ raw: strings }, ...values));
}

/** A number to the twelfth digit. @param {import('fast-check').Arbitrary<string>} number */
export const rounded = (number) => code`Number((${number}).toPrecision(12))`;

/** One of these texts as they stand. */
export const oneOf = (...texts) => fc.constantFrom(...texts);

/** Between `min` and `max` of them, with commas between. */
export const list = (arbitrary, { min = 0, max = 4 } = {}) =>
  fc.array(arbitrary, { minLength: min, maxLength: max }).map((items) => items.join(', '));

/** Mostly the one, now and then the other. */
export const mostly = (usual, other, times = 12) =>
  fc.oneof({ weight: times, arbitrary: usual }, { weight: 1, arbitrary: other });

/**
 * Calls as a table says them: `str.slice(int?, int?) str` is a method of a text that takes up to two whole numbers and
 * gives a text; `Math.max(num, num) num` a function. Now and then an argument is of any kind, for its conversion, but
 * for one with `!`: a text of a billion characters proves nothing.
 *
 * @param {string} table one a line
 * @param {Record<string, import('fast-check').Arbitrary<string>>} g what each kind gives
 * @returns {Record<string, import('fast-check').Arbitrary<string>[]>} by the kind of the result
 */
export function calls(table, g) {
  const productions = {};
  for (const line of table.trim().split('\n')) {
    const parts = /^\s*(new \w+|[\w.]+?)(?:\.(\w+))?\((.*)\) (\w+)$/.exec(line);
    if (parts === null) throw new Error(`Not a line of a table of calls: ${line}`);
    const [, receiver, method, parameters, result] = parts;
    const kinds = parameters === '' ? [] : parameters.split(/,\s*/);
    const call = code`${callee(receiver, method, g)}(${argumentsOf(kinds, g)})`;
    (productions[result] ??= []).push(call);
  }
  return productions;
}

function callee(receiver, method, g) {
  if (method === undefined) return fc.constant(receiver);
  return Object.hasOwn(g, receiver)
    ? code`(${g[receiver]}).${fc.constant(method)}`
    : fc.constant(`${receiver}.${method}`);
}

/** Of a method with three optional arguments as often none as three. */
function argumentsOf(kinds, g) {
  const required = kinds.filter((kind) => !kind.endsWith('?')).length;
  const each = kinds.map((kind) => {
    const usual = g[kind.replace(/[?!]/, '')];
    return kind.endsWith('!') ? usual : mostly(usual, g.any);
  });
  return fc
    .tuple(fc.integer({ min: required, max: kinds.length }), fc.tuple(...each))
    .map(([count, all]) => all.slice(0, count).join(', '));
}

/** Productions of several topics together. */
export function merge(...topics) {
  const all = {};
  for (const topic of topics) {
    for (const [kind, productions] of Object.entries(topic)) (all[kind] ??= []).push(...productions);
  }
  return all;
}
