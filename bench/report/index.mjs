// npm run docs:performance -- FILE: makes docs/performance.md, its plots and docs/performance/figures.json of a run that
// `npm run bench -- --json FILE` wrote. Without FILE: of the last one again. --check writes nothing, and fails when a
// page is not what it would write.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { performancePages } from './page.mjs';
import { readRun } from './run.mjs';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const last = join(docs, 'performance/figures.json');

const { values: options, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false }, out: { type: 'string', default: docs } },
  allowPositionals: true,
});

try {
  const stale = await write(readRun(positionals[0] ?? last));
  if (options.check && stale.length > 0) throw new Error(`Not what the run says: ${stale.join(', ')}.`);
  console.log(stale.length === 0 ? 'All pages are up to date.' : `Written: ${stale.join(', ')}.`);
} catch (/** @type {any} */ error) {
  console.error(error.message);
  process.exitCode = 1;
}

/** @returns {Promise<string[]>} what was not up to date */
async function write(run) {
  const stale = [];
  const pages = { ...performancePages(run), 'performance/figures.json': JSON.stringify(run) };
  for (const [name, text] of Object.entries(pages)) {
    const path = join(options.out, name);
    const page = await formatted(path, text);
    if (existsSync(path) && readFileSync(path, 'utf8') === page) continue;
    stale.push(name);
    if (options.check) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, page);
  }
  return stale;
}

async function formatted(path, text) {
  if (path.endsWith('.svg')) return text;
  const style = await resolveConfig(join(docs, 'performance.md'));
  return await format(text, { ...style, filepath: path });
}
