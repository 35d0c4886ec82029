// What the ground truth is computed with, over the records that the files were made of.

export const sum = (list) => list.reduce((total, value) => total + value, 0);
/** A half goes up, also where the double is a little below it. */
export const round = (value, digits = 2) => Math.round(value * 10 ** digits + 1e-6) / 10 ** digits;
export const distinct = (list) => new Set(list).size;

/** How often each key occurs. */
export function countBy(list, keyOf) {
  const counts = new Map();
  for (const item of list) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

/** A total for each key. */
export function sumBy(list, keyOf, valueOf) {
  const sums = new Map();
  for (const item of list) sums.set(keyOf(item), (sums.get(keyOf(item)) ?? 0) + valueOf(item));
  return sums;
}

/** The largest first; of equals the key that sorts first. */
export const top = (counts, count) => [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, count);

/** By key, as an object. */
export const byKey = (counts) => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));

/** Nearest rank: of the sorted values the one at position ceil(share × count), from 1 on. */
export const rank = (list, share) => list.toSorted((a, b) => a - b)[Math.ceil(share * list.length) - 1];
