// The page of the desktop agent: its scripts, the styles, and one HTML file that names them. And the script in the pages
// of apps that it shows.
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentFolder } from './bundle-options.mjs';
import { isFresh, writeStamp } from './stamp.mjs';
import { thirdPartyLicenses } from './third-party-licenses.mjs';

/** Makes `dist/page` and `dist/in-preview`, unless they are what their sources say. */
export async function buildAgentPage() {
  const stamp = join(agentFolder, 'dist/.app.json');
  if (isFresh(stamp)) return;
  const { build } = await import('esbuild');
  const { metafile, outputFiles } = await build({
    absWorkingDir: agentFolder,
    entryPoints: { main: 'src/page/main.ts', page: 'src/page/styles/index.css' },
    bundle: true,
    splitting: true,
    chunkNames: 'chunk-[hash]',
    minify: true,
    metafile: true,
    write: false,
    outdir: 'dist/page',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    charset: 'utf8',
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  });
  const inPreview = await build({
    absWorkingDir: agentFolder,
    entryPoints: ['src/page/in-preview/client.ts'],
    bundle: true,
    minify: true,
    metafile: true,
    outdir: 'dist/in-preview',
    // Nothing of it is a global of the app.
    format: 'iife',
    target: 'es2022',
    logLevel: 'warning',
  });
  const folder = join(agentFolder, 'dist/page');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
  const html = join(agentFolder, 'src/page/index.html');
  copyFileSync(html, join(folder, 'index.html'));
  writeFileSync(join(folder, 'LICENSES.txt'), thirdPartyLicenses(metafile, agentFolder));
  const made = readdirSync(folder).map((name) => join(folder, name));
  made.push(...Object.keys(inPreview.metafile.outputs).map((path) => join(agentFolder, path)));
  const sources = [metafile, inPreview.metafile].flatMap(({ inputs }) => Object.keys(inputs));
  const inputs = [...new Set(sources)].map((path) => resolve(agentFolder, path));
  const here = fileURLToPath(new URL('.', import.meta.url));
  writeStamp(stamp, [...inputs, html, ...readdirSync(here).map((name) => join(here, name)), ...made]);
}
