// The declarations of the packages, as the compiler of who uses them reads them.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { makeFolder } from '../files/support.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

interface Manifest {
  name: string;
  exports: Record<string, string | { types?: string }>;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

const packages = readdirSync(join(repository, 'packages')).map((name) => {
  const folder = join(repository, 'packages', name);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  return { folder, manifest };
});

/** The packages that the declarations of an entry import, and those that they import in turn. */
function importedBy(file: string, seen = new Set<string>()): Set<string> {
  const found = new Set<string>();
  if (seen.has(file)) return found;
  seen.add(file);
  for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(/\b(?:from\s+|import\s*\(?)['"]([^'"]+)['"]/g)) {
    if (from.startsWith('.')) {
      const target = join(dirname(file), from.replace(/\.(?:tsx?|js)$/, '.d.ts'));
      for (const name of importedBy(target, seen)) found.add(name);
    } else if (!from.startsWith('node:')) {
      found.add(
        from
          .split('/')
          .slice(0, from.startsWith('@') ? 2 : 1)
          .join('/'),
      );
    }
  }
  return found;
}

const entries = packages.flatMap(({ folder, manifest }) =>
  Object.entries(manifest.exports).flatMap(([path, target]) =>
    typeof target === 'object' && target.types !== undefined
      ? [{ entry: manifest.name + path.slice(1), file: join(folder, target.types), manifest }]
      : [],
  ),
);

test.each(entries)('$entry imports only packages that are installed with it', ({ file, manifest }) => {
  const { name, dependencies, peerDependencies } = manifest;
  const installed = [name, ...Object.keys({ ...dependencies, ...peerDependencies })];
  expect([...importedBy(file)].filter((imported) => !installed.includes(imported))).toEqual([]);
});

test('a page with the cards compiles without the types of Node', async () => {
  const page = makeFolder({
    'page.tsx': `
      import { CardsProvider, createRunStore, ScriptCard, type Run } from '@mustard-sandbox/cards';
      import { settingsInfo, type ScriptRecord } from '@mustard-sandbox/agent-tool';
      import { type Sandbox } from '@mustard-sandbox/client';
      export type All = [ScriptRecord, Run, Sandbox, typeof settingsInfo];
      export const store = createRunStore();
      export const cards = [CardsProvider, ScriptCard];`,
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        types: [],
        lib: ['ES2023', 'ESNext.Disposable', 'DOM', 'DOM.Iterable'],
        module: 'ESNext',
        moduleResolution: 'bundler',
        target: 'ES2023',
        jsx: 'react-jsx',
      },
      files: ['page.tsx'],
    }),
  });
  const compiler = join(repository, 'node_modules/typescript/bin/tsc');
  link(join(page, 'node_modules'), ['@mustard-sandbox', '@types/react', '@types/react-dom', 'react', 'csstype', 'zod']);
  const { exitCode, stdout } = await execa(process.execPath, [compiler, '-p', page], { reject: false });
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
});

function link(modules: string, names: string[]): void {
  for (const name of names) {
    const target = join(modules, name);
    mkdirSync(dirname(target), { recursive: true });
    if (existsSync(join(repository, 'node_modules', name))) symlinkSync(join(repository, 'node_modules', name), target);
  }
}
