import { cpSync, mkdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { appWith } from '../context/support.ts';

export { appWith, put } from '../context/support.ts';

const require = createRequire(import.meta.url);

/** The compilers that are about: what this repository is built with, and an older one that a tool of it brings. */
export const compilers = {
  native: dirname(require.resolve('typescript/package.json')),
  javascript: dirname(olderThanNative()),
};
export type CompilerKind = keyof typeof compilers;

function olderThanNative(): string {
  const tool = createRequire(require.resolve('@arethetypeswrong/cli/package.json'));
  const core = createRequire(join(dirname(tool.resolve('@arethetypeswrong/core')), 'index.js'));
  return core.resolve('typescript/package.json');
}

/** An app with a real compiler among its dependencies, by copy: a link that leads out of the app is not followed. */
export function typedApp(kind: CompilerKind, files: Record<string, string>): string {
  const app = appWith(files);
  const modules = join(app, 'node_modules');
  mkdirSync(modules);
  const folder = realpathSync(compilers[kind]);
  cpSync(folder, join(modules, 'typescript'), { recursive: true });
  if (kind === 'native') cpSync(join(folder, '../@typescript'), join(modules, '@typescript'), { recursive: true });
  return app;
}

/** An app whose compiler is this program. */
export function appWithCompiler(program: string, version = '5.9.3'): string {
  return appWith({
    'tsconfig.json': '{}',
    'a.ts': '',
    'node_modules/typescript/package.json': JSON.stringify({ name: 'typescript', version, main: 'main.js' }),
    'node_modules/typescript/main.js': program,
  });
}
