// A program that was made into one file, by a bundler that knows nothing of these packages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';
import { describe, expect, it, test } from 'vitest';
import { makeFolder } from '../files/support.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

describe.each(['client', 'agent-tool', 'bash-tools', 'mcp-server', 'remote', 'remote/server'])('%s', (name) => {
  it.each(['esm', 'cjs'] as const)('loads in one file of %s', async (format) => {
    const outfile = join(makeFolder(), format === 'esm' ? 'program.mjs' : 'program.cjs');
    await build({
      stdin: {
        contents: `import * as all from '@mustard-sandbox/${name}'; console.log(Object.keys(all).length > 0);`,
        resolveDir: join(repository, 'packages/cli'),
      },
      outfile,
      format,
      bundle: true,
      platform: 'node',
      // Optional, and not installed with these packages.
      external: ['@opentelemetry/api', '@vercel/sandbox', 'ai', 'bufferutil', 'just-bash', 'utf-8-validate'],
      logLevel: 'silent',
    });
    const { stdout, stderr } = await execa(process.execPath, [outfile], { reject: false });
    expect({ stdout, stderr }).toEqual({ stdout: 'true', stderr: '' });
  });
});

test('the cards are components of the client, where a framework has others', () => {
  const code = readFileSync(join(repository, 'packages/cards/dist/index.js'), 'utf8');
  expect(code).toMatch(/^'use client';\n/);
});
