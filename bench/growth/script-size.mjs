import { oneSidecar, using } from '../figures/sandboxes.mjs';
import { grow } from './grow.mjs';

const KiB = 1024;
const limits = { scriptBytes: 128 * KiB };

/**
 * Scripts of so many bytes that compute nearly nothing, so that sending and compiling shows.
 *
 * @param {import('./index.mjs').Setting} setting
 * @returns {Promise<import('./index.mjs').Growth[]>}
 */
export async function measure({ quick }) {
  const sizes = [100, KiB, 4 * KiB, 16 * KiB, 64 * KiB, 128 * KiB];
  let unique = 0;
  const rows = await using({ sandbox: oneSidecar() }, ({ sandbox }) =>
    grow(
      sizes,
      {
        'seen before': (size) => {
          const script = scriptOf(size, 0);
          return () => sandbox.run({ script, limits });
        },
        new: (size) => () => sandbox.run({ script: scriptOf(size, ++unique), limits }),
      },
      { rounds: quick ? 20 : 150, warmup: 5, budgetMs: quick ? 4000 : 20_000 },
    ),
  );
  const title = 'A run, by the size of its script';
  return [
    { name: 'growth-script-size', title, x: 'bytes of script', xUnit: 'bytes', y: 'time of a run', unit: 'ms', rows },
  ];
}

/** Functions that are compiled and never called. */
function scriptOf(bytes, seed) {
  let script = `const seed = ${String(seed).padStart(9)};\n`;
  const rest = 'seed';
  for (let i = 0; ; i++) {
    const line = `function f${i}(a, b) { return a * ${i} + b; }\n`;
    if (script.length + line.length + rest.length > bytes) return script + rest.padStart(bytes - script.length);
    script += line;
  }
}
