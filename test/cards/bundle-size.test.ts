import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../packages/cards', import.meta.url));
const maxKilobytes = 44;

async function sizes(name: string): Promise<{ all: number; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export { ${name} } from './dist/index.js';`, resolveDir: folder },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    outdir: 'out',
    write: false,
    metafile: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    external: ['react', 'react-dom', 'react/jsx-runtime', 'uplot'],
  });
  const all = outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0) / 1024;
  const [entry] = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint !== undefined);
  const imports = entry!.imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path);
  return { all, inputs: [...Object.keys(entry!.inputs), ...imports] };
}

test(`ScriptCard is at most ${maxKilobytes} KB, and loads the library for plots only when it is needed`, async () => {
  const { all, inputs } = await sizes('ScriptCard');
  expect(all).toBeLessThan(maxKilobytes);
  expect(inputs.filter((path) => path.includes('uplot'))).toEqual([]);
});

test('who takes one thing gets nothing of the others', async () => {
  const { all, inputs } = await sizes('createRunStore');
  expect(all).toBeLessThan(3);
  expect(inputs.filter((path) => path.includes('script-card'))).toEqual([]);
});
