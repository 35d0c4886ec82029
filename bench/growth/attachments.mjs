import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { oneSidecar, using } from '../figures/sandboxes.mjs';
import { grow } from './grow.mjs';

/**
 * Runs that may read so many files: none of them read, one of them read.
 *
 * @param {import('./index.mjs').Setting} setting
 * @returns {Promise<import('./index.mjs').Growth[]>}
 */
export async function measure({ quick, folder }) {
  const sizes = [1, 10, 100, 1000, 10_000];
  const path = join(folder, 'attachment.txt');
  await writeFile(path, 'one line\n');
  const scopeOf = (count) => ({
    attachments: Array.from({ length: count }, (_, index) => ({ name: `file-${index}.txt`, path })),
  });
  const rows = await using({ sandbox: oneSidecar() }, ({ sandbox }) =>
    grow(
      sizes,
      {
        'none read': (count) => runOf(sandbox, '1 + 1', scopeOf(count)),
        'one read': (count) => runOf(sandbox, `read_file('attachments:file-${count - 1}.txt')`, scopeOf(count)),
      },
      { rounds: quick ? 10 : 60, warmup: 3, budgetMs: quick ? 4000 : 20_000 },
    ),
  );
  const title = 'A run, by the number of its attachments';
  return [
    { name: 'growth-attachments', title, x: 'attachments', xUnit: 'count', y: 'time of a run', unit: 'ms', rows },
  ];
}

function runOf(sandbox, script, scope) {
  return () => sandbox.run({ script, scope });
}
