import { summarize } from './statistics.mjs';

/**
 * @typedef {() => unknown} Way one way of doing the job, once
 * @typedef {{ run: Way, perRound?: number, before?: Way }} TimedWay `perRound`: a way that takes a thousandth of the
 *   others' time is measured more often; `before` is not timed
 * @typedef {Record<string, number[]>} Samples by way, in ms unless said otherwise
 */

/**
 * Times several ways of doing a job side by side: in turn within each round, so that a machine that slows
 * down slows all of them.
 *
 * @param {Record<string, Way | TimedWay>} ways
 * @param {{ rounds: number, warmup: number, budgetMs: number }} options `budgetMs`: after that much time no further
 *   round begins, so that a slow machine measures less and not longer; three rounds there are in any case
 * @returns {Promise<Samples>}
 */
export async function sideBySide(ways, { rounds, warmup, budgetMs }) {
  const list = Object.entries(ways).map(([name, way]) => ({
    name,
    perRound: 1,
    before: undefined,
    samples: [],
    ...(typeof way === 'function' ? { run: way } : way),
  }));
  const startedAt = performance.now();
  const isOver = (share) => performance.now() - startedAt > budgetMs * share;
  for (let round = 0; round < warmup && !isOver(0.25); round++) await once(list, false);
  for (let round = 0; round < rounds && (round < 3 || !isOver(1)); round++) await once(list, true);
  return Object.fromEntries(list.map(({ name, samples }) => [name, samples]));
}

async function once(list, counts) {
  for (const { run, perRound, before, samples } of list) {
    for (let turn = 0; turn < perRound; turn++) {
      await before?.();
      const startedAt = performance.now();
      await run();
      if (counts) samples.push(performance.now() - startedAt);
    }
  }
}

/**
 * How much of something several ways consume or do, side by side: `measure` is called in turn for each way.
 *
 * @template T
 * @param {Record<string, T>} ways
 * @param {(way: T) => Promise<number>} measure
 * @param {{ rounds: number, warmup: number }} options
 * @returns {Promise<Samples>}
 */
export async function inTurn(ways, measure, { rounds, warmup }) {
  /** @type {Record<string, number[]>} */
  const samples = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = -warmup; round < rounds; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const value = await measure(way);
      if (round >= 0) samples[name].push(value);
    }
  }
  return samples;
}

/**
 * @param {Samples} samples
 * @param {string} unit
 */
export function summaries(samples, unit = 'ms') {
  return Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, { unit, ...summarize(values) }]));
}
