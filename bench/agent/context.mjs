// The files of an app for a prompt, against a plain walk that reads them.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContextReader } from '../../packages/desktop-agent/dist/main/context/index.js';
import { sideBySide } from '../measure.mjs';

const count = 5000;
const everything = { include: [], exclude: [], strict: false };
/** Room for all of them, so that all are read and counted. */
const limits = { fileBytes: 256 * 1024, totalBytes: 64 * 1024 * 1024 };

const app = mkdtempSync(join(tmpdir(), 'mustard-bench-app-'));
const kept = new ContextReader();

/** @returns the title of the figures, the least that could be done, and the samples by name */
export async function measureContext() {
  try {
    const bytes = makeApp();
    await kept.describe(app, everything, { limits });
    const samples = await sideBySide(
      {
        'plain walk and read': plain,
        'first time, with tokens': first,
        'again, with tokens': () => kept.describe(app, everything, { limits }),
        'again, for a prompt': () => kept.files(app, everything),
      },
      { rounds: 7, warmup: 1, budgetMs: 60_000 },
    );
    return {
      title: `The context of an app of ${count} files, ${(bytes / 1e6).toFixed(1)} MB`,
      least: 'plain walk and read',
      samples,
    };
  } finally {
    await kept[Symbol.asyncDispose]();
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
  const reader = new ContextReader();
  await reader.describe(app, everything, { limits });
  await reader[Symbol.asyncDispose]();
}
