import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { oneSidecar, using } from '../figures/sandboxes.mjs';
import { grow } from './grow.mjs';

/**
 * `list_files` of folders with so many entries; only their count leaves the script.
 *
 * @param {import('./index.mjs').Setting} setting
 * @returns {Promise<import('./index.mjs').Growth[]>}
 */
export async function measure({ quick, folder, progress }) {
  const sizes = quick ? [10, 100, 1000, 10_000] : [10, 100, 1000, 10_000, 100_000];
  for (const size of sizes) {
    progress(`${size} files`);
    fill(join(folder, String(size)), size);
  }
  const rows = await using(
    { sandbox: oneSidecar({ maxTimeoutMs: 60_000, limits: { timeoutMs: 60_000 } }) },
    ({ sandbox }) =>
      grow(
        sizes,
        {
          list_files: (size) => {
            const scope = { root: join(folder, String(size)) };
            return async () => {
              const { value } = await sandbox.run({ script: 'list_files().length', scope });
              if (value !== size) throw new Error(`list_files found ${String(value)} of ${size} entries.`);
            };
          },
          'readdir of Node, sorted': (size) => async () => (await readdir(join(folder, String(size)))).toSorted(),
        },
        { rounds: quick ? 8 : 25, warmup: 2, budgetMs: quick ? 4000 : 30_000 },
      ),
  );
  const title = 'list_files, by the size of the folder';
  return [{ name: 'growth-directory', title, x: 'entries', xUnit: 'count', y: 'time of a run', unit: 'ms', rows }];
}

function fill(path, count) {
  mkdirSync(path);
  for (let i = 0; i < count; i++) writeFileSync(join(path, `file-${i}.txt`), '');
}
