import fc from 'fast-check';

/** So many go to a child process at once: a message costs as much as a program. */
const pieceSize = 64;

/**
 * Judges the first programs that a seed gives, a piece at a time. fast-check would wait for each of them. One that is
 * wrong is found again by its place in the series, and made small.
 *
 * @param {import('fast-check').Arbitrary<string>} program
 * @param {{ seed: number, numRuns: number }} which
 * @param {{ judge: (sources: string[]) => Promise<boolean[]>, check: (source: string) => Promise<void> }} steps
 *   `judge` says which of them are right; `check` throws for one that is not
 * @returns {Promise<import('fast-check').RunDetails<[string]> | { numRuns: number, failed: false }>} of the first wrong one
 */
export async function checkSeries(program, { seed, numRuns }, { judge, check }) {
  const sources = fc.sample(program, { seed, numRuns });
  /** @type {boolean[]} */
  const areRight = [];
  while (areRight.length < numRuns) {
    areRight.push(...(await judge(sources.slice(areRight.length, areRight.length + pieceSize))));
  }
  const wrong = areRight.indexOf(false);
  if (wrong === -1) return { numRuns, failed: false };
  const options = { seed, path: String(wrong), numRuns: 1, includeErrorInReport: true };
  return { ...(await fc.check(fc.asyncProperty(program, check), options)), numRuns };
}
