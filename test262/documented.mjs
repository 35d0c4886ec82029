import { withoutConstructs } from '../fuzz/language/documented.mjs';

const surrogates =
  /\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u\{(?:[1-9a-fA-F]|10)[0-9a-fA-F]{4}\}/g;

/**
 * The id of the documented difference that the test fails by: without what it is about, V8 and the sandbox come to the
 * same.
 *
 * @param {import('./tests.mjs').Test} test
 * @param {(source: string) => Promise<boolean>} isSameWithout
 */
export async function explanationFor({ source }, isSameWithout) {
  const others = withoutConstructs(source);
  const plain = source.replaceAll(surrogates, '\\u65e5');
  if (plain !== source) others.unshift({ id: 'code-points', source: plain });
  for (const { id, source: other } of others) if (id !== 'strict' && (await isSameWithout(other))) return id;
  return undefined;
}
