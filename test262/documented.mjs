import { withoutConstructs } from '../fuzz/language/documented.mjs';

/**
 * The id of the documented difference that the test fails by: without what it is about, V8 and the sandbox come to the
 * same.
 *
 * @param {import('./tests.mjs').Test} test
 * @param {(source: string) => Promise<boolean>} isSameWithout
 */
export async function explanationFor({ source }, isSameWithout) {
  for (const { id, source: other } of withoutConstructs(source)) if (await isSameWithout(other)) return id;
  return undefined;
}
