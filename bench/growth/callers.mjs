import { availableParallelism } from 'node:os';
import { callsPerSecond } from '../figures/throughput.mjs';
import { oneSidecar, using } from '../figures/sandboxes.mjs';
import { summarize } from '../statistics.mjs';

const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/**
 * So many callers that each wait for their answer before they ask again; a sidecar for each core.
 *
 * @param {import('./index.mjs').Setting} setting
 * @returns {Promise<import('./index.mjs').Growth[]>}
 */
export async function measure({ quick }) {
  const maxProcesses = Math.min(256, availableParallelism());
  const rounds = quick ? 3 : 12;
  /** @type {Record<number, number[]>} */
  const latencies = Object.fromEntries(sizes.map((size) => [size, []]));
  /** @type {Record<number, number[]>} */
  const rates = Object.fromEntries(sizes.map((size) => [size, []]));
  await using({ sandbox: oneSidecar({ maxProcesses, maxQueue: 256 }) }, async ({ sandbox }) => {
    const ask = () => sandbox.run({ script: '1 + 1' });
    await callsPerSecond(ask, 64, 500);
    for (let round = 0; round < rounds; round++) {
      for (const size of sizes) rates[size].push(await callsPerSecond(ask, size, 200, latencies[size]));
    }
  });
  const axis = /** @type {const} */ ({ x: 'concurrent callers', xUnit: 'count' });
  return [
    {
      name: 'growth-callers',
      title: 'Latency, by the number of concurrent callers',
      ...axis,
      y: 'time of a run, waiting included',
      unit: 'ms',
      rows: rowsOf('latency', latencies),
    },
    {
      name: 'growth-callers-rate',
      title: 'Runs per second, by the number of concurrent callers',
      ...axis,
      y: 'runs per second',
      unit: '1/s',
      rows: rowsOf('runs per second', rates),
    },
  ];
}

function rowsOf(series, samples) {
  return sizes.map((x) => ({ x, values: { [series]: summarize(samples[x]) } }));
}
