// The page of the desktop agent: its scripts, the styles, and one HTML file that names them.
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentFolder } from './bundle-options.mjs';
import { isFresh, writeStamp } from './stamp.mjs';
import { thirdPartyLicenses } from './third-party-licenses.mjs';

/** Makes `dist/page`, unless it is what its sources say. */
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
  const inputs = Object.keys(metafile.inputs).map((path) => resolve(agentFolder, path));
  const here = fileURLToPath(new URL('.', import.meta.url));
  writeStamp(stamp, [...inputs, html, ...readdirSync(here).map((name) => join(here, name)), ...made]);
}
