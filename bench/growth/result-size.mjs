import { oneSidecar, using } from '../figures/sandboxes.mjs';
import { grow } from './grow.mjs';

const KiB = 1024;

/**
 * Results of so many bytes: one string, and a list of rows as a script that filters gives them.
 *
 * @param {import('./index.mjs').Setting} setting
 * @returns {Promise<import('./index.mjs').Growth[]>}
 */
export async function measure({ quick }) {
  const sizes = [100, KiB, 10 * KiB, 100 * KiB, 1024 * KiB, 4 * 1024 * KiB];
  const rows = await using(
    { sandbox: oneSidecar({ maxTimeoutMs: 60_000, limits: { timeoutMs: 60_000, heapBytes: 256 * 1024 * KiB } }) },
    ({ sandbox }) =>
      grow(
        quick ? sizes.slice(0, -1) : sizes,
        {
          'one string': (size) => {
            const script = `'x'.repeat(${size})`;
            return () => sandbox.run({ script });
          },
          'rows of three fields': (size) => {
            const script = `
            const rows = [];
            for (let i = 0; i < ${Math.ceil(size / rowBytes)}; i++) rows.push({ code: 'E1001', count: 123456, at: '2026-03-02T10:00:00.000Z' });
            rows`;
            return () => sandbox.run({ script });
          },
        },
        { rounds: quick ? 10 : 30, warmup: 2, budgetMs: quick ? 5000 : 30_000 },
      ),
  );
  const title = 'A run, by the size of its result';
  return [
    { name: 'growth-result-size', title, x: 'bytes of result', xUnit: 'bytes', y: 'time of a run', unit: 'ms', rows },
  ];
}

const rowBytes = JSON.stringify({ code: 'E1001', count: 123456, at: '2026-03-02T10:00:00.000Z' }).length + 1;
