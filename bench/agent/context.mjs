// The files of an app for a prompt, against a plain walk that reads them.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contextFiles, describeContext } from '../../packages/desktop-agent/dist/server/context/index.js';
import { endWorkers } from '../../packages/desktop-agent/dist/server/worker/index.js';
import { WorkerPool } from '../../packages/desktop-agent/dist/server/worker/pool.js';
import { sideBySide } from '../measure.mjs';

const count = 5000;
const everything = { include: [], exclude: [], strict: false };
/** Room for all of them, so that all are read and counted. */
const limits = { fileBytes: 256 * 1024, totalBytes: 64 * 1024 * 1024 };

const app = mkdtempSync(join(tmpdir(), 'mustard-bench-app-'));

/** @returns the title of the figures, the least that could be done, and the samples by name */
export async function measureContext() {
  try {
    const bytes = makeApp();
    await describeContext(app, everything, { limits });
    const samples = await sideBySide(
      {
        'plain walk and read': plain,
        'first time, with tokens': first,
        'again, with tokens': () => describeContext(app, everything, { limits }),
        'again, for a prompt': () => contextFiles(app, everything),
      },
      { rounds: 7, warmup: 1, budgetMs: 60_000 },
    );
    return {
      title: `The context of an app of ${count} files, ${(bytes / 1e6).toFixed(1)} MB`,
      least: 'plain walk and read',
      samples,
    };
  } finally {
    await endWorkers();
    rmSync(app, { recursive: true, force: true });
  }
}

function makeApp() {
  const words = readFileSync(new URL('../measure.mjs', import.meta.url), 'utf8');
  let bytes = 0;
  for (let index = 0; index < count; index++) {
    const folder = join(app, 'src', `part-${index % 100}`);
    mkdirSync(folder, { recursive: true });
    const at = (index * 37) % (words.length - 1000);
    const text = `// ${index}\n${words.slice(at, at + 900)}\n`;
    bytes += text.length;
    writeFileSync(join(folder, `file-${index}.ts`), text);
  }
  writeFileSync(join(app, '.gitignore'), 'dist\n*.log\n');
  return bytes;
}

function plain() {
  const paths = readdirSync(app, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return paths.reduce((sum, entry) => sum + readFileSync(join(entry.parentPath, entry.name), 'utf8').length, 0);
}

/** With the start of its thread and the tables of the tokens. */
async function first() {
  const pool = new WorkerPool();
  const overlay = { writes: [], deletes: [], renames: [] };
  await pool.run('describeFiles', [app, { globs: everything, limits, overlay }], {});
  await pool.end();
}
