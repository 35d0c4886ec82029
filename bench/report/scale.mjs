/**
 * A logarithmic axis.
 *
 * @typedef {{ place: (value: number) => number, ticks: number[] }} Scale `place`: where on the axis, from 0 to 1
 */

/** An axis with a tick at each of these values. @param {readonly number[]} values ascending @returns {Scale} */
export function scaleOf(values) {
  return { place: between(values[0], values.at(-1)), ticks: [...values] };
}

/**
 * An axis from the 1, 2 or 5 below the least value to the one above the greatest, with ticks at round numbers.
 *
 * @param {readonly number[]} values positive
 * @param {number} [unit] in which the numbers are to be round
 * @returns {Scale}
 */
export function roundScale(values, unit = 1) {
  const low = rounded(Math.min(...values) / unit, Math.floor);
  const high = rounded(Math.max(...values) / unit, Math.ceil);
  const decades = Math.log10(high / low);
  const steps = decades > 2.5 ? [1] : decades > 1.2 ? [1, 5] : [1, 2, 5];
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    ticks.push(
      ...steps.map((step) => step * 10 ** power).filter((tick) => tick >= low * 0.999 && tick <= high * 1.001),
    );
  }
  return { place: between(low * unit, high * unit), ticks: ticks.map((tick) => tick * unit) };
}

function between(low, high) {
  if (low === high) return () => 0.5;
  return (value) => Math.log(value / low) / Math.log(high / low);
}

/** The next of 1, 2, 5 times a power of ten, downward or upward. */
function rounded(value, direction) {
  const power = 10 ** Math.floor(Math.log10(value));
  const steps = [1, 2, 5, 10];
  const lead = value / power;
  const step =
    direction === Math.floor
      ? steps.findLast((each) => each <= lead * (1 + 1e-9))
      : steps.find((each) => each >= lead * (1 - 1e-9));
  return (step ?? 1) * power;
}
