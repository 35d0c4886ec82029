import fc from 'fast-check';

/** So many go to a child process at once: there they are made into few scripts. */
const pieceSize = 250;

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
  const sources = sampleOf(program, seed, numRuns);
  const judged = Promise.all(piecesOf(sources).map((piece) => judge(piece)));
  // While others work.
  setImmediate(() => {
    const next = seed + 1;
    ahead = { program, seed: next, numRuns, sources: fc.sample(program, { seed: next, numRuns }) };
  });
  const areRight = (await judged).flat();
  const wrong = areRight.indexOf(false);
  if (wrong === -1) return { numRuns, failed: false };
  const options = { seed, path: String(wrong), numRuns: 1, includeErrorInReport: true };
  return { ...(await fc.check(fc.asyncProperty(program, check), options)), numRuns };
}

/**
 * Judges one batch of programs that are always the same, and names all of it that are wrong.
 *
 * @param {string[]} programs
 * @param {{ seed: number, numRuns: number }} which the number of the batch, and how many are in each
 * @param {{ judge: (sources: string[]) => Promise<boolean[]>, check: (source: string) => Promise<void> }} steps
 */
export async function checkList(programs, { seed: batch, numRuns: size }, { judge, check }) {
  const sources = programs.slice(batch * size, (batch + 1) * size);
  const areRight = (await Promise.all(piecesOf(sources).map((piece) => judge(piece)))).flat();
  const wrong = sources.filter((_, at) => !areRight[at]);
  const whys = [];
  for (const source of wrong) whys.push(await check(source).catch(({ message }) => message));
  if (wrong.length === 0) return { numRuns: sources.length, failed: false };
  return { numRuns: sources.length, failed: true, counterexample: wrong, errorInstance: new Error(whys.join('\n\n')) };
}

/** What is likely to be asked for next. @type {{ program: unknown, seed: number, numRuns: number, sources: string[] } | undefined} */
let ahead;

function sampleOf(program, seed, numRuns) {
  const isAhead = ahead?.program === program && ahead?.seed === seed && ahead?.numRuns === numRuns;
  return isAhead && ahead !== undefined ? ahead.sources : fc.sample(program, { seed, numRuns });
}

/** @param {string[]} sources */
function piecesOf(sources) {
  const pieces = [];
  for (let at = 0; at < sources.length; at += pieceSize) pieces.push(sources.slice(at, at + pieceSize));
  return pieces;
}
