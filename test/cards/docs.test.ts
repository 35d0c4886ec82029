import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

test.each(['docs/cards.md', 'packages/cards/README.md'])(
  'the example of %s is made of what the package exports',
  async (page) => {
    const [, code] = /```tsx\n([^]*?)```/.exec(readFileSync(`${root}${page}`, 'utf8')) ?? [];
    const { warnings, outputFiles } = await build({
      stdin: { contents: code as string, loader: 'tsx', resolveDir: `${root}packages/cards` },
      jsx: 'automatic',
      bundle: true,
      write: false,
      outdir: 'out',
      format: 'esm',
      external: ['react', 'react-dom', 'react/jsx-runtime'],
    });
    expect(warnings).toEqual([]);
    expect(new Set(outputFiles.map(({ path }) => path.split('.').at(-1)))).toEqual(new Set(['css', 'js']));
  },
);
