/**
 * @typedef {{ n: number, p50: number, p25: number, p75: number, p99: number, min: number, max: number }} Summary
 * @typedef {{ value: number, low: number, high: number }} Ratio `low` and `high`: over parts of the run
 */

/**
 * What a list of measurements says: the median, how far its middle half spreads, and its ends.
 *
 * @param {readonly number[]} values at least one
 * @returns {Summary}
 */
export function summarize(values) {
  if (values.length === 0) throw new RangeError('Nothing was measured.');
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share) => quantile(sorted, share);
  return {
    n: sorted.length,
    p50: at(0.5),
    p25: at(0.25),
    p75: at(0.75),
    p99: at(0.99),
    min: sorted[0],
    max: sorted[sorted.length - 1],
  };
}

/** Between two measurements it interpolates, so that the median of few does not jump. */
function quantile(sorted, share) {
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}

/** @param {readonly number[]} values at least one */
export function median(values) {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

/** Parts that a run is cut into to see whether a ratio is the same in each. */
const parts = 8;
/** A part of fewer has a median that says nothing. */
const partAtLeast = 5;

/**
 * The ratio of two medians, or of one to the sum of several, and the range it took over the run: what was
 * measured in the same part of the run is compared, so that a machine that slows down slows both.
 *
 * @param {readonly number[]} over
 * @param {readonly (readonly number[])[]} under their medians are added
 * @returns {Ratio}
 */
export function ratioOf(over, under) {
  const whole = median(over) / sum(under.map(median));
  const shortest = Math.min(over.length, ...under.map(({ length }) => length));
  const count = Math.min(parts, Math.floor(shortest / partAtLeast));
  if (count < 2) return { value: whole, low: whole, high: whole };
  const each = Array.from({ length: count }, (_, index) => {
    const part = (list) =>
      median(list.slice(Math.floor((index * list.length) / count), Math.floor(((index + 1) * list.length) / count)));
    return part(over) / sum(under.map(part));
  });
  return { value: whole, low: Math.min(whole, ...each), high: Math.max(whole, ...each) };
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
