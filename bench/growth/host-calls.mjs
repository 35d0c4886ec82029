import { oneSidecar, using } from '../figures/sandboxes.mjs';
import { grow } from './grow.mjs';

const double = (value) => 2 * value;

/**
 * Runs that call a function of the host so many times: one after another, and 32 at a time.
 *
 * @param {import('./index.mjs').Setting} setting
 * @returns {Promise<import('./index.mjs').Growth[]>}
 */
export async function measure({ quick }) {
  const sizes = quick ? [1, 10, 100, 1000] : [1, 10, 100, 1000, 10_000];
  const options = { maxTimeoutMs: 60_000, limits: { timeoutMs: 60_000 } };
  const rows = await using({ sandbox: oneSidecar(options) }, ({ sandbox }) => {
    const series = (scriptOf) => (count) => () => sandbox.run({ script: scriptOf(count), hostFunctions: { double } });
    return grow(
      sizes,
      { 'one after another': series(sequential), 'up to 32 at a time': series(batched) },
      { rounds: quick ? 5 : 15, warmup: 2, budgetMs: quick ? 6000 : 45_000 },
    );
  });
  const title = 'A run, by the number of its host calls';
  return [{ name: 'growth-host-calls', title, x: 'host calls', xUnit: 'count', y: 'time of a run', unit: 'ms', rows }];
}

function sequential(count) {
  return `let total = 0; for (let i = 0; i < ${count}; i++) total += double(i); total`;
}

function batched(count) {
  return `
    async function all() {
      let total = 0;
      for (let i = 0; i < ${count}; i += 32) {
        const batch = [];
        for (let j = i; j < i + 32 && j < ${count}; j++) batch.push(double(j));
        for (const value of await Promise.all(batch)) total += value;
      }
      return total;
    }
    await all()`;
}
