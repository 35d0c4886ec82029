/**
 * Whether an answer is the right one: the same JSON, whatever the order of keys. Numbers may differ in the last digits
 * that a sum of doubles loses.
 */
export function isRight(given, expected) {
  if (typeof expected === 'number') {
    return typeof given === 'number' && Math.abs(given - expected) <= 1e-9 * Math.max(1, Math.abs(expected));
  }
  if (Array.isArray(expected)) {
    return (
      Array.isArray(given) && given.length === expected.length && expected.every((item, at) => isRight(given[at], item))
    );
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return false;
    const keys = Object.keys(expected);
    return (
      Object.keys(given).length === keys.length &&
      keys.every((key) => Object.hasOwn(given, key) && isRight(given[key], expected[key]))
    );
  }
  return given === expected;
}
