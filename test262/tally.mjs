/** What a test can come to, in the order in which it is told. */
export const outcomes = /** @type {const} */ (['pass', 'refused', 'documented', 'value', 'error', 'invalid']);

/** @typedef {import('./run.mjs').Result} Result */
/** @typedef {Record<typeof outcomes[number], number> & { tests: number }} Counts */

/** @param {Result} result @returns {typeof outcomes[number]} */
export function outcomeOf({ verdict, id, isSilent }) {
  if (verdict !== 'wrong') return verdict;
  if (id !== undefined) return 'documented';
  return isSilent ? 'value' : 'error';
}

/** @param {Result[]} results @returns {Counts} */
export function count(results) {
  const counts = { tests: results.length, pass: 0, refused: 0, documented: 0, value: 0, error: 0, invalid: 0 };
  for (const result of results) counts[outcomeOf(result)]++;
  return counts;
}

/** @template T @param {T[]} items @param {(item: T) => string | undefined} keyOf @returns {Map<string, T[]>} */
export function groupBy(items, keyOf) {
  const found = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = found.get(key);
    if (group === undefined) found.set(key, [item]);
    else group.push(item);
  }
  return found;
}

/** `String` of `test/built-ins/String/prototype/at.js`. @param {Result} result */
export function builtInOf({ file }) {
  const [, kind, name] = file.split('/');
  return kind === 'built-ins' ? (name ?? kind) : `${kind}/${name}`;
}
