// The page for hosts of MCP Apps: one HTML file with everything in it, which may load and reach nothing.
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cardsFolder, mcpServerFolder } from './bundle-options.mjs';
import { replaceFile } from './replace.mjs';
import { isFresh, writeStamp } from './stamp.mjs';
import { thirdPartyLicenses } from './third-party-licenses.mjs';

/** Makes `script.html` of the MCP server, unless it is what its sources say. */
export async function buildApp() {
  const stamp = join(mcpServerFolder, 'dist/.app.json');
  if (isFresh(stamp)) return;
  const { build } = await import('esbuild');
  const { metafile, outputFiles } = await build({
    absWorkingDir: cardsFolder,
    entryPoints: { app: 'app/main.tsx', page: 'app/page.css' },
    bundle: true,
    minify: true,
    metafile: true,
    write: false,
    outdir: 'out',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    // Text of any language stays as it is, and no closing tag ends the script.
    charset: 'utf8',
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  });
  const textOf = (name) => (outputFiles.find(({ path }) => path.endsWith(name))?.text ?? '').trim();
  const page = join(mcpServerFolder, 'dist/script.html');
  const notices = join(mcpServerFolder, 'dist/script.html.LICENSES.txt');
  replaceFile(page, html(textOf('app.js'), textOf('page.css')));
  replaceFile(notices, thirdPartyLicenses(metafile, cardsFolder));
  const inputs = Object.keys(metafile.inputs).map((path) => resolve(cardsFolder, path));
  const here = fileURLToPath(new URL('.', import.meta.url));
  writeStamp(stamp, [...inputs, ...readdirSync(here).map((name) => join(here, name)), page, notices]);
}

function html(script, style) {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Script</title>
<style>${style}</style>
</head>
<body>
<div id="root"></div>
<script type="module">${script}</script>
</body>
</html>
`;
}

/** By which the policy knows this very text. */
function hashOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
