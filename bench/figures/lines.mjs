import { copyFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { sideBySide, summaries } from '../measure.mjs';
import { runBare } from '../peers/bare-quickjs.mjs';
import { ratioOf } from '../statistics.mjs';
import { oneSidecar, using } from './sandboxes.mjs';

const script = "let n = 0; for (const line of lines('attachments:server.log')) if (line.includes(' ERROR ')) n++; n";
const quickBytes = 16 * 1024 * 1024;

/** A loop over the lines of a log, beside the same in QuickJS alone: what the sandbox adds to the engine. */
export async function measure({ quick, log, folder }) {
  const scope = { attachments: [{ name: 'server.log', path: quick ? await cut(log, folder) : log }] };
  return await using({ sandbox: oneSidecar({ maxTimeoutMs: 60_000 }) }, async ({ sandbox }) => {
    const samples = await sideBySide(
      {
        'loop over lines, includes': () => sandbox.run({ script, scope, limits: { timeoutMs: 60_000 } }),
        'the same in QuickJS alone': () => runBare({ script, scope }),
      },
      { rounds: quick ? 3 : 10, warmup: 1, budgetMs: quick ? 8000 : 60_000 },
    );
    const ratio = ratioOf(samples['loop over lines, includes'], [samples['the same in QuickJS alone']]);
    return { ratios: { 'lines-against-quickjs': ratio }, timings: summaries(samples) };
  });
}

async function cut(log, folder) {
  const file = join(folder, 'server.log');
  await copyFile(log, file);
  await truncate(file, quickBytes);
  return file;
}
