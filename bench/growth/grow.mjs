import { sideBySide } from '../measure.mjs';
import { summarize } from '../statistics.mjs';

/**
 * The same job in several sizes, side by side: all sizes in turn within each round.
 *
 * @param {readonly number[]} sizes
 * @param {Record<string, (size: number) => import('../measure.mjs').Way>} series
 * @param {Parameters<typeof sideBySide>[1]} effort
 * @returns {Promise<import('./index.mjs').Row[]>} in ms
 */
export async function grow(sizes, series, effort) {
  const names = Object.keys(series);
  const key = (name, size) => `${name}/${size}`;
  const ways = Object.fromEntries(
    sizes.flatMap((size) =>
      names.map((name) => {
        const run = series[name](size);
        // Once untimed: what the largest left behind, such as garbage, is not the smallest one's cost.
        return [key(name, size), { run, before: run }];
      }),
    ),
  );
  const samples = await sideBySide(ways, effort);
  return sizes.map((x) => ({
    x,
    values: Object.fromEntries(names.map((name) => [name, summarize(samples[key(name, x)])])),
  }));
}
