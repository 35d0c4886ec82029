// Makes the page of the gallery: one script with what it loads later, one stylesheet.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));

/**
 * @param {{ alias?: Record<string, string> }} [options] other packages instead of those that the page imports
 * @returns {Promise<Map<string, Uint8Array>>} the files by name
 */
export async function buildPage({ alias = {} } = {}) {
  const { outputFiles } = await build({
    absWorkingDir: here,
    entryPoints: { main: 'page/main.tsx', styles: '../src/styles/index.css', page: 'page/page.css' },
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    outdir: 'out',
    write: false,
    define: { 'process.env.NODE_ENV': '"production"' },
    minify: true,
    logLevel: 'warning',
    alias,
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  return files.set('index.html', new Uint8Array(await readFile(`${here}page/index.html`)));
}
