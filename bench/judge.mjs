import { isMet, isTolerable, wanted } from './wanted.mjs';

/**
 * One wanted figure and what was measured of it.
 *
 * @typedef {'met' | 'missed' | 'too bad' | 'skipped'} Verdict `missed`: not as wanted, and within what CI tolerates
 * @typedef {{
 *   id: string, figure: string, what: string, unit: string, direction: string, wanted: number,
 *   value: number | null, low?: number, high?: number, verdict: Verdict, note?: string,
 * }} Judgement `note`: why it is skipped or known to be missed
 */

/**
 * @param {string} figure
 * @param {Record<string, import('./figures/index.mjs').Measured>} ratios
 * @returns {Judgement[]}
 */
function judge(figure, ratios) {
  return Object.entries(ratios).map(([id, measured]) => {
    const { what, unit, direction, wanted: limit, known } = wanted[id];
    const facts = { id, figure, what, unit, direction, wanted: limit };
    if ('skipped' in measured) return { ...facts, value: null, verdict: 'skipped', note: measured.skipped };
    const verdict = verdictOf(wanted[id], measured);
    const far = !isTolerable({ ...wanted[id], known: undefined }, measured.value);
    return { ...facts, ...measured, verdict, ...(known !== undefined && { note: noteOf(known, far) }) };
  });
}

function noteOf({ why }, far) {
  return far ? `known: ${why}` : 'may no longer need a bound of its own in bench/wanted.mjs';
}

/**
 * CI's line is for the best part of the run. On a virtual machine the median of one run can be four times its best part: a
 * ratio of two processes that wake each other depends on whether its host had a second processor to spare.
 */
function verdictOf(entry, { value, low = value, high = value }) {
  if (isMet(entry, value)) return 'met';
  return isTolerable(entry, entry.direction === 'at most' ? low : high) ? 'missed' : 'too bad';
}

/**
 * Measures a figure, and again while something in it is too bad: other work on a shared machine makes a figure
 * worse and never better, so the best of a few is nearer to the truth than any one.
 *
 * @template {{ ratios: Record<string, import('./figures/index.mjs').Measured> }} T
 * @param {string} figure
 * @param {(attempt: number) => Promise<T>} measure
 * @param {number} attempts at most
 * @returns {Promise<{ result: T, judgements: Judgement[] }>} of the last attempt, with the best value of each ratio
 */
export async function judgeWithPatience(figure, measure, attempts) {
  const best = new Map();
  for (let attempt = 1; ; attempt++) {
    const result = await measure(attempt);
    for (const judgement of judge(figure, result.ratios)) {
      if (!best.has(judgement.id) || isBetter(judgement, best.get(judgement.id))) best.set(judgement.id, judgement);
    }
    const judgements = [...best.values()];
    if (attempt >= attempts || judgements.every(({ verdict }) => verdict !== 'too bad')) return { result, judgements };
  }
}

function isBetter({ direction, value }, than) {
  return direction === 'at most' ? value < than.value : value > than.value;
}
