/**
 * Times several ways of doing a thing side by side: in turn within each round, so that a machine that
 * slows down slows all of them.
 *
 * @param {Record<string, () => Promise<unknown>>} ways
 * @param {{ rounds: number, warmup: number }} options
 * @returns {Promise<Record<string, Timing>>} in ms
 *
 * @typedef {{ p50: number, p99: number, min: number, max: number }} Timing
 */
export async function sideBySide(ways, { rounds, warmup }) {
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = -warmup; round < rounds; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const startedAt = performance.now();
      await way();
      if (round >= 0) times[name].push(performance.now() - startedAt);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, summary(list)]));
}

function summary(list) {
  const sorted = list.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return { p50: at(0.5), p99: at(0.99), min: sorted[0], max: sorted.at(-1) };
}
