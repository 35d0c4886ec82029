import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Beneath the root, because the bundle looks for the engine's addon from where it is. */
const folder = path('../../node_modules/.cache/mustard-bench/');

/** Bundles `one-run.mjs` the way the sidecar is bundled. */
export async function bundleOneRun() {
  // Only here: whoever only removes bundles needs no bundler.
  const { build } = await import('esbuild');
  const outfile = `${folder}one-run-${process.pid}.mjs`;
  await build({
    entryPoints: [path('one-run.mjs')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external: ['@duckdb/node-api'],
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: 'warning',
    banner: { js: "import{createRequire as requireFor}from'node:module';const require=requireFor(import.meta.url);" },
  });
  return outfile;
}

/** A process that was killed leaves its bundle. */
export function removeBundles() {
  rmSync(folder, { recursive: true, force: true });
}
