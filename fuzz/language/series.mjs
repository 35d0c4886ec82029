import fc from 'fast-check';

/** So many wrong ones of a series are made small: each takes its time, and they may have one cause. */
const mostWrong = 3;

/** @typedef {{ judge: (sources: string[]) => Promise<boolean[]>, check: (source: string) => Promise<void> }} Steps
 *   `judge` says which of them are right; `check` throws for one that is not */

/**
 * Judges the first programs that a seed gives, all at once: fast-check would wait for each of them. One that is wrong is found again by its place in the series, and made small.
 *
 * @param {import('fast-check').Arbitrary<string>} program
 * @param {{ seed: number, numRuns: number }} which
 * @param {Steps} steps
 * @returns {Promise<import('../campaign.mjs').Checked>}
 */
export async function checkSeries(program, { seed, numRuns }, { judge, check }) {
  const sources = fc.sample(program, { seed, numRuns });
  const areRight = await judge(sources);
  const wrong = [...areRight.keys()].filter((at) => !areRight[at]);
  const failures = [];
  for (const at of wrong.slice(0, mostWrong)) {
    const options = { seed, path: String(at), numRuns: 1, includeErrorInReport: true };
    const found = await fc.check(fc.asyncProperty(program, check), options);
    if (found.failed) failures.push({ error: found.errorInstance, value: found.counterexample });
    else
      failures.push({
        error: new Error('It was wrong once, and right when it was tried again.'),
        value: [sources[at]],
      });
  }
  return { numRuns, failures };
}

/**
 * Judges one batch of programs that are always the same, and names all of it that are wrong.
 *
 * @param {string[]} programs
 * @param {{ seed: number, numRuns: number }} which the number of the batch, and how many are in each
 * @param {Steps} steps
 * @returns {Promise<import('../campaign.mjs').Checked>}
 */
export async function checkList(programs, { seed: batch, numRuns: size }, { judge, check }) {
  const sources = programs.slice(batch * size, (batch + 1) * size);
  const areRight = await judge(sources);
  const wrong = sources.filter((_, at) => !areRight[at]);
  const whys = [];
  for (const source of wrong) whys.push(await check(source).catch(({ message }) => message));
  const failures = wrong.length === 0 ? [] : [{ error: new Error(whys.join('\n\n')), value: wrong }];
  return { numRuns: sources.length, failures };
}
