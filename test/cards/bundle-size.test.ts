import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../packages/cards', import.meta.url));
const maxKilobytes = 47;

/** What a page loads for one export, in kilobytes, without what is loaded when it is needed. */
async function sizes(name: string, splitting = true): Promise<{ all: number; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export { ${name} } from './dist/index.js';`, resolveDir: folder },
    bundle: true,
    splitting,
    minify: true,
    format: 'esm',
    outdir: 'out',
    write: false,
    metafile: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    external: ['react', 'react-dom', 'react/jsx-runtime', '@mustard-sandbox/charts'],
  });
  const loaded = new Set<string>();
  const load = (output: string): void => {
    if (loaded.has(output) || metafile.outputs[output] === undefined) return;
    loaded.add(output);
    for (const { path, kind } of metafile.outputs[output].imports) if (kind === 'import-statement') load(path);
  };
  load('out/stdin.js');
  const files = outputFiles.filter(({ path }) => [...loaded].some((output) => path.endsWith(`/${output}`)));
  const all = files.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0) / 1024;
  const parts = [...loaded].map((output) => metafile.outputs[output]!);
  const inputs = parts.flatMap((part) => [
    ...Object.keys(part.inputs),
    ...part.imports.flatMap(({ path, kind }) => (kind === 'import-statement' ? [path] : [])),
  ]);
  return { all, inputs };
}

test(`ScriptCard is at most ${maxKilobytes} KB, and loads the library for charts only when it is needed`, async () => {
  const { all, inputs } = await sizes('ScriptCard');
  expect(all).toBeLessThan(maxKilobytes);
  expect(inputs.filter((path) => path.includes('@mustard-sandbox/charts'))).toEqual([]);
});

test('who takes one thing gets nothing of the others', async () => {
  const { all, inputs } = await sizes('createRunStore', false);
  expect(all).toBeLessThan(3);
  expect(inputs.filter((path) => path.includes('script-card'))).toEqual([]);
});
